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
from querykin.engines.tantivy import TantivyEngine
from querykin.errors import WorkspaceError
from querykin.expansion import Expander
from querykin.index.index import Build, Index
from querykin.index.segment import Segment, join, write
from querykin.measures.base import CHUNK, ExpandedMeasure, VectorMeasure
from querykin.repository import Repository
from querykin.vectors import Vectors
from querykin.vectors import join as join_vectors

BATCH = 64 * CHUNK  # rows of a pending segment: what a kill can cost at most
PIECES = 16  # pieces of about one size that a long build joins on its way
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
    corpus = measure.expander.corpus
    visible, pending = index.visible, index.pending
    fresh = rebuild or visible is None or visible.measure != settings(measure)
    if fresh or visible is None:
        target = Build(settings(measure), corpus.statistics.epoch, "", *_state(corpus))
        missing, stale = repository.living(), np.zeros(0, np.int64)
    else:
        target = Build(visible.measure, visible.epoch, visible.statistics, *_state(corpus))
        missing = np.setdiff1d(repository.living(), index.numbers())
        stale = _stale(index, repository, frozen(measure, index), visible)
    done = 0
    if pending and (pending.measure, pending.epoch, pending.generation) == (
        target.measure, target.epoch, target.generation,
    ):  # fmt: skip
        finished = np.concatenate([Segment(index.store.part(name)).numbers for name in pending.segments])
        missing, stale = np.setdiff1d(missing, finished), np.setdiff1d(stale, finished)
        target, done = pending, len(finished)
    moved = visible is not None and visible.generation != corpus.generation
    return Plan(target, fresh, missing, stale, done, moved, index.generation)


def _state(corpus: Corpus) -> tuple[int, int, int]:
    return corpus.generation, corpus.next_serial, corpus.vocabulary.count


def settings(measure: VectorMeasure) -> str:
    """The parameters that rows depend on: those of the measure, and of the expansion if it asks for one."""
    asks = measure.expander
    expansion = f" window={asks.window} held_mass={asks.held_mass}"
    return repr(measure) + (expansion if isinstance(measure, ExpandedMeasure) else "")


def frozen(measure: VectorMeasure, index: Index) -> VectorMeasure:
    """The measure as the index needs it: today's documents under the statistics its rows were made with."""
    if index.visible is None or index.visible.epoch == measure.expander.corpus.statistics.epoch:
        return measure
    corpus = measure.expander.corpus.weighted_by(index.statistics)
    asks = measure.expander
    return replace(measure, expander=Expander(corpus, TantivyEngine(corpus), asks.window, asks.held_mass))


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
        for begin in range(0, len(work.todo), BATCH):
            numbers = work.todo[begin : begin + BATCH]
            name = index.store.new_part("segment")
            _write_rows(index, name, numbers, repository.queries(numbers), asking, done)
            build = replace(build, segments=_gathered(index, [*build.segments, name]))
            index.commit(index.visible, build)
        kept = [] if work.fresh or index.visible is None else index.visible.segments
        build = replace(build, segments=_tidied(index, [*kept, *build.segments], repository))
        index.commit(build, None)


def _freeze(index: Index, measure: VectorMeasure) -> str:
    part = index.store.new_part("statistics")
    measure.expander.corpus.statistics.save(index.store.part(part))
    return part


def _write_rows(index: Index, name: str, numbers: Longs, texts: Sequence[str], measure: VectorMeasure,
                done: Callable[[int], None]) -> None:  # fmt: skip
    chunks = [texts[i : i + CHUNK] for i in range(0, len(texts), CHUNK)]

    def rows(chunk: Sequence[str]) -> tuple[Vectors, Longs, Longs, Reals]:
        made = measure.encode_chunk(chunk), *_evidence(measure, chunk)
        done(len(chunk))
        return made

    vectors, sizes, documents, last_scores = zip(*in_threads(rows, chunks), strict=True)
    write(index.store.part(name), numbers, join_vectors(vectors), ragged(np.concatenate(sizes)),
          np.concatenate(documents), np.concatenate(last_scores))  # fmt: skip


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
    corpus = measure.expander.corpus
    if not isinstance(measure, ExpandedMeasure) or corpus.generation == visible.generation:
        return np.zeros(0, np.int64)
    living = np.concatenate([s.serials[s.alive(corpus.dead)] for s in corpus.segments])
    found = [np.zeros(0, np.int64)]
    for segment, alive in zip(index.segments, index.alive(repository), strict=True):
        owners = np.repeat(np.arange(len(segment)), np.diff(segment.document_first))
        lost = np.zeros(len(segment), np.bool_)
        lost[owners[~np.isin(segment.documents, living)]] = True
        entered = np.zeros(len(segment), np.bool_)
        rows = np.flatnonzero(alive & ~lost)
        if corpus.next_serial > visible.next_serial:
            entered[rows] = _entered(measure, repository, segment, rows, visible)
        found.append(segment.numbers[alive & (lost | entered)])
    return np.unique(np.concatenate(found))


def _entered(measure: VectorMeasure, repository: Repository, segment: Segment, rows: Longs,
             visible: Build) -> Bools:  # fmt: skip
    """For which rows a new document scores better than the last one behind the row, or made a word known."""

    def look(part: Longs) -> Longs:
        texts = repository.queries(segment.numbers[part])
        queries, results, _ = measure.expander.search(texts)
        owners = np.repeat(np.arange(len(part)), np.diff(results.first))
        new = results.documents >= visible.next_serial
        better = owners[new & (results.scores > segment.last_scores[part][owners])]
        learnt = np.repeat(np.arange(len(part)), np.diff(queries.first))[queries.stems >= visible.words]
        return np.bincount(np.concatenate([better, learnt]), minlength=len(part))

    parts = [rows[i : i + CHUNK] for i in range(0, len(rows), CHUNK)]
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


def _tidied(index: Index, names: list[str], repository: Repository) -> list[str]:
    """Join the segments when they are many: the pieces of a long build become one."""
    if len(names) <= MOST_SEGMENTS:
        return names
    segments = [Segment(index.store.part(name)) for name in names]
    later, alive = np.zeros(0, np.int64), []
    for segment in reversed(segments):
        alive.append(~np.isin(segment.numbers, later) & (repository.counts[segment.numbers] > 0))
        later = np.concatenate([later, segment.numbers])
    joined = index.store.new_part("segment")
    join(index.store.part(joined), segments, alive[::-1])
    return [joined]
