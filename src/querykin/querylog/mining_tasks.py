"""Query mining in tasks: phrases are counted in runs of documents, then summed by ranges of hashes.

Hashes are spread evenly, so that ranges of them are shares of the phrases of about the same size, however
frequent some phrases are.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from querykin.corpus.corpus import Corpus
from querykin.corpus.segment import Indexer
from querykin.distributed.task_progress import ordered_results
from querykin.distributed.task_runner import Result, Task, TaskRunner
from querykin.progress import Progress
from querykin.querylog.phrase_counting import (
    BATCH_TOKENS,
    CountedPhrases,
    boundary_words,
    count_phrases,
    document_runs,
    frequent_phrases,
)
from querykin.querylog.title_mining import document_frequency, titles
from querykin.storage.shared_folders import wait_for_generation
from querykin.storage.store import Store

MAX_PHRASES = 1 << 22  # of all runs, summed by one task
_RUNS_PER_SLOT = 4
_MIN_RUN = 1 << 18  # tokens


class Run(NamedTuple):
    """Documents of one segment."""

    segment: int
    begin: int
    end: int


class HashRange(NamedTuple):
    """The phrases of a length whose hashes are in a range."""

    size: int
    first: int
    last: int


@dataclass(frozen=True)
class _CorpusTask:
    """What all tasks need: the corpus as it was, and the store for their parts."""

    corpus: Path
    indexer: Callable[[Path], Indexer]
    generation: int
    store: Path
    kind: str

    def _open(self) -> tuple[Corpus, Store]:
        wait_for_generation(self.corpus, self.generation)
        return Corpus(self.corpus, self.indexer), Store(self.store, self.kind)


@dataclass(frozen=True)
class CountPhrases(_CorpusTask):
    """The task function of the first pass: a run to the name of the part with its phrases."""

    sizes: Sequence[int]

    def __call__(self, run: Run) -> str:
        """Count the phrases of a run of documents."""
        corpus, store = self._open()
        boundary, segment = boundary_words(corpus), corpus.segments[run.segment]
        name = store.new_part("run")
        for size in self.sizes:
            found = count_phrases(corpus, segment, run.begin, run.end, size, boundary)
            found.save(store.part(name))
        return name


@dataclass(frozen=True)
class SumPhrases(_CorpusTask):
    """The task function of the second pass: a range of hashes to the name of the part with their phrases."""

    runs: Sequence[str]

    def __call__(self, hashes: HashRange) -> str:
        """Sum the phrases of all runs, and keep the frequent ones."""
        store = Store(self.store, self.kind)
        parts = (CountedPhrases.open(store.part(run), hashes.size) for run in self.runs)
        name = store.new_part("phrases")
        found = frequent_phrases([part.between(hashes.first, hashes.last) for part in parts])
        found.save(store.part(name))
        return name


@dataclass(frozen=True)
class FindTitles(_CorpusTask):
    """The task function for titles: a run to its most frequent titles with their document frequencies."""

    phrases: str  # part
    sizes: Sequence[int]
    limit: int

    def __call__(self, run: Run) -> list[tuple[str, int]]:
        """The titles of a run of documents that may be among the most frequent of all."""
        corpus, store = self._open()
        by_size = {size: CountedPhrases.open(store.part(self.phrases), size) for size in self.sizes}
        found = {
            title: document_frequency(corpus, by_size, title)
            for title in titles(corpus, corpus.segments[run.segment], run.begin, run.end)
        }
        return sorted(found.items(), key=lambda item: (-item[1], item[0]))[: self.limit]


class MiningTasks:
    """The tasks that mine queries from a corpus; their parts are not kept."""

    def __init__(self, corpus: Corpus, scratch: Store, runner: TaskRunner, progress: Progress) -> None:
        self._corpus, self._store, self._runner, self._progress = corpus, scratch, runner, progress
        common = (corpus.path.absolute(), corpus.indexer, corpus.generation)
        self._common = (*common, scratch.path.absolute(), scratch.kind)
        total = sum(len(segment.tokens) for segment in corpus.segments)
        size = min(max(total // (_RUNS_PER_SLOT * runner.slots), _MIN_RUN), BATCH_TOKENS)
        self._runs = [
            Run(number, begin, end)
            for number, segment in enumerate(corpus.segments)
            for begin, end in document_runs(segment, size)
        ]
        self._phrases = ""

    def phrases(self, sizes: Sequence[int]) -> dict[int, CountedPhrases]:
        """The frequent phrases of each length, sorted by hash."""
        counting = CountPhrases(*self._common, sizes)
        runs = self._results(counting, self._runs, "counting phrases")
        ranges = [each for size in sizes for each in self._hash_ranges(runs, size)]
        sums = self._results(SumPhrases(*self._common, runs), ranges, "summing phrases")
        self._phrases = self._store.new_part("phrases")
        by_size = {}
        for size in sizes:
            parts = [
                CountedPhrases.open(self._store.part(name), size)
                for each, name in zip(ranges, sums, strict=True)
                if each.size == size
            ]
            columns = zip(*(vars(part).values() for part in parts), strict=True)
            by_size[size] = CountedPhrases(*map(np.concatenate, columns))
            by_size[size].save(self._store.part(self._phrases))
        return by_size

    def _hash_ranges(self, runs: Sequence[str], size: int) -> Iterator[HashRange]:
        """Ranges of 64-bit hashes with a bounded number of phrases each."""
        total = sum(len(CountedPhrases.open(self._store.part(run), size).hashes) for run in runs)
        shares = max(1, -(-total // MAX_PHRASES))
        borders = [-(1 << 63) + (1 << 64) * share // shares for share in range(shares + 1)]
        for first, end in pairwise(borders):
            yield HashRange(size, first, end - 1)

    def titles(self, sizes: Sequence[int], limit: int) -> Iterator[tuple[str, int]]:
        """The titles with the highest document frequencies, once `phrases` has counted; some repeatedly."""
        finding = FindTitles(*self._common, self._phrases, sizes, limit)
        for found in ordered_results(self._runner, finding, self._runs, self._progress, "reading titles"):
            yield from found

    def _results(self, function: Callable[[Task], Result], tasks: Sequence[Task], title: str) -> list[Result]:
        return list(ordered_results(self._runner, function, tasks, self._progress, title))
