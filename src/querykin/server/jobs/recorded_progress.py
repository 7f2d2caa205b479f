"""Progress of a job, written to its record a few times a second."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from querykin.progress import Advance
from querykin.server.jobs.job import Step
from querykin.server.jobs.record import JobRecord

INTERVAL = 0.3  # seconds between two writes


class RecordedProgress:
    """Keeps the record of a job up to date; of nested tasks the innermost is shown."""

    def __init__(self, record: JobRecord) -> None:
        self._record, self._lock = record, Lock()
        self._message, self._written = "", 0.0

    def message(self, text: str) -> None:
        """Show a message until the next one."""
        with self._lock:
            self._message = text

    @contextmanager
    def task(self, title: str, total: int | None) -> Iterator[Advance]:
        """Show a task; its remaining time is estimated from the time that its steps took so far."""
        started, done = time.monotonic(), 0
        with self._lock:
            self._write(Step(title, 0, total))

        def advance(steps: int) -> None:
            nonlocal done
            with self._lock:
                done += steps
                if time.monotonic() - self._written >= INTERVAL:
                    self._write(
                        Step(title, done, total, _seconds_left(time.monotonic() - started, done, total))
                    )

        yield advance

    def _write(self, step: Step) -> None:
        self._record.report(step, self._message)
        self._written = time.monotonic()


def _seconds_left(elapsed: float, done: int, total: int | None) -> float | None:
    return round(max(0.0, elapsed * (total - done) / done), 1) if total and done else None
