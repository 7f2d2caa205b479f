"""Merge policy of index segments: batches during a build, segments of several builds at its end.

What a build ends with depends on its rows alone, not on the batches it was made of: rows in the order of
their queries, in as few segments as MAX_ROWS allows. So some queries can be opened without the others.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from querykin.compute.arrays import BoolArray, Int64Array
from querykin.index.index import in_repository, newest_rows
from querykin.index.segment import IndexSegment
from querykin.index.segment import merge as merge_rows
from querykin.querylog.repository import Repository
from querykin.storage.store import Store

MERGE_FACTOR = 16  # segments that are merged at once: open files are limited
MAX_SEGMENTS = 4  # every search reads every segment; above this number small ones are merged
MAX_ROWS = 1 << 22  # of a merged segment: it is read, written and opened as a whole
_ALL_IDS = range(np.iinfo(np.int32).max)


@dataclass(frozen=True)
class Merge:
    """Segments to be merged into one, with the rows of some queries that no later segment replaces."""

    names: tuple[str, ...]
    later: tuple[str, ...] = ()
    query_ids: range = _ALL_IDS


RunMerges = Callable[[Sequence[Merge]], list[str]]  # returns the names of the new segments


def write_merged(store: Store, merge: Merge, repository: Repository | None) -> str:
    """Write a new segment with rows of several; with a repository, those of its queries only."""
    segments = [IndexSegment(store.part(name)) for name in (*merge.names, *merge.later)]
    merged = segments[: len(merge.names)]
    live = [
        newest & _inside(segment, merge.query_ids)
        for newest, segment in zip(newest_rows(segments), merged, strict=False)
    ]
    if repository:
        live = [mask & in_repository(each, repository) for mask, each in zip(live, merged, strict=True)]
    name = store.new_part("segment")
    merge_rows(store.part(name), merged, live)
    return name


def merge_batches(store: Store, names: list[str]) -> list[str]:
    """Merge the latest batches of a build when there are many of similar size."""
    while len(names) >= MERGE_FACTOR:
        sizes = [len(IndexSegment(store.part(name))) for name in names[-MERGE_FACTOR:]]
        if sizes[0] > 2 * sizes[-2] or sum(sizes) > MAX_ROWS:
            break
        names = [*names[:-MERGE_FACTOR], write_merged(store, Merge(tuple(names[-MERGE_FACTOR:])), None)]
    return names


def merge_segments(
    store: Store,
    kept: Sequence[str],
    new: Sequence[str],
    repository: Repository,
    all_at_once: bool,
    run: RunMerges,
) -> list[str]:
    """Merge the segments of a build, and those it keeps when all at once or when they are too many."""
    new = sorted(new, key=lambda name: int(IndexSegment(store.part(name)).query_ids[0]))
    if all_at_once:
        return _merge_to_runs(store, [*kept, *new], repository, run)
    names = [*kept, *_merge_to_runs(store, new, repository, run)]
    while len(names) > MAX_SEGMENTS:
        sizes = [len(IndexSegment(store.part(name))) for name in names]
        pairs = [a + b for a, b in pairwise(sizes)]
        smallest = int(np.argmin(pairs))
        if pairs[smallest] > MAX_ROWS:
            break
        pair, later = names[smallest : smallest + 2], names[smallest + 2 :]
        merged = run([Merge(tuple(pair), tuple(later))])
        names = [*names[:smallest], *merged, *later]
    return names


def _merge_to_runs(store: Store, names: list[str], repository: Repository, run: RunMerges) -> list[str]:
    """Segments of at most MAX_ROWS rows with ascending query ids, from any segments."""
    while True:
        segments = [IndexSegment(store.part(name)) for name in names]
        live = [
            newest & in_repository(segment, repository)
            for newest, segment in zip(newest_rows(segments), segments, strict=True)
        ]
        if len(names) < 2 and sum(map(len, segments)) <= MAX_ROWS:
            return names
        runs = _runs(segments, live)
        merges = [_merge_of(names, segments, live, each) for each in runs]
        if all(len(merge.names) <= MERGE_FACTOR for merge in merges):
            return run(merges) if merges else names
        groups = [names[begin : begin + MERGE_FACTOR] for begin in range(0, len(names), MERGE_FACTOR)]
        names = run([Merge(tuple(group)) for group in groups])
        # Later groups replace rows of earlier ones, as the segments in them did.


def _runs(segments: Sequence[IndexSegment], live: Sequence[BoolArray]) -> list[range]:
    """Ranges of query ids with at most MAX_ROWS live rows each."""
    ids: Int64Array = np.sort(
        np.concatenate([each.query_ids[mask] for each, mask in zip(segments, live, strict=True)])
    ).astype(np.int64)
    borders = [0, *(ids[MAX_ROWS::MAX_ROWS].tolist()), _ALL_IDS.stop]
    return [range(a, b) for a, b in pairwise(borders)] if len(ids) else []


def _merge_of(
    names: Sequence[str], segments: Sequence[IndexSegment], live: Sequence[BoolArray], wanted: range
) -> Merge:
    """The merge of those segments that have live rows of these queries."""
    chosen = [
        name
        for name, each, mask in zip(names, segments, live, strict=True)
        if (mask & _inside(each, wanted)).any()
    ]
    return Merge(tuple(chosen), (), wanted)


def _inside(segment: IndexSegment, query_ids: range) -> BoolArray:
    """Which rows belong to these queries."""
    found: BoolArray = (segment.query_ids >= query_ids.start) & (segment.query_ids < query_ids.stop)
    return found
