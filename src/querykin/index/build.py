"""Index builds: the rows of plans are encoded in tasks, committed as they are finished, and merged.

Several indexes are built side by side: a task encodes the same queries for all of them, while their search
results are cached. Finished rows are kept as `in_progress`, so that a killed build continues where it
stopped; readers see them all at once when the build is committed.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial

import numpy as np

from querykin.compute.arrays import Int64Array
from querykin.distributed.task_runner import THIS_PROCESS, run_tasks
from querykin.distributed.task_times import timed_results
from querykin.errors import WorkspaceError
from querykin.index.build_tasks import (
    Batch,
    EncodeTask,
    MergeTask,
    Segment,
    Spread,
    StaleTask,
    encode,
    find_stale,
    merge,
)
from querykin.index.builder import IndexBuilder, Plan
from querykin.index.merging import MERGE_FACTOR, Merge, merge_batches, merge_segments
from querykin.index.staleness import rows_to_check
from querykin.progress import Advance
from querykin.storage.array_files import save
from querykin.storage.store import Files

_TASKS_PER_SLOT = 8  # where there are rows enough: a long task at the end costs little
_MIN_BATCH = 256  # rows


def make_plan(builder: IndexBuilder, rebuild: bool, spread: Spread) -> Plan:
    """Find the rows of an index that are missing or stale."""

    def stale(builder: IndexBuilder) -> Int64Array:
        name = builder.measure.index_name
        rows = rows_to_check(builder.index, builder.pinned)
        tasks = [StaleTask(spread.builders, name, each) for each in rows]
        title = f"stale rows of {builder.measure.name}"
        found = [ids for _, ids in timed_results(spread.runner, find_stale, tasks, spread.progress, title)]
        return np.unique(np.concatenate([np.zeros(0, np.int64), *found]))

    return builder.plan(rebuild, stale)


def run_plans(plans: Sequence[tuple[IndexBuilder, Plan]], spread: Spread, advance: Advance) -> None:
    """Encode the rows of plans and commit them; `advance` receives the number of rows since its last call."""
    in_this_process = spread.runner is THIS_PROCESS
    with ExitStack() as stack:
        builds = {}
        for builder, plan in plans:
            stack.enter_context(builder.index.store.writing())
            builds[builder.measure.index_name] = _Build(builder, plan, spread)
        tasks = _tasks(list(builds.values()), spread)
        work = partial(encode, advance=advance) if in_this_process else encode
        for _, segments in timed_results(spread.runner, work, tasks, spread.progress, "rows"):
            for segment in segments:
                builds[segment.index_name].add(segment, merging=in_this_process)
                advance(0 if in_this_process else segment.rows)
        for build in builds.values():
            build.finish()
    for builder, _ in plans:
        builder.index.refresh()


def _tasks(builds: Sequence["_Build"], spread: Spread) -> list[EncodeTask]:
    """Tasks over the batches of all indexes, by ascending query id.

    In this process a task is one batch: it is committed at once, and the next finds its search results in the
    cache. Elsewhere a task has the batches of all indexes over the same queries.
    """
    if not any(build.rows for build in builds):
        return []
    here = spread.runner is THIS_PROCESS
    tasks = 1 if here else _TASKS_PER_SLOT * spread.runner.slots
    batches = sorted((each for build in builds for each in build.batches(tasks)), key=lambda each: each[0])
    groups = [[batch] for _, batch in batches] if here else _grouped(batches, tasks)
    return [EncodeTask(spread.builders, tuple(group)) for group in groups]


def _grouped(batches: Sequence[tuple[int, Batch]], tasks: int) -> list[list[Batch]]:
    """Batches of several indexes over the same queries; the index with the largest sets the pace.

    A group has one batch of it, or several where there would be more tasks than wanted: fewer segments are
    then left to be merged.
    """
    largest = max((batch.end - batch.begin, batch.index_name) for _, batch in batches)[1]
    firsts = [first for first, batch in batches if batch.index_name == largest]
    together = max(1, min(MERGE_FACTOR, len(firsts) // tasks))
    groups: list[list[Batch]] = [[] for _ in firsts[::together]]
    for first, batch in batches:
        number = max(0, int(np.searchsorted(firsts, first, side="right")) - 1) // together
        groups[number].append(batch)
    return groups


class _Build:
    """The build of one index, whose lock is held."""

    def __init__(self, builder: IndexBuilder, plan: Plan, spread: Spread) -> None:
        self._builder, self._plan, self._spread = builder, plan, spread
        self._index, self._store = builder.index, builder.index.store
        if self._store.manifest().generation != plan.generation:
            raise WorkspaceError("another build has finished meanwhile; run querykin build again")
        statistics = plan.build.statistics or builder.pin_statistics()
        self._build = replace(plan.build, statistics=statistics)
        self._todo = self._store.new_part("todo")
        save(self._store.part(self._todo), query_ids=plan.todo)

    @property
    def rows(self) -> int:
        """The number of rows to encode."""
        return len(self._plan.todo)

    def batches(self, wanted: int) -> Iterator[tuple[int, Batch]]:
        """The batches to encode, each with its first query; smaller ones where fewer than wanted are full."""
        name, todo = self._builder.measure.index_name, self._plan.todo
        step = min(self._builder.measure.index_format.batch, max(_MIN_BATCH, -(-len(todo) // wanted)))
        for begin in range(0, len(todo), step):
            end = min(begin + step, len(todo))
            yield int(todo[begin]), Batch(name, self._plan.rebuild, self._todo, begin, end)

    def add(self, segment: Segment, merging: bool) -> None:
        """Keep a finished segment; merged with others where no task does that."""
        segments = [*self._build.segments, segment.part]
        if merging:
            segments = merge_batches(self._store, segments)
        self._build = replace(self._build, segments=segments)
        self._index.commit(self._index.committed, self._build, {segment.part: segment.files})

    def finish(self) -> None:
        """Merge the segments and make the build the content of the index."""
        committed, plan, sealed = self._index.committed, self._plan, dict[str, Files]()

        def run(merges: Sequence[Merge]) -> list[str]:
            name = self._builder.measure.index_name
            tasks = [MergeTask(self._spread.builders, name, each) for each in merges]
            written = run_tasks(self._spread.runner if len(tasks) > 1 else THIS_PROCESS, merge, tasks)
            sealed.update(written)
            return [part for part, _ in written]

        kept = [] if plan.rebuild or committed is None else committed.segments
        mostly_new = len(plan.todo) + plan.done > sum(len(segment) for segment in self._index.segments)
        segments = merge_segments(
            self._store, kept, self._build.segments, self._builder.repository, mostly_new, run
        )
        self._index.commit(replace(self._build, segments=segments), None, sealed)
