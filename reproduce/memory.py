"""Peak memory of a step: private memory of the process without mapped files, sampled."""

import threading
import time
from pathlib import Path
from typing import Self

_EVERY = 0.01  # seconds
_STATUS = Path("/proc/self/status")


def held() -> float:
    """Current private memory of the process in MiB."""
    (line,) = (line for line in _STATUS.read_text("ascii").splitlines() if line.startswith("RssAnon"))
    return int(line.split()[1]) / 1024


class Watch:
    """Measures the time and the peak of additional memory of a block."""

    def __enter__(self) -> Self:
        self._before = self._most = held()
        self._done = threading.Event()
        self._watcher = threading.Thread(target=self._look)
        self._watcher.start()
        self._start = time.perf_counter()
        return self

    def _look(self) -> None:
        while not self._done.wait(_EVERY):
            self._most = max(self._most, held())

    def __exit__(self, *problem: object) -> None:
        self.seconds = time.perf_counter() - self._start
        self._done.set()
        self._watcher.join()
        self.taken = max(self._most, held()) - self._before
