"""What is missing or stale? Rows of a repository brought up to date, batch by batch.

A row is made once. It grows stale when one of its documents is gone, when a new document would enter its
results or when one makes a word of the query known; the statistics that weigh it stay those of the build it
belongs to until a new build is asked for. Finished batches are kept in the index as `in_progress`, so that a
killed build goes on where it stopped, and become visible to readers together, in one step.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array, make_indptr
from querykin.compute.threads import thread_map
from querykin.corpus.corpus import Corpus
from querykin.errors import WorkspaceError
from querykin.index.index import Build, Index, in_repository, newest_rows
from querykin.index.segment import IndexSegment, join, write
from querykin.measures.base import ExpansionMeasure, VectorMeasure
from querykin.querylog.repository import Repository
from querykin.search.bm25 import K1, TITLE_BONUS, B
from querykin.search.engine import CorpusEngine
from querykin.search.expansion import Expander
from querykin.search.query_parser import parse
from querykin.vectors import Vectors, concatenate

PIECES = 16  # pieces of about one size that a long build joins on its way
_LOOKS = 64  # queries that one thread asks the new documents for at once
MAX_SEGMENTS = 4  # a search asks every segment; past this they are joined


@dataclass(frozen=True)
class Plan:
    """What a build has to do."""

    build: Build
    fresh: bool  # a new epoch: nothing visible is kept
    missing: Int64Array  # queries without a row
    stale: Int64Array  # queries whose row is out of date
    done: int  # rows that an interrupted build has finished
    moved: bool  # documents have come or gone since the rows were made
    generation: int  # of the index that was looked at

    @property
    def needed(self) -> bool:
        """Whether anything would change."""
        return self.fresh or self.moved or self.done > 0 or len(self.todo) > 0

    @property
    def todo(self) -> Int64Array:
        """The queries to expand, by number."""
        return np.union1d(self.missing, self.stale)


def plan(index: Index, repository: Repository, measure: VectorMeasure, rebuild: bool) -> Plan:
    """Find out what is missing or stale; `measure` asks the corpus as it is now."""
    committed, in_progress = index.committed, index.in_progress
    today = _today(measure, repository)
    fresh = (
        rebuild
        or committed is None
        or (committed.index_settings, committed.source_ids) != (today.index_settings, today.source_ids)
    )
    if fresh or committed is None:
        target, missing, stale = today, repository.live_ids(), np.zeros(0, np.int64)
    else:
        kept = committed.statistics_version, committed.statistics, committed.space
        target = replace(today, statistics_version=kept[0], statistics=kept[1], space=kept[2])
        missing = index.missing(repository)
        stale = _stale(index, repository, with_pinned_statistics(measure, index), committed)
    done = 0
    if in_progress and _same(in_progress, target):
        finished = np.concatenate(
            [IndexSegment(index.store.part(name)).query_ids for name in in_progress.segments]
        )
        missing, stale = np.setdiff1d(missing, finished), np.setdiff1d(stale, finished)
        target, done = in_progress, len(finished)
    moved = committed is not None and committed.corpus_version != today.corpus_version
    return Plan(target, fresh, missing, stale, done, moved, index.generation)


def _today(measure: VectorMeasure, repository: Repository) -> Build:
    """A build from nothing over the corpus and the repository as they are."""
    corpus = measure.expander.corpus
    version = corpus.statistics.version
    return Build(
        index_settings=settings(measure),
        statistics_version=version,
        statistics="",
        space=measure.encode([]).space,
        source_ids=source_ids(corpus, repository),
        corpus_version=version,
        next_doc_id=corpus.next_doc_id,
        vocabulary_size=corpus.vocabulary.count,
        truncation_error=measure.truncation_error,
    )


def _same(in_progress: Build, target: Build) -> bool:
    """Whether the finished work of an interrupted build is part of this one."""
    return replace(in_progress, statistics="", segments=[]) == replace(target, statistics="", segments=[])


def source_ids(corpus: Corpus, repository: Repository) -> str:
    """The corpus and the repository that rows are made from: others in the same place are not these."""
    return f"{corpus.store_id} {repository.store_id}"


def settings(measure: VectorMeasure) -> str:
    """The parameters that rows depend on: the measure's, and those of the expansion if it asks for one."""
    asks = measure.expander
    expansion = f" window={asks.window} min_idf_coverage={asks.idf_coverage} bm25={K1},{B},{TITLE_BONUS}"
    return measure.index_settings + (expansion if isinstance(measure, ExpansionMeasure) else "")


def with_pinned_statistics(measure: VectorMeasure, index: Index) -> VectorMeasure:
    """The measure as the index needs it: today's documents under the statistics its rows were made with."""
    if (
        index.committed is None
        or index.committed.statistics_version == measure.expander.corpus.statistics.version
    ):
        return measure
    asks = measure.expander
    engine = asks.engine
    if isinstance(engine, CorpusEngine):
        engine = engine.with_statistics(index.statistics)
    corpus = asks.corpus.with_statistics(index.statistics)
    return replace(measure, expander=Expander(corpus, engine, asks.window, asks.idf_coverage))


def run(
    work: Plan, index: Index, repository: Repository, measure: VectorMeasure, done: Callable[[int], None]
) -> None:
    """Make the rows that a plan asks for and show them to readers when all are there."""
    with index.store.writing():
        if index.store.manifest().generation != work.generation:
            raise WorkspaceError("another build has finished meanwhile; run querykin build again")
        build = work.build
        if not build.statistics:
            build = replace(build, statistics=_freeze(index, measure))
        asking = measure if work.fresh else with_pinned_statistics(measure, index)
        todo = work.todo
        for begin in range(0, len(todo), measure.batch):
            query_ids = todo[begin : begin + measure.batch]
            name = index.store.new_part("segment")
            _write_rows(index, name, query_ids, repository.queries(query_ids), asking, done)
            build = replace(build, segments=_gathered(index, [*build.segments, name]))
            index.commit(index.committed, build)
        kept = [] if work.fresh or index.committed is None else index.committed.segments
        most = len(todo) + work.done > sum(len(segment) for segment in index.segments)
        build = replace(build, segments=_tidied(index, [*kept, *build.segments], repository, most))
        index.commit(build, None)


