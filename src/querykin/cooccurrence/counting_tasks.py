"""Co-occurrence counting in tasks: runs of documents are counted, then ranges of units are summed.

A task of the first pass counts all units in a run of documents and writes their rows. A task of the second
pass sums the rows of some units over all runs. Its pairs of a unit and a context are bounded: a unit with
more pairs than that is shared out among tasks by its context words. The sums are those of one pass over all
documents.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from querykin.compute.arrays import Int32Array, Int64Array, make_indptr
from querykin.cooccurrence.count_files import KINDS, CountWriter, Rows, write_counts
from querykin.cooccurrence.counting import Documents, DocumentTokens, UnitCounts, unit_ranges
from querykin.cooccurrence.phrases import Phrases
from querykin.corpus.segment import CorpusSegment
from querykin.distributed.task_progress import ordered_results
from querykin.distributed.task_runner import Task, TaskRunner
from querykin.progress import Progress
from querykin.storage.array_files import load, save
from querykin.storage.shared_folders import wait_for_generation
from querykin.storage.store import Store

MAX_PAIRS = 1 << 23  # of a unit and a context, summed by one task: about 300 MB
_RUNS_PER_SLOT = 4
_MIN_RUN, _MAX_RUN = 1 << 18, 1 << 26  # tokens: a run has an offset for every unit


class Run(NamedTuple):
    """Documents of one segment that a task counts."""

    segment: Path
    ordinals: str  # file of the part with the ordinals of all documents of the segment that are counted
    begin: int  # of the ordinals
    end: int


@dataclass(frozen=True)
class CountRun:
    """The task function of the first pass: a run to the name of the part with its counts."""

    store: Path
    generation: int  # of the counts
    inputs: str  # part with the hashes of words, the phrases, and the ordinals of documents
    distance: int
    max_bytes: int

    def __call__(self, run: Run) -> str:
        """Count a run of documents."""
        wait_for_generation(self.store, self.generation)
        store = Store(self.store, "cooccurrence")
        inputs = store.part(self.inputs)
        ordinals = load(inputs, run.ordinals, types=np.int64)[run.begin : run.end]
        hashes = load(inputs, "hashes", types=np.int64)
        segment = CorpusSegment(run.segment, len(hashes))
        tokens = DocumentTokens(segment.tokens_of(ordinals), segment.indptr, ordinals)
        documents = Documents([tokens], hashes)
        name = store.new_part("run")
        write_counts(store.part(name), documents, Phrases.open(inputs), self.distance, self.max_bytes)
        return name


class Pairs(NamedTuple):
    """The pairs that a task sums: of the units from `low` to `high`, those with contexts in a range."""

    low: int
    high: int
    first_context: int
    end_context: int


@dataclass(frozen=True)
class SumPairs:
    """The task function of the second pass: pairs to the name of the part with their sums."""

    store: Path
    runs: Sequence[str]  # parts of the first pass
    kind: str  # words or phrases

    def __call__(self, pairs: Pairs) -> str:
        """Sum the counts of pairs over all runs."""
        store = Store(self.store, "cooccurrence")
        width = pairs.end_context - pairs.first_context
        keys, counts = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        marginals = np.zeros(pairs.high - pairs.low, np.int64)
        for run in self.runs:
            rows = Rows(store.part(run), self.kind)
            indptr = rows.indptr[pairs.low : pairs.high + 1]
            contexts = rows.contexts[indptr[0] : indptr[-1]]
            inside = (contexts >= pairs.first_context) & (contexts < pairs.end_context)
            units = np.repeat(np.arange(pairs.high - pairs.low), np.diff(indptr))[inside]
            keys.append(units * width + (contexts[inside] - pairs.first_context))
            counts.append(rows.counts[indptr[0] : indptr[-1]][inside].astype(np.int64))
            marginals += rows.marginals[pairs.low : pairs.high]
        name = store.new_part("pairs")
        found = _sums(np.concatenate(keys), np.concatenate(counts), width, marginals, pairs.first_context)
        save(store.part(name), **{field: getattr(found, field) for field in found.__slots__})
        return name


def _sums(
    keys: Int64Array, counts: Int64Array, width: int, marginals: Int64Array, first_context: int
) -> UnitCounts:
    order = np.argsort(keys, kind="stable")  # merges the runs, each of which is sorted
    keys, counts = keys[order], counts[order]
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    distinct = keys[first]
    sums = np.add.reduceat(counts, first) if len(first) else counts
    sizes = np.bincount(distinct // width, minlength=len(marginals))
    contexts: Int32Array = (distinct % width + first_context).astype(np.int32)
    return UnitCounts(sizes, marginals, contexts, sums.astype(np.int32))


@dataclass(frozen=True)
class TaskCounting:
    """Counts documents in two passes of tasks; parts that are not kept go to the same store."""

    store: Store
    runner: TaskRunner
    progress: Progress

    def write(
        self,
        folder: Path,
        segments: Sequence[tuple[Path, Documents]],
        phrases: Phrases,
        distance: int,
        max_bytes: int,
    ) -> None:
        """Write the counts of the documents of segments, each given with the folder it is in."""
        hashes = segments[0][1].hashes if segments else np.zeros(0, np.int64)
        inputs = self.store.new_part("inputs")
        save(self.store.part(inputs), hashes=hashes)
        phrases.save(self.store.part(inputs))
        runs = list(self._runs(segments, self.store.part(inputs)))
        path, generation = self.store.path.absolute(), self.store.manifest().generation
        counting = CountRun(path, generation, inputs, distance, max_bytes)
        counted = self._results(counting, runs, "counting co-occurrences")
        for kind in KINDS:
            units = len(hashes) if kind == "words" else len(phrases)
            pairs = self._partition(counted, kind, units, len(hashes))
            sums = self._results(SumPairs(path, counted, kind), pairs, f"summing the counts of {kind}")
            with CountWriter(folder, kind) as writer:
                for each, name in zip(pairs, sums, strict=True):
                    part = self.store.part(name)
                    found = UnitCounts(*(load(part, field) for field in UnitCounts.__slots__))
                    writer.append(found, continued=each.first_context > 0)

    def _results(self, function: Callable[[Task], str], tasks: Sequence[Task], title: str) -> list[str]:
        return list(ordered_results(self.runner, function, tasks, self.progress, title))

    def _runs(self, segments: Sequence[tuple[Path, Documents]], inputs: Path) -> Iterator[Run]:
        """Runs of documents with about equally many tokens; a longer document is a run of its own."""
        lengths = []
        for number, (_, documents) in enumerate(segments):
            (part,) = documents.parts
            save(inputs, **{f"ordinals-{number}": part.ordinals})
            lengths.append(part.indptr[part.ordinals + 1] - part.indptr[part.ordinals])
        total = sum(int(each.sum()) for each in lengths)
        size = min(max(total // (_RUNS_PER_SLOT * self.runner.slots), _MIN_RUN), _MAX_RUN)
        for number, (folder, _) in enumerate(segments):
            for begin, end in unit_ranges(make_indptr(lengths[number]), size):
                yield Run(folder.absolute(), f"ordinals-{number}", begin, end)

    def _partition(self, runs: Sequence[str], kind: str, units: int, words: int) -> list[Pairs]:
        """Shares of all pairs, each of bounded size."""
        sizes = np.zeros(units, np.int64)
        for run in runs:
            sizes += np.diff(Rows(self.store.part(run), kind, units).indptr)
        found: list[Pairs] = []
        for low, high in unit_ranges(make_indptr(sizes), MAX_PAIRS):
            shares = -(-int(sizes[low:high].sum()) // MAX_PAIRS) if high == low + 1 else 1
            borders = [0, *self._context_borders(runs, kind, low, shares), words]
            found += [Pairs(low, high, first, end) for first, end in pairwise(borders)]
        return found

    def _context_borders(self, runs: Sequence[str], kind: str, unit: int, shares: int) -> list[int]:
        """Words that divide the contexts of a unit into shares, by those of the run with the most."""
        if shares < 2:
            return []
        rows = [Rows(self.store.part(run), kind) for run in runs]
        largest = max(rows, key=lambda each: int(each.indptr[unit + 1] - each.indptr[unit]))
        contexts, _ = largest.row(unit)
        at = [len(contexts) * share // shares for share in range(1, shares)]
        return sorted({int(contexts[n]) for n in at} - {0})
