"""Peak memory of a step: private memory of the process without mapped files, sampled."""

import threading
import time
from pathlib import Path
from typing import Self

_EVERY = 0.01  # seconds
_STATUS = Path("/proc/self/status")


def private_memory() -> float:
    """Current private memory of the process in MiB."""
    (line,) = (line for line in _STATUS.read_text("ascii").splitlines() if line.startswith("RssAnon"))
    return int(line.split()[1]) / 1024


class Watch:
    """Measures the time and the peak of additional memory of a block."""

    def __enter__(self) -> Self:
        self._before = self._peak = private_memory()
        self._done = threading.Event()
        self._sampler = threading.Thread(target=self._sample)
        self._sampler.start()
        self._start = time.perf_counter()
        return self

    def _sample(self) -> None:
        while not self._done.wait(_EVERY):
            self._peak = max(self._peak, private_memory())

    def __exit__(self, *problem: object) -> None:
        self.seconds = time.perf_counter() - self._start
        self._done.set()
        self._sampler.join()
        self.taken = max(self._peak, private_memory()) - self._before
