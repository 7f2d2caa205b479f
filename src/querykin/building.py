"""What is missing or stale? Rows of a repository brought up to date, batch by batch.

A row is made once. It grows stale when one of its documents is gone, when a new document would enter its
results or when one makes a word of the query known; the statistics that weigh it stay those of the build it
belongs to until a new build is asked for. Finished batches are kept in the index as `pending`, so that a
killed build goes on where it stopped, and become visible to readers together, in one step.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from querykin.compiled import Bools, Longs, Reals, in_threads, ragged
from querykin.corpus.corpus import Corpus
from querykin.engines.base import CorpusEngine
from querykin.engines.queries import parse
from querykin.engines.ranking import K1, TITLE_BONUS, B
from querykin.errors import WorkspaceError
from querykin.expansion import Expander
from querykin.index.index import Build, Index, asked_for, newest_rows
from querykin.index.segment import Segment, join, write
from querykin.measures.base import ExpandedMeasure, VectorMeasure
from querykin.repository import Repository
from querykin.vectors import Vectors
from querykin.vectors import join as join_vectors

PIECES = 16  # pieces of about one size that a long build joins on its way
_LOOKS = 64  # queries that one thread asks the new documents for at once
MOST_SEGMENTS = 4  # a search asks every segment; past this they are joined


@dataclass(frozen=True)
class Plan:
    """What a build has to do."""

    build: Build
    fresh: bool  # a new epoch: nothing visible is kept
    missing: Longs  # queries without a row
    stale: Longs  # queries whose row is out of date
    done: int  # rows that an interrupted build has finished
    moved: bool  # documents have come or gone since the rows were made
    generation: int  # of the index that was looked at

    @property
    def needed(self) -> bool:
        """Whether anything would change."""
        return self.fresh or self.moved or self.done > 0 or len(self.todo) > 0

    @property
    def todo(self) -> Longs:
        """The queries to expand, by number."""
        return np.union1d(self.missing, self.stale)


def plan(index: Index, repository: Repository, measure: VectorMeasure, rebuild: bool) -> Plan:
    """Find out what is missing or stale; `measure` asks the corpus as it is now."""
    visible, pending = index.visible, index.pending
    today = _today(measure, repository)
    fresh = rebuild or visible is None or (visible.measure, visible.lineage) != (today.measure, today.lineage)
    if fresh or visible is None:
        target, missing, stale = today, repository.living(), np.zeros(0, np.int64)
    else:
        kept = visible.epoch, visible.statistics, visible.space
        target = replace(today, epoch=kept[0], statistics=kept[1], space=kept[2])
        missing = index.missing(repository)
        stale = _stale(index, repository, frozen(measure, index), visible)
    done = 0
    if pending and _same(pending, target):
        finished = np.concatenate([Segment(index.store.part(name)).numbers for name in pending.segments])
        missing, stale = np.setdiff1d(missing, finished), np.setdiff1d(stale, finished)
        target, done = pending, len(finished)
    moved = visible is not None and visible.state != today.state
    return Plan(target, fresh, missing, stale, done, moved, index.generation)


def _today(measure: VectorMeasure, repository: Repository) -> Build:
    """A build from nothing over the corpus and the repository as they are."""
    corpus = measure.expander.corpus
    epoch = corpus.statistics.epoch
    return Build(
        measure=settings(measure),
        epoch=epoch,
        statistics="",
        space=measure.encode([]).space,
        lineage=lineage(corpus, repository),
        state=epoch,
        next_serial=corpus.next_serial,
        words=corpus.vocabulary.count,
        lost_mass=measure.lost_mass,
    )


def _same(pending: Build, target: Build) -> bool:
    """Whether the finished work of an interrupted build is part of this one."""
    return replace(pending, statistics="", segments=[]) == replace(target, statistics="", segments=[])


def lineage(corpus: Corpus, repository: Repository) -> str:
    """The corpus and the repository that rows are made from: others in the same place are not these."""
    return f"{corpus.lineage} {repository.lineage}"


def settings(measure: VectorMeasure) -> str:
    """The parameters that rows depend on: the measure's, and those of the expansion if it asks for one."""
    asks = measure.expander
    expansion = f" window={asks.window} held_mass={asks.held_mass} bm25={K1},{B},{TITLE_BONUS}"
    return measure.row_settings + (expansion if isinstance(measure, ExpandedMeasure) else "")


def frozen(measure: VectorMeasure, index: Index) -> VectorMeasure:
    """The measure as the index needs it: today's documents under the statistics its rows were made with."""
    if index.visible is None or index.visible.epoch == measure.expander.corpus.statistics.epoch:
        return measure
    asks = measure.expander
    engine = asks.engine
    if isinstance(engine, CorpusEngine):
        engine = engine.weighted_by(index.statistics)
    corpus = asks.corpus.weighted_by(index.statistics)
    return replace(measure, expander=Expander(corpus, engine, asks.window, asks.held_mass))


def run(work: Plan, index: Index, repository: Repository, measure: VectorMeasure,
        done: Callable[[int], None]) -> None:  # fmt: skip
    """Make the rows that a plan asks for and show them to readers when all are there."""
    with index.store.writing():
        if index.store.manifest().generation != work.generation:
            raise WorkspaceError("another build has finished meanwhile; run querykin build again")
        build = work.build
        if not build.statistics:
            build = replace(build, statistics=_freeze(index, measure))
        asking = measure if work.fresh else frozen(measure, index)
        todo = work.todo
        for begin in range(0, len(todo), measure.batch):
            numbers = todo[begin : begin + measure.batch]
            name = index.store.new_part("segment")
            _write_rows(index, name, numbers, repository.queries(numbers), asking, done)
            build = replace(build, segments=_gathered(index, [*build.segments, name]))
            index.commit(index.visible, build)
        kept = [] if work.fresh or index.visible is None else index.visible.segments
        most = len(todo) + work.done > sum(len(segment) for segment in index.segments)
        build = replace(build, segments=_tidied(index, [*kept, *build.segments], repository, most))
        index.commit(build, None)


