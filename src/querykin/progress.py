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


def duration(seconds: float) -> str:
    """An estimated time in words.

    >>> duration(20), duration(880), duration(9000)
    ('less than a minute', 'about 15 minutes', 'about 2.5 hours')
    """
    if seconds < 50:
        return "less than a minute"
    minutes = max(2, round(seconds / 60))
    return f"about {minutes} minutes" if minutes < 100 else f"about {seconds / 3600:.1f} hours"
