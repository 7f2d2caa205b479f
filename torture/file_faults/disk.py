"""What a disk may hold after a loss of power: the states that a log of file operations allows.

What was not forced to disk may be there, wholly or in part, or not. The content of a file is safe after fsync
of the file, its name after fsync of the folder; both independently, and other names in other orders: a file
system may do worse than today's common ones and still keep what POSIX promises. A rename is atomic.
"""

import os
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from torture.file_faults.shim import OPERATIONS

_RECORD = struct.Struct("<BxxxiQqII")
_CREATED, _TRUNCATED = 1, 2
Tree = dict[str, bytes | None]  # path below the folder -> content; None: a folder


@dataclass
class _File:
    """A file: the operations on its data, of which the first `synced` are safe."""

    changes: list[tuple[int, bytes | None]] = field(
        default_factory=list
    )  # offset, data; None: truncated there
    synced: int = 0
    is_folder: bool = False
    _safe: bytes = b""
    _applied: int = 0

    def safe(self) -> bytes:
        """The content at the last fsync."""
        if self._applied < self.synced:
            self._safe = _apply(self._safe, self.changes[self._applied : self.synced])
            self._applied = self.synced
        return self._safe

    @property
    def pending(self) -> list[tuple[int, bytes | None]]:
        return self.changes[self.synced :]


@dataclass
class _Entry:
    """A change of names: (folder, name, file now under it), several if it is a rename."""

    names: list[tuple[int, str, int | None]]
    synced: bool = False


Choice = Callable[[_File], bytes]


class Disk:
    """A folder as the operations of a log change it, one after the other."""

    def __init__(self, folder: Path) -> None:
        """Begin with the content of a folder, all of it safe; the log may be of a copy of it."""
        self._files: list[_File] = [_File(is_folder=True)]
        self._names: dict[tuple[int, str], int] = {}  # as the process sees them
        self._safe_names: dict[tuple[int, str], int] = {}
        self._entries: list[_Entry] = []
        self._handles: dict[int, int] = {}
        for path in sorted(folder.rglob("*")):
            self._add(self._place(f"/{path.relative_to(folder)}"), path.is_dir())
            if path.is_file():
                self._files[-1].changes.append((0, path.read_bytes()))
                self._files[-1].synced = 1
        self._safe_names = dict(self._names)
        self._entries = []

    def replay(self, log: Path) -> Iterator[str]:
        """Apply one operation after the other; yields its name."""
        content, at = log.read_bytes(), 0
        while at < len(content):
            number, flags, handle, offset, path_length, data_length = _RECORD.unpack_from(content, at)
            at += _RECORD.size
            path = os.fsdecode(content[at : at + path_length])
            data = content[at + path_length : at + path_length + data_length]
            at += path_length + data_length
            operation = OPERATIONS[number]
            getattr(self, f"_{operation}")(path, data, handle, offset, flags)
            yield operation

    # One method for each operation, all with the fields of a record.

    def _open(self, path: str, data: bytes, handle: int, offset: int, flags: int) -> None:
        if flags & _CREATED:
            self._add(self._place(path), False)
        self._handles[handle] = self._file_at(path)
        if flags & _TRUNCATED:
            self._files[self._handles[handle]].changes.append((0, None))

    def _write(self, path: str, data: bytes, handle: int, offset: int, flags: int) -> None:
        self._files[self._handles[handle]].changes.append((offset, data))

    def _truncate(self, path: str, data: bytes, handle: int, offset: int, flags: int) -> None:
        self._files[self._handles[handle]].changes.append((offset, None))

    def _sync(self, path: str, data: bytes, handle: int, offset: int, flags: int) -> None:
        number = self._handles[handle]
        self._files[number].synced = len(self._files[number].changes)
        for entry in self._entries:
            entry.synced |= any(folder == number for folder, _, _ in entry.names)

    def _close(self, path: str, data: bytes, handle: int, offset: int, flags: int) -> None:
        """A copy of the descriptor may still be open: the handle stays known."""

    def _mkdir(self, path: str, data: bytes, handle: int, offset: int, flags: int) -> None:
        self._add(self._place(path), True)

    def _unlink(self, path: str, data: bytes, handle: int, offset: int, flags: int) -> None:
        self._change([(*self._place(path), None)])

    _rmdir = _unlink

    def _rename(self, path: str, data: bytes, handle: int, offset: int, flags: int) -> None:
        moved = self._file_at(path)
        self._change([(*self._place(path), None), (*self._place(os.fsdecode(data)), moved)])

    def _link(self, path: str, data: bytes, handle: int, offset: int, flags: int) -> None:
        self._change([(*self._place(os.fsdecode(data)), self._file_at(path))])

    def _symlink(self, path: str, data: bytes, handle: int, offset: int, flags: int) -> None:
        raise NotImplementedError("no command makes symbolic links")

    def _place(self, path: str) -> tuple[int, str]:
        """The folder of a path, and the name in it."""
        folder, _, name = path.rpartition("/")
        return self._file_at(folder), name

    def _file_at(self, path: str) -> int:
        number = 0
        for name in path.split("/")[1:]:
            number = self._names[number, name]
        return number

    def _add(self, place: tuple[int, str], is_folder: bool) -> None:
        self._files.append(_File(is_folder=is_folder))
        self._change([(*place, len(self._files) - 1)])

    def _change(self, names: list[tuple[int, str, int | None]]) -> None:
        self._entries.append(_Entry(names))
        _apply_names(self._names, names)

    def as_seen(self) -> Tree:
        """The content as processes see it, and as it stays if only they are killed."""
        return self._tree(self._names, lambda file: _apply(file.safe(), file.pending))

    def states(self, random: Random, mixtures: int) -> Iterator[Tree]:
        """What the disk may hold if the power fails now: four extremes and random mixtures of them."""
        for keep in (lambda: False, lambda: True):
            names = self._surviving(keep)
            yield self._tree(names, lambda file: file.safe())
            yield self._tree(names, lambda file: _apply(file.safe(), file.pending))
        for _ in range(mixtures):
            names = self._surviving(lambda: random.random() < 0.5)
            yield self._tree(names, lambda file: _torn(file, random))

    def _surviving(self, keep: Callable[[], bool]) -> dict[tuple[int, str], int]:
        names = dict(self._safe_names)
        for entry in self._entries:
            if entry.synced or keep():
                _apply_names(names, entry.names)
        return names

    def _tree(self, names: dict[tuple[int, str], int], content: Choice) -> Tree:
        below: dict[int, list[tuple[str, int]]] = {}
        for (folder, name), number in names.items():
            below.setdefault(folder, []).append((name, number))
        tree: Tree = {}
        todo = [("", 0)]
        while todo:
            path, folder = todo.pop()
            for name, number in below.get(folder, ()):
                inside = f"{path}/{name}" if path else name
                if self._files[number].is_folder:
                    tree[inside] = None
                    todo.append((inside, number))
                else:
                    tree[inside] = content(self._files[number])
        return tree


