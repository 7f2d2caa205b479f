"""The neighbor graph of a repository: for each keyword its nearest keywords, best first, kept on disk.

It is computed once by searching for every keyword, down to a minimum score; clusterings at any threshold from
there on are read off it. Finished batches are committed, so that an interrupted computation continues.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NotRequired, TypeAlias

import numpy as np
from typing_extensions import TypedDict

from querykin.build_policy import NotBuilt
from querykin.compute.arrays import Float64Array, Int64Array, make_indptr
from querykin.distributed.task_runner import THIS_PROCESS, TaskRunner, in_order
from querykin.distributed.task_times import timed_results
from querykin.errors import DamagedFile, WorkspaceError
from querykin.index.ranking import Ranking
from querykin.progress import SILENT, Advance, Progress
from querykin.retrieval.retrievers import Retriever
from querykin.storage.array_files import finite, load, load_ascending, save, within
from querykin.storage.metadata import check_metadata
from querykin.storage.store import Manifest, Store

MAX_NEIGHBORS = 128  # of a keyword: the graph has at most 2 KiB a keyword
_SEARCHED = 512  # keywords searched for at once
_TASK = 2_048  # keywords of one task, of which a part has several
_COMMITTED = 16_384  # keywords in a part, whose search is not repeated after an interruption
OpenRetriever: TypeAlias = Callable[[], Retriever]  # pickled, it opens the same indexes elsewhere


class NoNeighborGraph(NotBuilt):
    """The keywords are not compared with each other by a measure, and the policy does not allow it now."""

    def __init__(self, measure: str) -> None:
        WorkspaceError.__init__(
            self,
            f"the keywords are not compared with each other by {measure} yet; "
            f"next: querykin cluster --measure {measure}",
        )


@dataclass(frozen=True)
class NeighborGraph:
    """The neighbors of keywords by position; each keyword's are sorted by descending score."""

    keywords: Int64Array  # the id of the query at each position, ascending
    indptr: Int64Array
    neighbors: Int64Array  # positions
    scores: Float64Array
    text_ranks: Int64Array  # the place of each keyword in the order of the texts

    def __len__(self) -> int:
        return len(self.keywords)


class _Metadata(TypedDict):
    """The metadata of the store."""

    provenance: str
    min_score: float
    batches: list[str]
    keywords: NotRequired[str]  # written when all batches are


