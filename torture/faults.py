"""Every writing command, with an error of the disk at its n-th file operation: EIO or ENOSPC, once or from then on.

The command must succeed, or end with exit code 1 and one line; then a reader must find the workspace as it was
before the command or as it is after it, the check must pass, and the command must succeed when it is run again.
"""

import errno
import shutil
from collections.abc import Sequence
from random import Random

from torture.figures import Figures
from torture.file_faults.shim import ALL, ALLOCATING, ERROR_FROM_THEN_ON, ERROR_ONCE, Fault, run_preloaded

_PER_COMMAND = 120  # faults at scale 1, at operations chosen at random; all of them if there are fewer
_KINDS = (
    ("EIO", ERROR_ONCE, errno.EIO, ALL),
    ("a full disk", ERROR_FROM_THEN_ON, errno.ENOSPC, ALLOCATING),
    ("EIO from then on", ERROR_FROM_THEN_ON, errno.EIO, ALL),
    ("ENOSPC", ERROR_ONCE, errno.ENOSPC, ALLOCATING),
)


def run(scale: float, seed: int) -> Figures:
    """Errors at operations of every command."""
    return run_preloaded([__name__], scale, seed)


def attempts(scale: float, seed: int, names: Sequence[str] = ()) -> Figures:
    """The same, of some commands or all, in a process with the fault-injection library."""
    from torture.file_faults.attempts import Laboratory
    from torture.file_faults.commands import select

    figures, random = Figures(), Random(seed)
    with Laboratory() as laboratory:
        for command in select(names):
            expected = laboratory.expected(command)
            before = laboratory.before(command)
            counts = {kinds: laboratory.count(command, kinds) for kinds in (ALL, ALLOCATING)}
            possible = [(kind, n) for kind in _KINDS for n in range(1, counts[kind[3]] + 1)]
            chosen = random.sample(possible, min(len(possible), max(1, round(_PER_COMMAND * scale))))
            for (name, action, error, kinds), n in sorted(chosen, key=lambda each: each[1]):
                disk = laboratory.copy(before)
                done = laboratory.run(command, disk, Fault(action, n, error, kinds))
                if done.complaint:
                    outcome = "crash" if done.code is None or done.code < 0 else "traceback"
                    detail = done.complaint
                else:
                    outcome, detail = laboratory.verdict(
                        command, disk, expected, acknowledged=done.acknowledged
                    )
                figures.record(f"{command.name}, {name} at operation {n}", outcome, detail)
                shutil.rmtree(disk)
    return figures
