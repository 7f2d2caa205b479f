"""Every writing command, with an error of the disk at each of its file operations: EIO or ENOSPC, once or from then on.

The command must succeed, or end with exit code 1 and one line; then a reader must find the workspace as it was
before the command or as it is after it, the check must pass, and the command must succeed when it is run again.
"""

import errno
from collections.abc import Iterator
from random import Random

from torture.figures import Attempt, Figures
from torture.file_faults.attempts import Laboratory
from torture.file_faults.commands import Command
from torture.file_faults.preloaded import run_preloaded
from torture.file_faults.shim import ALL, ALLOCATING, ERROR_FROM_THEN_ON, ERROR_ONCE, Fault

_DEFECTIVE = (("EIO", ERROR_ONCE), ("EIO from then on", ERROR_FROM_THEN_ON))
_FULL = (("a full disk", ERROR_FROM_THEN_ON), ("ENOSPC", ERROR_ONCE))
_FULL_EVERY = 4  # operations: a defective disk fails at every one


def run(scale: float, seed: int) -> Figures:
    """Errors at operations of every command."""
    return run_preloaded([__name__], scale, seed)


def attempts(laboratory: Laboratory, command: Command, scale: float, random: Random) -> Iterator[Attempt]:
    """Errors at every operation of one command, or at a share of them, in a process with the library."""
    possible: list[tuple[str, int, Fault]] = []
    turn = random.randrange(4)
    for n in range(1, laboratory.count(command, ALL) + 1):
        name, action = _DEFECTIVE[(n + turn) % 2]
        possible.append((name, n, Fault(action, n, errno.EIO, ALL)))
    for n in range(1 + turn, laboratory.count(command, ALLOCATING) + 1, _FULL_EVERY):
        name, action = _FULL[n // _FULL_EVERY % 2]
        possible.append((name, n, Fault(action, n, errno.ENOSPC, ALLOCATING)))
    chosen = random.sample(possible, max(1, round(len(possible) * min(scale, 1))))
    for name, n, fault in sorted(chosen, key=lambda each: each[1]):
        disk = laboratory.copy(laboratory.before(command))
        done = laboratory.run(command, disk, fault)
        if done.complaint:
            outcome = "crash" if done.code is None or done.code < 0 else "traceback"
            detail = done.complaint
        else:
            outcome, detail = laboratory.verdict(command, disk, done.acknowledged)
        laboratory.discard(disk)
        yield f"{command.name}, {name} at operation {n}", outcome, detail