class NeighborGraphStore:
    """The neighbor graph of a repository under one measure, on disk."""

    def __init__(self, path: Path) -> None:
        self._store = Store(path, "neighbors")
        self._store.read(self._load)

    def _load(self, manifest: Manifest) -> None:
        empty: _Metadata = {"provenance": "", "min_score": np.inf, "batches": []}
        metadata = check_metadata(self._store, manifest.metadata or empty, _Metadata)
        self.provenance, self.min_score = metadata["provenance"], metadata["min_score"]
        self._batches, self._keywords = metadata["batches"], metadata.get("keywords", "")

    def holds(self, provenance: str, threshold: float) -> bool:
        """Whether there is a graph with this provenance, and it reaches down to the threshold."""
        return bool(self._keywords) and self.provenance == provenance and self.min_score <= threshold

    def graph(self, query_ids: int) -> NeighborGraph:
        """The graph over a repository that has given out so many ids; `holds` must be true."""
        return self._store.read(lambda manifest: self._graph(manifest, query_ids))

    def _graph(self, manifest: Manifest, query_ids: int) -> NeighborGraph:
        self._load(manifest)
        folder = self._store.part(self._keywords)
        keywords = load_ascending(folder, "keywords", np.int64, within(0, query_ids))
        text_ranks = load(folder, "text_ranks", within(0, len(keywords)), len(keywords), np.int64)
        parts = [_load_rows(self._store.part(name), len(keywords)) for name in self._batches]
        empty = np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
        sizes, neighbors, scores = (np.concatenate(column) for column in zip(empty, *parts, strict=True))
        if len(sizes) != len(keywords):
            raise DamagedFile(folder, f"there are neighbors of {len(sizes):,} keywords of {len(keywords):,}")
        return NeighborGraph(keywords, make_indptr(sizes), neighbors, scores, text_ranks)

    def update(
        self,
        retriever: OpenRetriever,
        provenance: str,
        min_score: float,
        progress: Progress = SILENT,
        runner: TaskRunner = THIS_PROCESS,
    ) -> None:
        """Search for the neighbors of every keyword that score `min_score` or more.

        `provenance` identifies what the scores depend on; a graph with another one is replaced.
        """
        repository = retriever().repository
        keywords = repository.live_ids()
        with self._store.changing(self._load):
            continues = (self.provenance, self.min_score) == (provenance, min_score)
            batches = self._batches if continues else []
            metadata = {"provenance": provenance, "min_score": min_score, "batches": batches}
            with progress.task("searching for neighbors", len(keywords)) as advance:
                first = min(len(batches) * _COMMITTED, len(keywords))
                advance(first)
                runs = self._searched(retriever, keywords, first, min_score, progress, runner, advance)
                while batch := list(islice(runs, _COMMITTED // _TASK)):
                    part = self._store.new_part("batch")
                    _join(self._store.part(part), [self._store.part(name) for name in batch])
                    batches.append(part)
                    self._store.commit(metadata, batches)
                    for name in batch:
                        self._store.discard(name)
            part = self._store.new_part("keywords")
            save(self._store.part(part), keywords=keywords, text_ranks=repository.text_ranks(keywords))
            self._store.commit({**metadata, "keywords": part}, [*batches, part])

    def _searched(
        self,
        retriever: OpenRetriever,
        keywords: Int64Array,
        first: int,
        min_score: float,
        progress: Progress,
        runner: TaskRunner,
        advance: Advance,
    ) -> Iterator[str]:
        """Parts with the neighbors of runs of keywords, in order."""
        here = runner is THIS_PROCESS
        search = SearchNeighbors(retriever, self._store, min_score, advance if here else None)
        end = len(keywords)
        tasks = [range(begin, min(begin + _TASK, end)) for begin in range(first, end, _TASK)]
        for number, part in in_order(timed_results(runner, search, tasks, progress, "neighbors")):
            advance(0 if here else len(tasks[number]))
            yield part


@dataclass(frozen=True)
class SearchNeighbors:
    """The task function: positions of keywords to the name of a part with their neighbors."""

    retriever: OpenRetriever
    store: Store
    min_score: float
    advance: Advance | None = None  # where the task runs in this process

    def __call__(self, positions: range) -> str:
        """Search for the neighbors of some keywords."""
        retriever = self.retriever()
        keywords = retriever.repository.live_ids()
        part = self.store.new_part("run")
        batch = keywords[positions.start : positions.stop]
        rows = _search(retriever, keywords, batch, self.min_score, self.advance)
        _save_rows(self.store.part(part), rows)
        return part


_Rows = tuple[Int64Array, Int64Array, Float64Array]  # the number of neighbors of each keyword, they, scores


def _search(
    retriever: Retriever, keywords: Int64Array, batch: Int64Array, min_score: float, advance: Advance | None
) -> Iterator[_Rows]:
    for begin in range(0, len(batch), _SEARCHED):
        query_ids = batch[begin : begin + _SEARCHED]
        texts = retriever.repository.queries(query_ids)
        rankings = retriever.search(texts, MAX_NEIGHBORS + 1, min_score)
        yield _rows(keywords, query_ids, rankings)
        if advance:
            advance(len(query_ids))


def _rows(keywords: Int64Array, query_ids: Int64Array, rankings: Sequence[Ranking]) -> _Rows:
    """The rankings with positions for query ids, without the keyword itself."""
    neighbors, scores = [], []
    for query_id, ranking in zip(query_ids, rankings, strict=True):
        others = np.flatnonzero(ranking.query_ids != query_id)[:MAX_NEIGHBORS]
        neighbors.append(np.searchsorted(keywords, ranking.query_ids[others]))
        scores.append(ranking.scores[others])
    sizes = np.array([len(each) for each in scores], np.int64)
    return sizes, np.concatenate(neighbors), np.concatenate(scores)


def _save_rows(folder: Path, rows: Iterator[_Rows]) -> None:
    sizes, neighbors, scores = (np.concatenate(column) for column in zip(*rows, strict=True))
    save(folder, sizes=sizes, neighbors=neighbors.astype(np.int64), scores=scores)


def _load_rows(folder: Path, keywords: int) -> _Rows:
    """The neighbors of consecutive keywords in a part, of so many keywords in all."""
    sizes = load(folder, "sizes", within(0, MAX_NEIGHBORS + 1), types=np.int64)
    neighbors = load(folder, "neighbors", within(0, keywords), int(sizes.sum()), np.int64)
    return sizes, neighbors, load(folder, "scores", finite, len(neighbors), np.float64)


def _join(folder: Path, runs: Sequence[Path]) -> None:
    """Write the neighbors of consecutive runs of keywords as one part."""
    names = ("sizes", "neighbors", "scores")
    save(folder, **{name: np.concatenate([load(run, name) for run in runs]) for name in names})
