"""What can happen to a file: bits flip, its end is lost, or something else is in its place."""

import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

Damage = Callable[[Path, Sequence[Path], Random], str]  # a file, others of its kind -> what was done


def taken(file: Path) -> bytes:
    """The content of a file, which is then deleted: other names of it keep theirs."""
    content = file.read_bytes()
    file.unlink()
    return content


def _flip(file: Path, random: Random, begin: float, end: float) -> str:
    content = bytearray(taken(file)) or bytearray(1)
    at, bit = min(len(content) - 1, int(len(content) * random.uniform(begin, end))), random.randrange(8)
    content[at] ^= 1 << bit
    file.write_bytes(content)
    return f"bit {bit} of byte {at} of {len(content)} flipped"


def flip_anywhere(file: Path, others: Sequence[Path], random: Random) -> str:
    """One bit."""
    return _flip(file, random, 0, 1)


def flip_at_begin(file: Path, others: Sequence[Path], random: Random) -> str:
    """One bit of the header."""
    return _flip(file, random, 0, 0.02)


def flip_at_end(file: Path, others: Sequence[Path], random: Random) -> str:
    """One bit of the footer."""
    return _flip(file, random, 0.95, 1)


def truncate(file: Path, others: Sequence[Path], random: Random) -> str:
    """The end is lost."""
    content = taken(file)
    size = random.randrange(len(content)) if content else 0
    file.write_bytes(content[:size])
    return f"truncated from {len(content)} to {size} bytes"


def delete(file: Path, others: Sequence[Path], random: Random) -> str:
    """The file is lost."""
    file.unlink()
    return "deleted"


def replace(file: Path, others: Sequence[Path], random: Random) -> str:
    """A valid file of the same kind is in its place."""
    differing = [each for each in others if each.read_bytes() != file.read_bytes()]
    if not differing:
        return truncate(file, others, random)
    other = random.choice(differing)
    file.unlink()
    shutil.copyfile(other, file)
    return f"replaced by {other.parent.name}/{other.name}"


def zero(file: Path, others: Sequence[Path], random: Random) -> str:
    """Blocks that were never written."""
    file.write_bytes(bytes(len(taken(file))))
    return "replaced by zeros"


def empty(file: Path, others: Sequence[Path], random: Random) -> str:
    """Nothing was written."""
    taken(file)
    file.touch()
    return "emptied"


def append(file: Path, others: Sequence[Path], random: Random) -> str:
    """More than was written."""
    file.write_bytes(taken(file) + random.randbytes(8))
    return "8 bytes appended"


def make_folder(file: Path, others: Sequence[Path], random: Random) -> str:
    """A folder is in its place."""
    file.unlink()
    file.mkdir()
    return "replaced by a folder"


def make_pipe(file: Path, others: Sequence[Path], random: Random) -> str:
    """A named pipe is in its place: to open it for reading waits for a writer."""
    file.unlink()
    os.mkfifo(file)
    return "replaced by a named pipe"


DAMAGES: tuple[Damage, ...] = (
    flip_anywhere,
    flip_at_begin,
    flip_at_end,
    truncate,
    delete,
    replace,
    zero,
    empty,
    append,
    make_folder,
    make_pipe,
)