def _freeze(index: Index, measure: VectorMeasure) -> str:
    part = index.store.new_part("statistics")
    measure.expander.corpus.statistics.save(index.store.part(part))
    return part


def _write_rows(
    index: Index,
    name: str,
    query_ids: Int64Array,
    texts: Sequence[str],
    measure: VectorMeasure,
    done: Callable[[int], None],
) -> None:
    def rows(chunk: Sequence[str]) -> tuple[Vectors, Int64Array, Int64Array, Float64Array]:
        made = measure.encode_batch(chunk), *_provenance(measure, chunk)
        done(len(chunk))
        return made

    made, counts, documents, last_scores = zip(*thread_map(rows, measure.chunks(texts)), strict=True)
    vectors = concatenate(made)
    write(
        index.store.part(name),
        query_ids,
        vectors,
        measure.candidate_stats(vectors),
        make_indptr(np.concatenate(counts)),
        np.concatenate(documents),
        np.concatenate(last_scores),
        measure.layout,
    )


def _provenance(measure: VectorMeasure, texts: Sequence[str]) -> tuple[Int64Array, Int64Array, Float64Array]:
    """How many documents stand behind each row, which, and the score a new one would have to beat."""
    if not isinstance(measure, ExpansionMeasure):
        none = np.zeros(len(texts), np.int64)
        return none, np.zeros(0, np.int64), np.full(len(texts), np.inf)
    _, results, _ = measure.expander.search(texts, measure.results)
    sizes = np.diff(results.indptr)
    last = np.zeros(len(texts))
    full = sizes == measure.results  # with fewer results any document that matches would enter
    last[full] = results.scores[results.indptr[1:][full] - 1]
    return sizes, results.documents, last


def _stale(index: Index, repository: Repository, measure: VectorMeasure, committed: Build) -> Int64Array:
    """Queries whose documents have changed since their row was made."""
    corpus, engine = measure.expander.corpus, measure.expander.engine
    if not isinstance(measure, ExpansionMeasure) or not isinstance(engine, CorpusEngine):
        return np.zeros(0, np.int64)
    live_ids = np.zeros(max(corpus.next_doc_id, committed.next_doc_id), np.bool_)
    for part in corpus.segments:
        live_ids[part.doc_ids[part.live(corpus.tombstones)]] = True
    found = [np.zeros(0, np.int64)]
    for segment, live in zip(index.segments, index.live(repository), strict=True):
        owners, documents = segment.documents()
        lost = np.zeros(len(segment), np.bool_)
        lost[owners[~live_ids[documents]]] = True
        entered = np.zeros(len(segment), np.bool_)
        rows = np.flatnonzero(live & ~lost)
        if corpus.next_doc_id > committed.next_doc_id:
            entered[rows] = _entered(engine, corpus, repository, segment, rows, committed)
        found.append(segment.query_ids[live & (lost | entered)].astype(np.int64))
    return np.unique(np.concatenate(found))


def _entered(
    engine: CorpusEngine,
    corpus: Corpus,
    repository: Repository,
    segment: IndexSegment,
    rows: Int64Array,
    committed: Build,
) -> BoolArray:
    """For which rows a new document scores better than the last one behind the row, or made a word known."""

    def look(part: Int64Array) -> Int64Array:
        queries = parse(repository.queries(segment.query_ids[part]), corpus)
        results = engine.search_documents(queries, 1, since=committed.next_doc_id)
        owners = np.repeat(np.arange(len(part)), np.diff(results.indptr))
        better = owners[results.scores > segment.last_scores[part][owners]]
        learnt = np.repeat(np.arange(len(part)), np.diff(queries.indptr))[
            queries.stems >= committed.vocabulary_size
        ]
        return np.bincount(np.concatenate([better, learnt]), minlength=len(part))

    parts = [rows[i : i + _LOOKS] for i in range(0, len(rows), _LOOKS)]
    return np.concatenate([np.zeros(0, np.int64), *thread_map(look, parts)]) > 0


def _gathered(index: Index, names: list[str]) -> list[str]:
    """Join the latest pieces of a build when there are many of about one size: files are not endless."""
    while len(names) >= PIECES:
        latest = [IndexSegment(index.store.part(name)) for name in names[-PIECES:]]
        if len(latest[0]) > 2 * len(latest[-2]):
            break
        joined = index.store.new_part("segment")
        join(index.store.part(joined), latest, [np.ones(len(segment), np.bool_) for segment in latest])
        names = [*names[:-PIECES], joined]
    return names


def _tidied(index: Index, names: list[str], repository: Repository, most: bool) -> list[str]:
    """Join segments when they are many: all of them when most rows are new, else the smallest neighbours."""
    while len(names) > MAX_SEGMENTS:
        segments = [IndexSegment(index.store.part(name)) for name in names]
        newest = newest_rows(segments)
        live = [
            mask & in_repository(segment, repository) for mask, segment in zip(newest, segments, strict=True)
        ]
        smallest = min(range(len(names) - 1), key=lambda i: len(segments[i]) + len(segments[i + 1]))
        part = slice(0, len(names)) if most else slice(smallest, smallest + 2)
        joined = index.store.new_part("segment")
        join(index.store.part(joined), segments[part], live[part])
        names = [*names[: part.start], joined, *names[part.stop :]]
    return names
