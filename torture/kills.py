"""Every writing command, killed by SIGKILL at random times and at its file operations, and run again.

A reader must find the workspace as it was before the command or as it is after it, the check must pass, and the
command must succeed when it is run again, with the content that it has undisturbed.
"""

import shutil
from collections.abc import Sequence
from random import Random

from torture.figures import Figures
from torture.file_faults.shim import ALL, KILL, Fault, run_preloaded

_BY_TIME = 40  # kills of each command at scale 1, at times that are uniform over its duration
_BY_OPERATION = 60  # and at operations chosen at random, writes half done; all of them if there are fewer


def run(scale: float, seed: int) -> Figures:
    """Kills of every command."""
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
            undisturbed = laboratory.run(command, laboratory.copy(before), Fault())
            operations = range(1, undisturbed.operations + 1)
            chosen = random.sample(operations, min(len(operations), max(1, round(_BY_OPERATION * scale))))
            moments = [random.uniform(0, undisturbed.seconds) for _ in range(max(1, round(_BY_TIME * scale)))]
            kills: list[tuple[str, Fault, float | None]]
            kills = [(f"operation {n}", Fault(KILL, n, 0, ALL), None) for n in sorted(chosen)]
            kills += [(f"{1000 * each:.1f} ms", Fault(), each) for each in moments]
            for name, fault, moment in kills:
                disk = laboratory.copy(before)
                done = laboratory.run(command, disk, fault, kill_after=moment)
                if done.code not in (0, -9):
                    figures.record(f"{command.name} at {name}", "traceback", f"{done.code}: {done.messages}")
                    continue
                outcome, detail = laboratory.verdict(command, disk, expected, acknowledged=done.acknowledged)
                if done.code == 0 and outcome in ("applied", "derived"):
                    outcome = "ended before the kill"
                figures.record(f"{command.name} killed at {name}", outcome, detail)
                shutil.rmtree(disk)
    return figures
