"""The search log of a workspace and the graphs derived from it, each opened once."""

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from querykin.build_policy import BuildPolicy, State, ensure_built
from querykin.errors import WorkspaceError
from querykin.logs.relations import KIND as LOG_GRAPHS
from querykin.logs.relations import Relation
from querykin.progress import Progress
from querykin.storage.derived_stores import open_derived
from querykin.text.analyzer import Analyzer

if TYPE_CHECKING:
    from querykin.logs.log import Log
    from querykin.logs.log_graph import LogGraph


def relation_of(part: str) -> Relation | None:
    """The relation whose graph a requirement names; None for other derived data.

    >>> relation_of("log-graphs/clicks"), relation_of("latent")
    ('clicks', None)
    """
    return next((each for each in get_args(Relation) if part == f"{LOG_GRAPHS}/{each}"), None)


class LogResources:
    """The log, and its graphs under the current settings."""

    def __init__(
        self,
        path: Path,
        min_sessions: int,
        policy: BuildPolicy,
        progress: Progress,
        analyzer: Callable[[], Analyzer],
    ) -> None:
        self._path, self._min_sessions, self._analyzer = path, min_sessions, analyzer
        self._policy, self._progress = policy, progress
        self._graphs: dict[Relation, LogGraph] = {}

    @cached_property
    def log(self) -> "Log":
        """Counts of sessions, clicks and reformulations."""
        from querykin.logs.log import Log

        return Log(self._path / "log")

    def graph(self, relation: Relation) -> "LogGraph":
        """The graph of a relation, as of its first use or the last build."""
        graph = self._open(relation)
        current = self.is_derived(relation)
        if not current:
            self._check(relation)
        ensure_built(
            State.CURRENT if current else State.MISSING,
            self._policy,
            lambda: self._derive(graph),
            lambda: WorkspaceError(
                f"the graph of {relation} is missing, and is not built on demand here; next: querykin build, "
                "as a user who may write to the workspace"
            ),
            self._progress,
        )
        return graph

    def _open(self, relation: Relation) -> "LogGraph":
        from querykin.logs.log_graph import LogGraph

        if relation not in self._graphs:
            folder = self._path / LOG_GRAPHS / relation
            may_build = self._policy is not BuildPolicy.REFUSE
            self._graphs[relation] = open_derived(
                folder, lambda: LogGraph(folder, relation), self._progress, may_build=may_build
            )
        return self._graphs[relation]

    def _check(self, relation: Relation) -> None:
        if not len(self.log):
            raise WorkspaceError(
                f"there is no log of {relation} in {self._path}; next: querykin log add FILE"
            )

    def _derive(self, graph: "LogGraph") -> None:
        graph.update(self.log, self._analyzer(), self._min_sessions)

    def has(self, relation: Relation) -> bool:
        """Whether the graph is there under these settings, or can be derived."""
        if self.is_derived(relation):
            return True
        return self._policy is not BuildPolicy.REFUSE and self.log.has(relation)

    def is_derived(self, relation: Relation) -> bool:
        """Whether the graph is there under these settings, of the log as it is or as it was."""
        return self._open(relation).is_current(self._analyzer(), self._min_sessions)

    def clear(self) -> None:
        """Delete all graphs; they are derived again when they are needed."""
        for relation in get_args(Relation):
            self._open(relation).clear()

    def update(self, relation: Relation, rebuild: bool = False) -> None:
        """Bring a graph up to date with the log."""
        self._check(relation)
        if rebuild or not (self.is_derived(relation) and self._open(relation).is_of(self.log)):
            self._progress.message(f"deriving the graph of {relation} from the log")
            self._derive(self._open(relation))
