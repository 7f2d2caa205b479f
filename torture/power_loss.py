"""Every writing command, with the power lost after any of its file operations.

The operations of one run are recorded. For every step of the record, `file_faults/disk.py` makes the contents
that a disk may have when the power fails there: what was not forced to disk is dropped, kept, torn, zeroed or
reordered. On each, a reader must find the workspace as it was before the command or as it is after it (after it,
if the command had ended), the check must pass, and the command must succeed when it is run again.
"""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from torture.figures import Figures
from torture.file_faults.disk import Disk, Tree, read_tree, write_tree
from torture.file_faults.shim import Fault, run_preloaded

_PER_COMMAND = 160  # different contents at scale 1, chosen at random; all of them if there are fewer
_MIXTURES = 2  # random contents at each step, besides the four extremes
_CHANGING = frozenset({"open", "write", "truncate", "sync", "rename", "unlink", "rmdir", "mkdir", "link"})


def run(scale: float, seed: int) -> Figures:
    """Losses of power during every command."""
    return run_preloaded([__name__], scale, seed)


def attempts(scale: float, seed: int, names: Sequence[str] = ()) -> Figures:
    """The same, of some commands or all, in a process with the fault-injection library."""
    from torture.file_faults.attempts import Laboratory
    from torture.file_faults.commands import select

    figures, random = Figures(), Random(seed)
    with Laboratory() as laboratory:
        for command in select(names):
            expected = laboratory.expected(command)
            before, log = laboratory.before(command), laboratory.folder / "log"
            disk = laboratory.copy(before)
            laboratory.run(command, disk, Fault(), log)
            if (found := read_tree(disk)) != (replayed := _replayed(before, log)):
                differing = sorted(
                    path for path in {*found, *replayed} if found.get(path) != replayed.get(path)
                )
                raise RuntimeError(f"{command.name}: operations were not recorded, see {differing[:3]}")
            shutil.rmtree(disk)
            possible = [(step, number, last) for step, number, last, _ in states(before, log, seed)]
            at_the_end = [each for each in possible if each[2]]
            wanted = max(1, round(_PER_COMMAND * scale))
            chosen = {*at_the_end, *random.sample(possible, min(len(possible), wanted))}
            for step, number, last, tree in states(before, log, seed):
                if (step, number, last) not in chosen:
                    continue
                disk = laboratory.new_disk()
                write_tree(tree, disk)
                outcome, detail = laboratory.verdict(command, disk, expected, acknowledged=last)
                figures.record(f"{command.name}, power lost at step {step}, state {number}", outcome, detail)
                shutil.rmtree(disk)
    return figures


def _replayed(before: Path, log: Path) -> Tree:
    disk = Disk(before)
    for _ in disk.replay(log):
        pass
    return disk.as_seen()


def states(before: Path, log: Path, seed: int) -> Iterator[tuple[int, int, bool, Tree]]:
    """(step, number, whether it is the last step, content) of the disks that a record allows, each once."""
    disk, random = Disk(before), Random(seed)
    seen: set[int] = set()
    steps = sum(1 for _ in Disk(before).replay(log))
    for step, operation in enumerate(disk.replay(log), start=1):
        last = step == steps
        if last:
            seen.clear()  # contents that were allowed so far may not be any more
        if operation not in _CHANGING and not last:
            continue
        for number, tree in enumerate(disk.states(random, _MIXTURES)):
            key = hash(frozenset(tree.items()))
            if key not in seen:
                seen.add(key)
                yield step, number, last, tree
