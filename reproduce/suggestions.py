"""Suggestions from real lists of queries: examples, filters side by side, exactness and latency.

`python -m reproduce.suggestions` builds the index of 100,648 web queries, measures, adds 458,246 encyclopedia
titles, builds again and measures again. The first run takes about twenty minutes on two cores.
"""

import json
import random
import time

import numpy as np

from querykin import Workspace
from querykin.io.query_files import read_queries
from querykin.retrieval.retrievers import IndexRetriever
from querykin.text.tokenizer import words
from reproduce import data
from reproduce.brute_force import differing
from reproduce.data import list_file
from reproduce.markdown import table

LISTS = ("trec-web-queries", "wikipedia-titles")
SHOWN = (
    "seattle mariners",
    "california lottery",
    "valentines day",
    "apple pie",
    "java programming",
    "space exploration",
)
TWENTY = (
    *SHOWN,
    "solar energy",
    "cheap flights to london",
    "who shot abraham lincoln",
    "breast cancer symptoms",
    "chess openings",
    "world war ii",
    "how to tie a tie",
    "vegetarian recipes",
    "new york yankees",
    "global warming",
    "guitar chords",
    "roman empire",
    "electric cars",
    "polar bears",
)
LATENCY_QUERIES = 1000

OUT = data.ROOT / "reproduce" / "SUGGESTIONS.md"
FILTERS_PAGE = data.ROOT / "docs" / "explanation" / "suggestion-filters.md"
_HEAD = """# Suggestions over real lists of queries

Written by `python -m reproduce.suggestions` (corpus: {facts}; repository: TREC web queries, then encyclopedia titles as
well; web-kernel at its defaults).

"""


def report(opened: Workspace) -> str:
    """The report as Markdown."""
    stages = [_stage(opened, name) for name in LISTS]
    opened = opened.reopen()
    header = ["queries", "built in", "index", "rows hold", "suggest p50", "p99", "index alone p50", "p99"]
    return "\n\n".join(
        [
            table(header, stages),
            f"Latency: {LATENCY_QUERIES} queries made of words of two random ones of the repository, one after "
            "another in one process, from text to filtered suggestions; milliseconds.",
            _exactness(opened),
            "```\n" + _examples(opened) + "\n```",
        ]
    )


def _stage(opened: Workspace, name: str) -> list[str]:
    """Add a list, build and measure; earlier measurements are read back."""
    kept = opened.path / f"measured-{name}.json"
    if not kept.exists():
        opened = opened.reopen()
        queries = read_queries(str(list_file(name)), print)
        opened.repository.add((query, count) for query, count, _ in queries)
        start = time.perf_counter()
        opened.build("web-kernel")
        seconds = time.perf_counter() - start
        index = opened.index("web-kernel")
        size = sum(path.stat().st_size for path in index.store.path.rglob("*") if path.is_file())
        row = [
            f"{len(opened.repository):,}",
            f"{seconds:,.0f} s",
            f"{size / 1e6:,.0f} MB",
            f"{index.terms:.0f} terms",
            *_latency(opened),
        ]
        kept.write_text(json.dumps(row), "utf-8")
    row = json.loads(kept.read_text("utf-8"))
    print(" | ".join(row), flush=True)
    return list(row)


def _latency(opened: Workspace) -> list[str]:
    rng = random.Random(2006)
    suggester, retriever = opened.suggester("web-kernel"), opened.retriever("web-kernel")
    assert isinstance(retriever, IndexRetriever)
    live_ids = opened.repository.live_ids()
    pick = [words(opened.repository.query(int(rng.choice(live_ids)))) for _ in range(2 * LATENCY_QUERIES)]
    unseen_queries = [" ".join([*a[:2], *b[:1]]) for a, b in zip(pick[::2], pick[1::2], strict=True)]
    suggester.suggest(unseen_queries[:20], 5)
    measure, live = retriever.measure, retriever.index.live_rows(opened.repository)
    whole, alone = [], []
    for query in unseen_queries:
        start = time.perf_counter()
        suggester.suggest([query], 5)
        whole.append(time.perf_counter() - start)
        vector = measure.encode_queries([query])
        start = time.perf_counter()
        retriever.index.search(measure, vector, 10, opened.repository, live)
        alone.append(time.perf_counter() - start)
    return [f"{1000 * np.percentile(times, p):.1f}" for times in (whole, alone) for p in (50, 99)]


def _exactness(opened: Workspace) -> str:
    """Compare the index with brute force over every stored row."""
    retriever, k = opened.retriever("web-kernel"), 20
    assert isinstance(retriever, IndexRetriever)
    rows = sum(int(mask.sum()) for mask in retriever.index.live_rows(opened.repository))
    return (
        f"Exactness: the top {k} of {len(TWENTY)} queries from the index and by brute force over all {rows:,} rows "
        f"differ for {differing(retriever, list(TWENTY), k)} of them."
    )


def _examples(opened: Workspace) -> str:
    lines = []
    for found in opened.suggester("web-kernel").suggest(SHOWN, 5):
        lines.append(found.query)
        lines += [f"  {suggestion.score:.3f}  {suggestion.query}" for suggestion in found.suggestions]
    return "\n".join(lines)


def write_filters_page(opened: Workspace) -> None:
    """Write docs/explanation/suggestion-filters.md: the effect of each filter on twenty queries."""
    lists = {
        name: opened.suggester("web-kernel", filter=name).suggest(TWENTY, 5)
        for name in ("none", "diverse", "paper")
    }
    rows = []
    for i, query in enumerate(TWENTY):
        cells = [
            ", ".join(suggestion.query for suggestion in found[i].suggestions) or "-"
            for found in lists.values()
        ]
        rows.append([f"**{query}**", *cells])
    counts = {name: sum(len(found.suggestions) for found in found) for name, found in lists.items()}
    page = _PAGE.format(queries=f"{len(opened.repository):,}", table=table(["query", *lists], rows), **counts)
    FILTERS_PAGE.write_text(page, "utf-8")


_PAGE = """# Suggestion filters on twenty queries

`none` is the plain ranking. `diverse`, the default, drops near-duplicates of the query and of earlier suggestions: the same
stems in any order, with or without stop words, or one letter changed in a long word. `paper` is the rule of Sahami &
Heilman (2006) as printed: a suggestion needs more new words than half the words of the query and of every earlier
suggestion, so it never offers one word for two, and for a long query only candidates that are long themselves or share little with
it; among many past queries there are such candidates, further down the ranking. [Decision
8](../decisions/0008-diversity-filter.md) gives the reasons for the default.

Twenty queries over {queries} queries (TREC web queries and encyclopedia titles) and both corpora, five
suggestions at most; written by `python -m reproduce.suggestions`. In all: none {none}, diverse {diverse}, paper
{paper}.

{table}
"""


def main() -> None:
    """Print the report and write the page of filters, or print which data is missing."""
    absent = data.missing() or next(
        (f"skipped: {p} is not there" for p in map(list_file, LISTS) if not p.exists()), None
    )
    if absent:
        print(absent)
        return
    opened = data.linked(data.workspace(), "suggestions", ("corpus",))
    text = report(opened)
    print(text)
    OUT.write_text(_HEAD.format(facts=data.build_facts()) + text + "\n", "utf-8")
    write_filters_page(opened.reopen())


if __name__ == "__main__":
    main()
