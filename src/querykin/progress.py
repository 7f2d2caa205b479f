"""Progress and messages of long work, as a parameter: the command line shows them, the library is silent."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

Advance = Callable[[int], None]  # takes the number of steps done since the last call


class Progress(Protocol):
    """Receives messages and the progress of tasks."""

    def message(self, text: str) -> None:
        """One line for the user."""

    def task(self, title: str, total: int | None) -> AbstractContextManager[Advance]:
        """A task of `total` steps; the block receives a function that takes steps done."""


class Silent:
    """Shows nothing."""

    def message(self, text: str) -> None:
        """Drop the message."""

    @contextmanager
    def task(self, title: str, total: int | None) -> Iterator[Advance]:
        """Drop the steps."""
        yield lambda steps: None


SILENT = Silent()
