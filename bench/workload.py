"""The workload of the benchmarks, built once: a corpus, past queries, their expansions, and unseen queries.

With the shared data (located by `reproduce.data`) the corpus is both encyclopedias, and the queries are web queries and
titles in a fixed random order; where more are needed than exist, queries are extended by a title. Without the data
everything is synthetic: words follow Zipf's law and belong to topics. Rows hold at most 128 terms, the default.
"""

import gzip
import json
import os
import random
import time
from collections.abc import Callable, Iterator
from itertools import chain, islice
from pathlib import Path

import numpy as np
from reproduce import data

from querykin import Document, Workspace
from querykin.index.catalog import indexed_parts
from querykin.measures.expansion_measure import ExpansionMeasure
from querykin.retrieval.suggester import Suggester

ROOT = Path(__file__).resolve().parent.parent
LISTS = ("trec-web-queries", "wikipedia-titles")
ROWS = 363_822  # candidates of Metzler et al. (2007)
MADE_UP_ROWS = 20_000
UNSEEN_QUERIES = 300
_WORDS, _TOPICS, _DOCUMENTS = 30_000, 200, 20_000  # of the synthetic corpus


def folder() -> Path:
    """The folder of the workload: QUERYKIN_BENCH, or .bench in the repository; delete it to rebuild."""
    return Path(os.environ.get("QUERYKIN_BENCH") or ROOT / ".bench")


def real() -> bool:
    """Whether the shared data is available."""
    return data.missing() is None


def rows_wanted() -> int:
    """The number of candidates in the main tables; QUERYKIN_BENCH_ROWS has another one for a trial."""
    return int(os.environ.get("QUERYKIN_BENCH_ROWS") or (ROWS if real() else MADE_UP_ROWS))


def described() -> str:
    """One line about the data."""
    if real():
        return "both shared corpora; TREC web queries and encyclopedia titles in a fixed random order"
    return f"synthetic: {_DOCUMENTS:,} documents of {_WORDS:,} words by Zipf's law in {_TOPICS} topics"


def unseen_queries() -> list[str]:
    """Queries that are in no repository of the workload: real web queries, or synthetic ones."""
    return list(islice(queries(), UNSEEN_QUERIES))


def unseen(suggester: Suggester, limit: int) -> Callable[[str], object]:
    """A function that suggests for a query without cached search results."""

    def suggest(query: str) -> object:
        clear_cached_results(suggester)
        return suggester.suggest([query], limit)

    return suggest


def clear_cached_results(suggester: Suggester) -> None:
    """Forget the search results of earlier queries."""
    for part in indexed_parts(suggester.retriever.measure):
        if isinstance(part, ExpansionMeasure):
            part.expander.clear_cache()


def workspace(rows: int, measures: tuple[str, ...] = ("web-kernel",)) -> Workspace:
    """A workspace with this many past queries, expanded and indexed; the build time is stored in it."""
    return filled(named_workspace(str(rows)), rows, measures)


def named_workspace(name: str) -> Workspace:
    """A workspace over all documents, without past queries when it is first opened."""
    path = home(name)
    path.mkdir(parents=True, exist_ok=True)
    if not (path / "corpus").exists():
        (path / "corpus").symlink_to(corpus().path / "corpus", target_is_directory=True)
    return Workspace.open(path)


def home(name: str) -> Path:
    """The folder of a workspace of the workload."""
    return folder() / f"{'real' if real() else 'made-up'}-{name}"


def filled(opened: Workspace, rows: int, measures: tuple[str, ...] = ("web-kernel",)) -> Workspace:
    """Fill a workspace with this many past queries and build its indexes."""
    _fill(opened, rows)
    opened = opened.reopen()
    for name in measures:
        _build(opened, name)
        opened = opened.reopen()
    return opened


def build_seconds(opened: Workspace, measure: str = "web-kernel", clock: str = "seconds") -> float:
    """The time that expansion and indexing took, on all cores; with `clock` "processor" the processor time."""
    return float(json.loads((opened.path / f"built-{measure}.json").read_text("utf-8"))[clock])


def _fill(opened: Workspace, rows: int) -> None:
    """Add queries until there are enough; queries that differ only in case are one."""
    more = islice(queries(), UNSEEN_QUERIES, None)
    while lacking := rows - len(opened.repository):
        opened.repository.add([(query, 1) for query in islice(more, lacking)])


def _build(opened: Workspace, measure: str) -> None:
    parts = indexed_parts(opened.measure(measure))
    if not any(opened.indexes.plan(part).needed for part in parts):
        return
    print(f"building {measure} over {len(opened.repository):,} queries", flush=True)
    start, processor = time.perf_counter(), time.process_time()
    opened.build(measure)
    taken = {"seconds": time.perf_counter() - start, "processor": time.process_time() - processor}
    (opened.path / f"built-{measure}.json").write_text(json.dumps(taken), "utf-8")


def corpus() -> Workspace:
    """All documents."""
    if real():
        return data.workspace()
    opened = Workspace.open(folder() / "made-up-corpus")
    if not len(opened.corpus):
        opened.corpus.add(synthetic_documents())
        opened = opened.reopen()
    return opened


def queries() -> Iterator[str]:
    """An endless sequence of distinct queries in a fixed random order; the first ones are real web queries."""
    if not real():
        yield from _synthetic_queries()
    lists = [lines(name) for name in LISTS]
    sampled = random.Random(2006).sample(lists[0], UNSEEN_QUERIES)
    known = {query.casefold() for query in sampled}
    kept = sorted({query for query in chain.from_iterable(lists) if query.casefold() not in known})
    random.Random(2007).shuffle(kept)
    yield from sampled
    yield from kept
    rng = random.Random(2009)
    while True:
        yield f"{rng.choice(kept)} {rng.choice(lists[1])}"


def lines(name: str) -> list[str]:
    """The queries of one list, each once."""
    path = data.data_folder() / "queries" / f"{name}.txt.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return list(dict.fromkeys(line.split("\t")[0].strip() for line in file))


def synthetic_documents() -> Iterator[Document]:
    """The documents of the synthetic corpus."""
    rng = np.random.default_rng(2006)
    for number in range(_DOCUMENTS):
        words = _synthetic_words(rng, int(rng.integers(_TOPICS)), int(rng.integers(60, 240)))
        yield Document(str(number), " ".join(words[:3]), " ".join(words))


def _synthetic_words(rng: np.random.Generator, topic: int, count: int) -> list[str]:
    """Half of the words of a text come from its topic, half from the whole vocabulary."""
    ranks = np.minimum(rng.zipf(1.3, count), _WORDS) - 1
    own = rng.random(count) < 0.5
    return [
        f"w{rank * _TOPICS % _WORDS + topic if mine else rank}" for rank, mine in zip(ranks, own, strict=True)
    ]


def _synthetic_queries() -> Iterator[str]:
    rng, seen = np.random.default_rng(2007), set[str]()
    while True:
        query = " ".join(_synthetic_words(rng, int(rng.integers(_TOPICS)), int(rng.integers(2, 5))))
        if query not in seen:
            seen.add(query)
            yield query
