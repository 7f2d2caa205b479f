"""Every writing command, killed by SIGKILL at random times and at its file operations, and run again.

A reader must find the workspace as it was before the command or as it is after it, the check must pass, and the
command must succeed when it is run again, with the content that it has undisturbed.
"""

from collections.abc import Iterator
from random import Random

from torture.figures import Attempt, Figures
from torture.file_faults.attempts import Laboratory
from torture.file_faults.commands import Command
from torture.file_faults.preloaded import run_preloaded
from torture.file_faults.shim import ALL, KILL, Fault

_BY_TIME = 15  # kills of each command at scale 1, at times that are uniform over its duration
_BY_OPERATION = 30  # and at operations chosen at random, writes half done; all of them if there are fewer


def run(scale: float, seed: int) -> Figures:
    """Kills of every command."""
    return run_preloaded([__name__], scale, seed)


def attempts(laboratory: Laboratory, command: Command, scale: float, random: Random) -> Iterator[Attempt]:
    """Kills of one command, in a process with the fault-injection library."""
    disk = laboratory.copy(laboratory.before(command))
    undisturbed = laboratory.run(command, disk, Fault())
    laboratory.discard(disk)
    operations = range(1, undisturbed.operations + 1)
    chosen = random.sample(operations, min(len(operations), max(1, round(_BY_OPERATION * scale))))
    moments = [random.uniform(0, undisturbed.seconds) for _ in range(max(1, round(_BY_TIME * scale)))]
    kills: list[tuple[str, Fault, float | None]]
    kills = [(f"operation {n}", Fault(KILL, n, 0, ALL), None) for n in sorted(chosen)]
    kills += [(f"{1000 * each:.1f} ms", Fault(), each) for each in moments]
    for name, fault, moment in kills:
        disk = laboratory.copy(laboratory.before(command))
        done = laboratory.run(command, disk, fault, kill_after=moment)
        if done.code in (0, -9):
            outcome, detail = laboratory.verdict(command, disk, done.acknowledged)
            if done.code == 0 and outcome in ("applied", "derived"):
                outcome = "ended before the kill"
        else:
            outcome, detail = "traceback", f"{done.code}: {done.messages}"
        laboratory.discard(disk)
        yield f"{command.name} killed at {name}", outcome, detail
