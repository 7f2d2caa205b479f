"""Work in a forked child, which inherits all imports and compiled code: a crash ends the child only."""

import faulthandler
import json
import os
import resource
import select
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, TypeVar

from torture.figures import Figures

Case = TypeVar("Case")

LIMIT = 60.0  # seconds
_SHARE_LIMIT = 86_400.0
_MEMORY = 8 << 30  # address space of a child: an allocation of a size read from a damaged file fails


@dataclass(frozen=True)
class Ended:
    """How a child ended: with a result, or by an outcome of `torture.figures.FAILURES`."""

    result: Any = None
    failure: str = ""
    detail: str = ""


class Child:
    """A fork of this process that runs a function; its result is passed as JSON."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._reading, writing = os.pipe()
        self._process = os.fork()
        if not self._process:
            os.close(self._reading)
            _run(work, writing)
        os.close(writing)

    def wait(self, limit: float = LIMIT) -> Ended:
        """Wait for the end; a child that takes longer than the limit is killed."""
        output, deadline = bytearray(), monotonic() + limit
        arrived = select.poll()  # unlike `select`, for any number of open files
        arrived.register(self._reading)
        while arrived.poll(max(0.0, 1000 * (deadline - monotonic()))):
            piece = os.read(self._reading, 1 << 20)
            if not piece:
                break
            output += piece
        else:
            os.kill(self._process, signal.SIGKILL)
        os.close(self._reading)
        code = os.waitstatus_to_exitcode(os.waitpid(self._process, 0)[1])
        return _ended(code, output, monotonic() >= deadline, limit)


def _ended(code: int, output: bytearray, is_late: bool, limit: float) -> Ended:
    if is_late:
        return Ended(failure="over limit", detail=f"no answer in {limit:g} s")
    if code:
        return Ended(failure="crash", detail=signal.Signals(-code).name if code < 0 else f"exit code {code}")
    return Ended(json.loads(output))


def on_all_processors(work: Callable[[Sequence[Case], int], Figures], cases: Sequence[Case]) -> Figures:
    """The figures of `work` on all cases, a share of them in a child for each processor; it is given its number, too."""
    count, figures = os.cpu_count() or 1, Figures()

    def share(number: int) -> Callable[[], dict[str, Any]]:
        return lambda: vars(work(cases[number::count], number))

    children = [Child(share(number)) for number in range(count)]
    for ended in [child.wait(_SHARE_LIMIT) for child in children]:
        if ended.failure:
            figures.record("a share of the cases", ended.failure, ended.detail)
        else:
            figures.add(Figures.from_json(ended.result))
    return figures


def _run(work: Callable[[], Any], writing: int) -> None:
    """The child's life."""
    try:
        faulthandler.disable()  # pytest enables it, to report a crash that is expected here
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        with os.fdopen(writing, "wb") as file:
            file.write(json.dumps(work()).encode())
        os._exit(0)
    finally:
        os._exit(1)
