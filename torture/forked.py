"""Work in a forked child, which inherits all imports and compiled code: a crash ends the child only."""

import faulthandler
import json
import os
import resource
import select
import signal
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any

LIMIT = 60.0  # seconds
_MEMORY = 8 << 30  # address space of a child: an allocation of a size read from a damaged file fails


@dataclass(frozen=True)
class Ended:
    """How a child ended: with a result, or by an outcome of `torture.figures.FAILURES`."""

    result: Any = None
    failure: str = ""
    detail: str = ""


def in_child(work: Callable[[], Any], limit: float = LIMIT) -> Ended:
    """Run a function in a child; its result is passed as JSON."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _run(work, writing)
    os.close(writing)
    output, deadline = bytearray(), monotonic() + limit
    arrived = select.poll()  # unlike `select`, for any number of open files
    arrived.register(reading)
    while arrived.poll(max(0.0, 1000 * (deadline - monotonic()))):
        piece = os.read(reading, 1 << 20)
        if not piece:
            break
        output += piece
    else:
        os.kill(child, signal.SIGKILL)
    os.close(reading)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if monotonic() >= deadline:
        return Ended(failure="over limit", detail=f"no answer in {limit:g} s")
    if code:
        return Ended(failure="crash", detail=signal.Signals(-code).name if code < 0 else f"exit code {code}")
    return Ended(json.loads(output))


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