def _freeze(index: Index, measure: VectorMeasure) -> str:
    part = index.store.new_part("statistics")
    measure.expander.corpus.statistics.save(index.store.part(part))
    return part


def _write_rows(index: Index, name: str, numbers: Longs, texts: Sequence[str], measure: VectorMeasure,
                done: Callable[[int], None]) -> None:  # fmt: skip
    def rows(chunk: Sequence[str]) -> tuple[Vectors, Longs, Longs, Reals]:
        made = measure.encode_chunk(chunk), *_evidence(measure, chunk)
        done(len(chunk))
        return made

    made, counts, documents, last_scores = zip(*in_threads(rows, measure.chunks(texts)), strict=True)
    vectors = join_vectors(made)
    write(index.store.part(name), numbers, vectors, measure.sizes(vectors), ragged(np.concatenate(counts)),
          np.concatenate(documents), np.concatenate(last_scores), measure.form)  # fmt: skip


def _evidence(measure: VectorMeasure, texts: Sequence[str]) -> tuple[Longs, Longs, Reals]:
    """How many documents stand behind each row, which, and the score a new one would have to beat."""
    if not isinstance(measure, ExpandedMeasure):
        none = np.zeros(len(texts), np.int64)
        return none, np.zeros(0, np.int64), np.full(len(texts), np.inf)
    _, results, _ = measure.expander.search(texts, measure.results)
    sizes = np.diff(results.first)
    last = np.zeros(len(texts))
    full = sizes == measure.results  # with fewer results any document that matches would enter
    last[full] = results.scores[results.first[1:][full] - 1]
    return sizes, results.documents, last


def _stale(index: Index, repository: Repository, measure: VectorMeasure, visible: Build) -> Longs:
    """Queries whose documents have changed since their row was made."""
    corpus, engine = measure.expander.corpus, measure.expander.engine
    if not isinstance(measure, ExpandedMeasure) or not isinstance(engine, CorpusEngine):
        return np.zeros(0, np.int64)
    living = np.zeros(max(corpus.next_serial, visible.next_serial), np.bool_)
    for part in corpus.segments:
        living[part.serials[part.alive(corpus.dead)]] = True
    found = [np.zeros(0, np.int64)]
    for segment, alive in zip(index.segments, index.alive(repository), strict=True):
        owners, documents = segment.documents()
        lost = np.zeros(len(segment), np.bool_)
        lost[owners[~living[documents]]] = True
        entered = np.zeros(len(segment), np.bool_)
        rows = np.flatnonzero(alive & ~lost)
        if corpus.next_serial > visible.next_serial:
            entered[rows] = _entered(engine, corpus, repository, segment, rows, visible)
        found.append(segment.numbers[alive & (lost | entered)].astype(np.int64))
    return np.unique(np.concatenate(found))


def _entered(engine: CorpusEngine, corpus: Corpus, repository: Repository, segment: Segment, rows: Longs,
             visible: Build) -> Bools:  # fmt: skip
    """For which rows a new document scores better than the last one behind the row, or made a word known."""

    def look(part: Longs) -> Longs:
        queries = parse(repository.queries(segment.numbers[part]), corpus)
        results = engine.search_ids(queries, 1, since=visible.next_serial)
        owners = np.repeat(np.arange(len(part)), np.diff(results.first))
        better = owners[results.scores > segment.last_scores[part][owners]]
        learnt = np.repeat(np.arange(len(part)), np.diff(queries.first))[queries.stems >= visible.words]
        return np.bincount(np.concatenate([better, learnt]), minlength=len(part))

    parts = [rows[i : i + _LOOKS] for i in range(0, len(rows), _LOOKS)]
    return np.concatenate([np.zeros(0, np.int64), *in_threads(look, parts)]) > 0


def _gathered(index: Index, names: list[str]) -> list[str]:
    """Join the latest pieces of a build when there are many of about one size: files are not endless."""
    while len(names) >= PIECES:
        latest = [Segment(index.store.part(name)) for name in names[-PIECES:]]
        if len(latest[0]) > 2 * len(latest[-2]):
            break
        joined = index.store.new_part("segment")
        join(index.store.part(joined), latest, [np.ones(len(segment), np.bool_) for segment in latest])
        names = [*names[:-PIECES], joined]
    return names


def _tidied(index: Index, names: list[str], repository: Repository, most: bool) -> list[str]:
    """Join segments when they are many: all of them when most rows are new, else the smallest neighbours."""
    while len(names) > MOST_SEGMENTS:
        segments = [Segment(index.store.part(name)) for name in names]
        newest = newest_rows(segments)
        alive = [
            mask & asked_for(segment, repository) for mask, segment in zip(newest, segments, strict=True)
        ]
        smallest = min(range(len(names) - 1), key=lambda i: len(segments[i]) + len(segments[i + 1]))
        part = slice(0, len(names)) if most else slice(smallest, smallest + 2)
        joined = index.store.new_part("segment")
        join(index.store.part(joined), segments[part], alive[part])
        names = [*names[: part.start], joined, *names[part.stop :]]
    return names
