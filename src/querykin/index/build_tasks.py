"""The tasks of an index build: rows of queries are encoded, segments are merged, stale rows are found.

A task opens the index wherever it runs, writes new segments beside those in use, seals them and returns their
names; the process that asked for it commits them.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from querykin.compute.arrays import Int64Array
from querykin.distributed.task_runner import TaskRunner
from querykin.index.builder import IndexBuilder
from querykin.index.merging import Merge, write_merged
from querykin.index.staleness import SegmentRange, stale_rows
from querykin.progress import Advance, Progress
from querykin.storage.array_files import load
from querykin.storage.store import Files


class Builders(Protocol):
    """Where a task gets the builder of an index from; pickled, it finds the same index elsewhere."""

    def builder(self, index_name: str) -> IndexBuilder:
        """The builder of an index."""


@dataclass(frozen=True)
class Spread:
    """How a build is spread over tasks."""

    runner: TaskRunner
    builders: Builders
    progress: Progress


class Batch(NamedTuple):
    """Some of the queries that a build has to encode, which a part of the index's store lists."""

    index_name: str
    rebuild: bool  # with today's statistics instead of the pinned ones
    todo: str  # the part
    begin: int
    end: int


class Segment(NamedTuple):
    """A new segment, sealed."""

    index_name: str
    part: str
    files: Files
    rows: int


@dataclass(frozen=True)
class EncodeTask:
    """Batches of several indexes over the same queries, each of which is searched for once."""

    builders: Builders
    batches: Sequence[Batch]


def encode(task: EncodeTask, advance: Advance = lambda rows: None) -> list[Segment]:
    """Encode the rows of a task; one new segment for each index."""
    written, rows = defaultdict[str, list[str]](list), defaultdict[str, int](int)
    for batch in task.batches:
        builder = task.builders.builder(batch.index_name)
        query_ids = todo(builder, batch.todo)[batch.begin : batch.end]
        written[batch.index_name].append(builder.write_rows(query_ids, batch.rebuild, advance))
        rows[batch.index_name] += len(query_ids)
    return [_sealed(task.builders.builder(name), name, parts, rows[name]) for name, parts in written.items()]


def todo(builder: IndexBuilder, part: str) -> Int64Array:
    """The ids of the queries that a build has to encode."""
    ids: Int64Array = load(builder.index.store.part(part), "query_ids")
    return ids


def _sealed(builder: IndexBuilder, index_name: str, parts: Sequence[str], rows: int) -> Segment:
    store = builder.index.store
    part = parts[0] if len(parts) == 1 else write_merged(store, Merge(tuple(parts)), None)
    for superseded in set(parts) - {part}:
        store.discard(superseded)
    return Segment(index_name, part, store.seal(part), rows)


@dataclass(frozen=True)
class MergeTask:
    """Segments of an index to be merged."""

    builders: Builders
    index_name: str
    merge: Merge


def merge(task: MergeTask) -> tuple[str, Files]:
    """Merge segments of an index into a new one; returns its name and its sealed files."""
    builder = task.builders.builder(task.index_name)
    part = write_merged(builder.index.store, task.merge, builder.repository)
    return part, builder.index.store.seal(part)


@dataclass(frozen=True)
class StaleTask:
    """Some rows of a committed segment."""

    builders: Builders
    index_name: str
    rows: SegmentRange


def find_stale(task: StaleTask) -> Int64Array:
    """The ids of those queries of a task whose row is out of date."""
    builder = task.builders.builder(task.index_name)
    return stale_rows(builder.index, builder.repository, builder.pinned, task.rows)