def write_tree(tree: Tree, folder: Path) -> None:
    """Make a folder with such a content."""
    for path, content in sorted(tree.items()):
        if content is None:
            (folder / path).mkdir(parents=True)
        else:
            (folder / path).write_bytes(content)


def read_tree(folder: Path) -> Tree:
    """The content of a folder."""
    return {
        path.relative_to(folder).as_posix(): None if path.is_dir() else path.read_bytes()
        for path in folder.rglob("*")
    }


def _apply_names(names: dict[tuple[int, str], int], changes: list[tuple[int, str, int | None]]) -> None:
    for folder, name, number in changes:
        if number is None:
            names.pop((folder, name), None)
        else:
            names[folder, name] = number


def _apply(content: bytes, changes: list[tuple[int, bytes | None]]) -> bytes:
    if not changes:
        return content
    result = bytearray(content)
    for offset, data in changes:
        if len(result) < offset:
            result += bytes(offset - len(result))
        if data is None:
            del result[offset:]
        else:
            result[offset : offset + len(data)] = data
    return bytes(result)


def _torn(file: _File, random: Random) -> bytes:
    """The content of a file of which some changes reached the disk."""
    pending = file.pending
    if not pending:
        return file.safe()
    way = random.randrange(5)
    if way == 0:
        return file.safe()
    if way == 1:  # the length was written, the blocks were not
        return file.safe().ljust(len(_apply(file.safe(), pending)), b"\0")
    if way == 2:  # in any order
        return _apply(file.safe(), [change for change in pending if random.random() < 0.5])
    kept = pending[: random.randint(1, len(pending))]
    offset, data = kept[-1]
    if way == 3 and data:  # a prefix of them, and of the last one
        kept[-1] = offset, data[: random.randrange(len(data))]
    return _apply(file.safe(), kept)
