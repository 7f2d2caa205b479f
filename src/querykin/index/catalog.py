"""The indexes of a workspace: each is opened once; a policy decides what happens to missing or stale ones."""

from collections.abc import Callable, Container, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from querykin.build_policy import BuildPolicy, NotBuilt, State, ensure_built
from querykin.corpus.corpus import Corpus
from querykin.counted_nouns import counted
from querykin.distributed.task_runner import THIS_PROCESS, TaskRunner
from querykin.errors import WorkspaceError
from querykin.index.builder import IndexBuilder, Plan
from querykin.index.index import Index
from querykin.index.shard import Shard
from querykin.measures.base import Measure
from querykin.measures.expansion_measure import ExpansionMeasure
from querykin.measures.vector_measure import VectorMeasure
from querykin.progress import SILENT, Advance, Progress
from querykin.querylog.repository import Repository
from querykin.storage.derived_stores import open_derived
from querykin.storage.published_files import remove_folder

if TYPE_CHECKING:
    from querykin.index.build_tasks import Builders, Spread


def indexed_parts(measure: Measure) -> list[VectorMeasure]:
    """The vector measures whose indexes a measure searches, one for each index."""
    return [measure] if isinstance(measure, VectorMeasure) else _all_parts(measure.components())


def _all_parts(measures: Sequence[Measure]) -> list[VectorMeasure]:
    """The vector measures whose indexes several measures search, one for each index."""
    found = [part for measure in measures for part in indexed_parts(measure)]
    by_index = {part.index_name: part for part in reversed(found)}
    return list(reversed(by_index.values()))


