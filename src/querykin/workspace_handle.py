"""A workspace as tasks carry it: itself in this process, in others the same folder, opened once."""

import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any, Protocol

from querykin.build_policy import BuildPolicy
from querykin.index.builder import IndexBuilder
from querykin.index.catalog import IndexCatalog, indexed_parts
from querykin.measures.base import Measure
from querykin.retrieval.retrievers import Retriever
from querykin.storage.shared_folders import generation, wait_for_generation


class MeasuredWorkspace(Protocol):
    """A workspace, as tasks use it."""

    @property
    def indexes(self) -> IndexCatalog:
        """The indexes of the repository."""

    def measure(self, name: str) -> Measure:
        """A measure by name."""

    def retriever(self, name: str) -> Retriever:
        """Finds the nearest queries of the repository."""


class WorkspaceHandle:
    """A workspace with all that another process needs to open the same folder.

    Nothing is built there on demand, and a process that sees other content in the folder refuses the task.
    `opened` are the generations of stores that this process has open; others are read with the first task.
    """

    def __init__(
        self,
        open_workspace: Callable[[], Any],
        reopen: Callable[..., Any],
        stores: Sequence[Path],
        opened: Mapping[Path, int] | None = None,
    ) -> None:
        self._open, self._reopen, self._stores, self._opened = open_workspace, reopen, stores, opened or {}

    @property
    def workspace(self) -> Any:
        """The workspace, opened by the first task of a process."""
        return self._open()

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """The address of the folder and the generations of its stores, as of the first task."""
        return _handle, self._address

    @cached_property
    def _address(self) -> tuple[bytes, tuple[tuple[Path, int], ...]]:
        return pickle.dumps(self._reopen), tuple(
            (folder, self._opened.get(folder) or generation(folder)) for folder in self._stores
        )


def _handle(reopen: bytes, generations: tuple[tuple[Path, int], ...]) -> WorkspaceHandle:
    """The handle in another process."""
    stores = [folder for folder, _ in generations]
    return WorkspaceHandle(partial(_opened_once, reopen, generations), pickle.loads(reopen), stores)


@lru_cache(maxsize=1)
def _opened_once(reopen: bytes, generations: tuple[tuple[Path, int], ...]) -> Any:
    """The workspace of the tasks of this process; it is opened again after the driver has changed it."""
    for folder, wanted in generations:
        wait_for_generation(folder, wanted)
    return pickle.loads(reopen)(policy=BuildPolicy.REFUSE)


@dataclass(frozen=True)
class IndexBuilders:
    """The builders of the indexes of some measures, for tasks in other processes."""

    handle: WorkspaceHandle
    measures: tuple[str, ...]

    def builder(self, index_name: str) -> IndexBuilder:
        """The builder of an index."""
        workspace: MeasuredWorkspace = self.handle.workspace
        parts = [part for name in self.measures for part in indexed_parts(workspace.measure(name))]
        return workspace.indexes.builder(next(part for part in parts if part.index_name == index_name))


@dataclass(frozen=True)
class OpenRetriever:
    """Opens the retriever of a measure where a task runs; once in each process."""

    handle: WorkspaceHandle
    measure: str

    def __call__(self) -> Retriever:
        """The retriever."""
        return _retriever(self.handle.workspace, self.measure)


@lru_cache(maxsize=1)
def _retriever(workspace: MeasuredWorkspace, measure: str) -> Retriever:
    return workspace.retriever(measure)
