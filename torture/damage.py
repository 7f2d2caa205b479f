"""Damaged files: every kind of file of a workspace, flipped, truncated, deleted or replaced, then asked.

What is damaged when a file is opened is refused, or has no effect on any answer; derived data may be rebuilt.
Never a wrong answer, a traceback or a crash.
"""

import os
import re
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from torture.asked import ask, outcome
from torture.figures import Figures
from torture.full_workspace import build

CASES = 2000  # at scale 1
Damage = Callable[[Path], str]  # changes a file; returns what was done
_IN_PLACE = (".db", ".lock", "lock")  # endings of files that are written in place: never shared


def run(scale: float, seed: int) -> Figures:
    """Damage one file at a time, each in a copy of the workspace."""
    figures, random = Figures(), Random(seed)
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        path = build(folder, folder / "earlier")
        expected, _ = ask(path)  # in this process: from now on children have all code
        for file, damage in cases(path, folder / "earlier", random, round(CASES * scale)):
            copy = linked_copy(path, folder / "copy")
            done = damage(copy / file)
            found, detail = outcome(copy, expected)
            figures.record(f"{file}: {done}", found, detail)
            shutil.rmtree(copy)
    return figures


def linked_copy(path: Path, copy: Path) -> Path:
    """A copy of a workspace with the same files: stores never write to a file in place."""

    def link(source: str, target: str) -> None:
        shutil.copyfile(source, target) if source.endswith(_IN_PLACE) else os.link(source, target)

    shutil.copytree(path, copy, copy_function=link)
    return copy


def cases(path: Path, earlier: Path, random: Random, number: int) -> Iterator[tuple[Path, Damage]]:
    """Files and damages: kinds of files by turns, so that any number of cases is spread over all."""
    kinds = _kinds(path)
    order = list(kinds)
    random.shuffle(order)
    for n in range(number):
        kind = order[n % len(order)]
        file = random.choice(kinds[kind])
        others = [path / each for each in kinds[kind] if each != file]
        others += [
            each for each in (earlier / other for other in _kinds(earlier).get(kind, ())) if each.is_file()
        ]
        yield file, _damages(random, others)[(n // len(order) + n) % _DAMAGES]


def _kinds(path: Path) -> dict[str, list[Path]]:
    """The files of a workspace, by what they are: random names of parts and segments do not count."""
    found = defaultdict[str, list[Path]](list)
    for file in sorted(path.rglob("*")):
        if file.is_file() and not file.name.endswith("lock"):
            name = file.relative_to(path)
            kind = re.sub(r"[0-9a-f]{12,32}|\d{4}-[\d-]+T[\d-]+", "*", name.as_posix())
            found[kind].append(name)
    return found


def _damages(random: Random, others: Sequence[Path]) -> list[Damage]:
    def flip(begin: float, end: float, where: str) -> Damage:
        def flipped(file: Path) -> str:
            content = bytearray(_taken(file))
            if not content:
                file.write_bytes(b"\0")
                return "a byte appended"
            at = min(len(content) - 1, int(len(content) * random.uniform(begin, end)))
            bit = random.randrange(8)
            content[at] ^= 1 << bit
            file.write_bytes(content)
            return f"bit {bit} of byte {at} of {len(content)} flipped, {where}"

        return flipped

    def truncate(file: Path) -> str:
        content = _taken(file)
        size = random.randrange(len(content)) if content else 0
        file.write_bytes(content[:size])
        return f"truncated from {len(content)} to {size} bytes"

    def delete(file: Path) -> str:
        file.unlink()
        return "deleted"

    def swap(file: Path) -> str:
        differing = [each for each in others if each.read_bytes() != file.read_bytes()]
        if not differing:
            return truncate(file)
        other = random.choice(differing)
        _taken(file)
        shutil.copyfile(other, file)
        return f"replaced by {other.parent.name}/{other.name}"

    def zeros(file: Path) -> str:
        file.write_bytes(bytes(len(_taken(file))))
        return "replaced by zeros"

    def empty(file: Path) -> str:
        _taken(file)
        file.touch()
        return "emptied"

    def folder(file: Path) -> str:
        file.unlink()
        file.mkdir()
        return "replaced by a folder"

    def pipe(file: Path) -> str:
        file.unlink()
        os.mkfifo(file)
        return "replaced by a named pipe"

    def appended(file: Path) -> str:
        content = _taken(file)
        file.write_bytes(content + random.randbytes(8))
        return "8 bytes appended"

    return [
        flip(0, 1, "anywhere"),
        flip(0, 0.02, "at the begin"),
        flip(0.9, 1, "at the end"),
        truncate,
        delete,
        swap,
        zeros,
        empty,
        folder,
        pipe,
        appended,
    ]


_DAMAGES = 11


def _taken(file: Path) -> bytes:
    """The content of a file, which is then replaced: other names of it keep theirs."""
    content = file.read_bytes()
    file.unlink()
    return content
