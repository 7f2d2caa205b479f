"""Every writing command, with the power lost after each of its file operations.

The operations of one run are recorded. For every step of the record, `file_faults/disk.py` makes the contents
that a disk may have when the power fails there: what was not forced to disk is dropped, kept, torn, zeroed or
reordered. One of them, chosen at random, is examined for each step, and all of the last: a reader must find the
workspace as it was before the command or as it is after it (after it, if the command had ended), the check must
pass, and the command must succeed when it is run again.
"""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from random import Random

from torture.figures import Attempt, Figures
from torture.file_faults.attempts import Laboratory
from torture.file_faults.commands import Command
from torture.file_faults.disk import Disk, Tree, read_tree, write_tree
from torture.file_faults.preloaded import run_preloaded
from torture.file_faults.shim import Fault

_MIXTURES = 2  # random contents at each step, besides the four extremes
_MAPPED = "-shm"  # SQLite's index of a log, written through memory; rebuilt after a loss of power
_CHANGING = frozenset({"open", "write", "truncate", "sync", "rename", "unlink", "rmdir", "mkdir", "link"})


def run(scale: float, seed: int) -> Figures:
    """Losses of power during every command."""
    return run_preloaded([__name__], scale, seed)


def attempts(laboratory: Laboratory, command: Command, scale: float, random: Random) -> Iterator[Attempt]:
    """Losses of power after every operation of one command, or a share of them, in a process with the library."""
    before, log = laboratory.before(command), laboratory.folder / "log"
    disk = laboratory.copy(before)
    laboratory.run(command, disk, Fault(), log)
    found, replayed = read_tree(disk), _replayed(before, log)
    differing = sorted(path for path in {*found, *replayed} if found.get(path) != replayed.get(path))
    if differing := [path for path in differing if not path.endswith(_MAPPED)]:
        raise RuntimeError(f"{command.name}: operations were not recorded, see {differing[:3]}")
    laboratory.discard(disk)
    for (step, last), group in groupby(states(before, log, random), key=lambda each: each[:2]):
        possible = [tree for _, _, tree in group]
        if not last:
            possible = [random.choice(possible)] if random.random() < scale else []
        for number, tree in enumerate(possible, start=1):
            disk = laboratory.new_disk()
            write_tree(tree, disk)
            outcome, detail = laboratory.verdict(command, disk, acknowledged=last)
            laboratory.discard(disk)
            yield f"{command.name}, power lost at step {step}, state {number}", outcome, detail


def _replayed(before: Path, log: Path) -> Tree:
    disk = Disk(before)
    for _ in disk.replay(log):
        pass
    return disk.as_seen()


def states(before: Path, log: Path, random: Random) -> Iterator[tuple[int, bool, Tree]]:
    """(step, whether it is the last one, content) of the disks that a record allows, each content once."""
    disk = Disk(before)
    seen: set[int] = set()
    steps = sum(1 for _ in Disk(before).replay(log))
    for step, operation in enumerate(disk.replay(log), start=1):
        last = step == steps
        if last:
            seen.clear()  # contents that were allowed so far may not be any more
        if operation not in _CHANGING and not last:
            continue
        for tree in disk.states(random, _MIXTURES):
            key = hash(frozenset(tree.items()))
            if key not in seen:
                seen.add(key)
                yield step, last, tree
