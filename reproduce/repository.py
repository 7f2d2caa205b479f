"""Every kind of measure over 100,648 web queries: `python -m reproduce.repository`.

Build time and size of its index, latency of the ten nearest, and agreement with brute force.
"""

import random
import time
from collections.abc import Callable
from functools import partial

import numpy as np

from querykin import Workspace
from querykin.index.catalog import indexed_parts
from querykin.retrieval.retrievers import IndexRetriever
from querykin.text.tokenizer import words
from reproduce import data
from reproduce.brute_force import differing
from reproduce.markdown import table
from reproduce.suggestions import TWENTY

MEASURES = (
    "jaccard-stems",
    "idf-cosine",
    "lexical",
    "edit",
    "set-overlap",
    "result-cosine",
    "web-kernel",
    "dense-prob",
    "sparse-prob",
    "backoff",
    "static",
    "dense",
)
UNSEEN_QUERIES = 200
SHOWN = "seattle mariners"
K = 10


def report(opened: Workspace) -> str:
    """One row per measure."""
    workspace = data.linked(opened, "indexed")
    unseen_queries = _unseen(workspace)
    rows = []
    for name in MEASURES:
        rows.append(_row(workspace, name, unseen_queries))
        print(" | ".join(rows[-1]), flush=True)
    header = [
        "measure",
        "built in",
        "rows hold",
        "bytes a row",
        "top 10, p50",
        "p99",
        "whole query, p50",
        "p99",
        "differ from brute force",
    ]
    return "\n\n".join(
        [
            f"Repository: {len(workspace.repository):,} web queries. {UNSEEN_QUERIES} queries made of words of two random ones, "
            "one after another in one process. *Top 10*: the search of the index alone; *whole query*: from text to "
            f"ranking; milliseconds. Brute force: the top {K} of {len(TWENTY)} queries over every stored row.",
            table(header, rows),
            _columns(workspace),
        ]
    )


def _columns(workspace: Workspace) -> str:
    """Table 2 of Metzler et al.: the results of each method for the same query."""
    names = ("lexical", "stemming", "sparse-prob", "dense-prob", "backoff")
    found = [
        [suggestion.query for suggestion in workspace.match([SHOWN], K, name)[0].suggestions]
        for name in names
    ]
    rows = [[column[rank] if rank < len(column) else "" for column in found] for rank in range(K)]
    return f"Metzler et al. (2007), table 2: *{SHOWN}* by five methods.\n\n" + table(list(names), rows)


def _unseen(workspace: Workspace) -> list[str]:
    rng = random.Random(2007)
    live_ids = workspace.repository.live_ids()
    pick = [words(workspace.repository.query(int(rng.choice(live_ids)))) for _ in range(2 * UNSEEN_QUERIES)]
    return [" ".join([*a[:2], *b[:1]]) for a, b in zip(pick[::2], pick[1::2], strict=True)]


def _row(workspace: Workspace, name: str, unseen_queries: list[str]) -> list[str]:
    workspace = workspace.reopen()
    seconds = _built(workspace, name)
    workspace = workspace.reopen()
    retriever = workspace.retriever(name)
    retriever.search(unseen_queries[:5], K)
    whole = [_timed(partial(retriever.search, [query], K)) for query in unseen_queries]
    if not isinstance(retriever, IndexRetriever):
        return [name, seconds, "-", "-", "-", "-", *_percentiles(whole), "-"]
    index, measure = retriever.index, retriever.measure
    live = index.live_rows(workspace.repository)
    vectors = [measure.encode_queries([query]) for query in unseen_queries]
    alone = [_timed(partial(index.search, measure, row, K, workspace.repository, live)) for row in vectors]
    size = f"{index.bytes / max(1, sum(map(len, index.segments))):,.0f}"
    wrong = differing(retriever, list(TWENTY), K)
    return [
        name,
        seconds,
        f"{index.terms:,.0f} terms",
        size,
        *_percentiles(alone),
        *_percentiles(whole),
        f"{wrong} of {len(TWENTY)}",
    ]


def _built(workspace: Workspace, name: str) -> str:
    """The build time, now or when the index was built."""
    stored, parts = workspace.path / f"built-{name}.txt", indexed_parts(workspace.measure(name))
    if any(workspace.indexes.plan(part).needed for part in parts):
        start = time.perf_counter()
        workspace.build(name)
        stored.write_text(f"{time.perf_counter() - start:,.0f} s", "utf-8")
    if stored.exists():
        return stored.read_text("utf-8")
    return "shared" if parts else "-"


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - start)


def _percentiles(times: list[float]) -> list[str]:
    return [f"{np.percentile(times, p):.1f}" for p in (50, 99)]


OUT = data.ROOT / "reproduce" / "REPOSITORY.md"

if __name__ == "__main__":
    if absent := data.missing():
        print(absent)
    else:
        written = report(data.workspace())
        OUT.write_text(
            f"# Every kind of measure over a repository\n\nWritten by `python -m reproduce.repository`.\n\n{written}\n",
            "utf-8",
        )
        print(written)