class IndexCatalog:
    """Opens, builds and finds the indexes of one workspace; with `shard`, the rows of that shard only.

    Builds run on `runner`; `elsewhere` gives tasks in other processes the builders for measures, by name.
    """

    def __init__(
        self,
        folder: Path,
        corpus: Corpus,
        repository: Repository,
        *,
        shard: Shard | None = None,
        runner: TaskRunner = THIS_PROCESS,
        elsewhere: "Callable[[Sequence[str]], Builders] | None" = None,
    ) -> None:
        self._folder, self._corpus, self._repository, self._shard = folder, corpus, repository, shard
        self._runner, self._elsewhere = runner, elsewhere
        self._open: dict[str, Index] = {}

    def index(self, measure: VectorMeasure) -> Index:
        """The index of a measure's rows, opened once and again only when another process has changed it."""
        return self._index(measure.index_name)

    def _index(self, name: str) -> Index:
        if name not in self._open or self._open[name].is_outdated():
            only = self._shard.ids(len(self._repository.counts)) if self._shard else None
            self._open[name] = Index(self._folder / name, only)
        return self._open[name]

    def built(self) -> dict[str, Index]:
        """All indexes that are built, by name."""
        found = {path.name: self._index(path.name) for path in sorted(self._folder.glob("*"))}
        return {name: index for name, index in found.items() if index.committed}

    def plan(self, measure: VectorMeasure, rebuild: bool = False) -> Plan:
        """What a build of a measure's index has to do."""
        return self._plan(measure, rebuild, self._spread([measure], SILENT))

    def _plan(self, measure: VectorMeasure, rebuild: bool, spread: "Spread") -> Plan:
        from querykin.index.build import make_plan

        if rebuild:
            self._drop_unreadable(measure)
        return make_plan(self.builder(measure), rebuild, spread)

    def _spread(self, measures: Sequence[Measure], progress: Progress) -> "Spread":
        """How the builds of some measures are spread over tasks."""
        from querykin.index.build_tasks import Spread

        if self._elsewhere and self._runner is not THIS_PROCESS:
            names = [measure.name for measure in measures]
            return Spread(self._runner, self._elsewhere(names), progress)
        return Spread(THIS_PROCESS, _BuildersHere(self, _all_parts(measures)), progress)

    def builder(self, measure: VectorMeasure) -> IndexBuilder:
        """The builder of a measure's index."""
        if self._shard:
            raise WorkspaceError("a shard builds nothing; build the whole workspace: querykin build")
        return IndexBuilder(self.index(measure), self._corpus, self._repository, measure)

    def _drop_unreadable(self, measure: VectorMeasure) -> None:
        """Remove an index that cannot be opened, for whatever reason: it is about to be rebuilt."""
        try:
            self.index(measure)
        except WorkspaceError:
            remove_folder(self._folder / measure.index_name)

    def update(self, measures: Sequence[Measure], rebuild: bool = False, progress: Progress = SILENT) -> None:
        """Bring the indexes of measures up to date, and say what is done."""
        self._update_parts(_all_parts(measures), rebuild, self._spread(measures, progress))

    def _update_parts(self, parts: Sequence[VectorMeasure], rebuild: bool, spread: "Spread") -> None:
        """Those that expand queries are built side by side, so that each query is searched for once."""
        expanding: list[VectorMeasure] = [part for part in parts if isinstance(part, ExpansionMeasure)]
        others = [[part] for part in parts if not isinstance(part, ExpansionMeasure)]
        for group in (expanding, *others):
            work = partial(self._update, group, rebuild, spread)
            for part in group:  # one that is damaged is built from scratch
                work = partial(open_derived, self._folder / part.index_name, work, spread.progress)
            work()

    def _update(self, measures: Sequence[VectorMeasure], rebuild: bool, spread: "Spread") -> None:
        from querykin.index.build import run_plans

        progress = spread.progress
        plans = [(measure, self._plan(measure, rebuild, spread)) for measure in measures]
        queries = counted(len(self._repository), "query")
        for measure, plan in plans:
            if not plan.needed:
                progress.message(f"{measure.name}: {queries} indexed; nothing to do")
                continue
            done = f", {plan.done:,} finished earlier" if plan.done else ""
            missing = counted(len(plan.missing), "query")
            progress.message(f"{measure.name}: {missing} to index, {len(plan.stale):,} stale{done}")
        plans = [(measure, plan) for measure, plan in plans if plan.needed]
        if not plans:
            return
        title = f"building {', '.join(measure.name for measure, _ in plans)}"
        with progress.task(title, sum(len(plan.todo) for _, plan in plans)) as advance:
            run_plans([(self.builder(measure), plan) for measure, plan in plans], spread, advance)
        for measure, _ in plans:
            size = _size(self.index(measure))
            progress.message(f"{measure.name}: done, {queries} indexed, {size}")

    def run(self, plan: Plan, measure: VectorMeasure, advance: Advance = lambda rows: None) -> None:
        """Do the work of a plan; `advance` receives the number of rows encoded since its last call."""
        from querykin.index.build import run_plans

        run_plans([(self.builder(measure), plan)], self._spread([measure], SILENT), advance)

    def require(
        self,
        measure: Measure,
        policy: BuildPolicy,
        progress: Progress = SILENT,
        built: Callable[[], None] = lambda: None,
        optional: Container[str] = (),
    ) -> dict[str, Index]:
        """The indexes that a measure searches, by name; the policy is for missing or stale ones.

        `built` is called after some were built. Those named in `optional` may be missing.
        """
        every = indexed_parts(measure)
        parts = [part for part in every if part.index_name not in optional]
        if policy is not BuildPolicy.REFUSE:
            for part in parts:  # one that is damaged counts as missing
                open_derived(self._folder / part.index_name, partial(self.index, part), progress)

        def update() -> None:
            build = policy is BuildPolicy.BUILD
            wanted = [part for part in parts if build or self.index(part).committed is None]
            self._update_parts(wanted, False, self._spread([measure], progress))
            built()

        ensure_built(
            self._state(parts),
            policy,
            update,
            lambda: NotBuilt(measure.name, "has no index yet"),
            progress,
            f"no index of {measure.name} yet; building it now",
            f"the index of {measure.name} is behind the corpus or the repository; "
            f"next: querykin build --measures {measure.name}",
        )
        return {part.index_name: self.index(part) for part in every}

    def _state(self, parts: Sequence[VectorMeasure]) -> State:
        indexes = [self.index(part) for part in parts]
        if any(index.committed is None for index in indexes):
            return State.MISSING
        stale = any(index.is_stale(self._repository, self._corpus) for index in indexes)
        return State.STALE if stale else State.CURRENT


class _BuildersHere:
    """The builders of indexes in this process, each made once."""

    def __init__(self, catalog: IndexCatalog, parts: Sequence[VectorMeasure]) -> None:
        self._catalog, self._parts = catalog, {part.index_name: part for part in parts}
        self._made: dict[str, IndexBuilder] = {}

    def builder(self, index_name: str) -> IndexBuilder:
        """The builder of an index."""
        if index_name not in self._made:
            self._made[index_name] = self._catalog.builder(self._parts[index_name])
        return self._made[index_name]


def _size(index: Index) -> str:
    """The size of an index in words: terms and bytes a row, and what truncation drops."""
    rows = max(1, sum(len(segment) for segment in index.segments))
    dropped = index.truncation_error
    truncated = f", which drop at most {dropped:.0%} of a row's squared norm" if 0 < dropped < 1 else ""
    return f"{index.terms:.0f} terms and {index.bytes / rows:,.0f} bytes a row{truncated}"
