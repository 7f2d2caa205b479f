"""How things are kept on disk: immutable parts, listed by a manifest that is replaced in one step.

A store is a folder with a `manifest.json` and `parts/`. A part is a folder of files that is written once
and never changed. A writer fills new parts beside those in use and then replaces the manifest; readers see
the state before or the state after, whatever happens in between, and a killed writer leaves nothing but
parts that no manifest names, which the next writer sweeps away. Deletion is a list of the dead; parts are
rewritten without them when they have become many. The corpus and the indexes of candidates are kept so.
"""

import json
import os
import shutil
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from mmap import MAP_PRIVATE, PROT_READ, PROT_WRITE, mmap
from pathlib import Path
from typing import Any, BinaryIO, TypeVar
from uuid import uuid4

import numpy as np
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from querykin.errors import WorkspaceError

FORMAT = 1
# A private map of a file larger than memory is refused without it; no page is ever written in earnest.
_NO_RESERVE = 0x4000 if sys.platform == "linux" else 0
_HEADER = 128  # bytes: room to write an array's length into its header once it is known
_MEND = "querykin check lists all damage; restore the workspace from a copy or build it anew"
T = TypeVar("T")


class ArrayFile:
    """An array written piece by piece, so that it never has to fit in memory; read back by `load`."""

    def __init__(self, path: Path, dtype: type[np.generic]) -> None:
        self._dtype, self._size = np.dtype(dtype), 0
        self._file = path.open("wb")
        self._file.write(bytes(_HEADER))

    def append(self, values: NDArray[Any]) -> None:
        """Write more values behind those already there."""
        self._file.write(np.ascontiguousarray(values, self._dtype).data)
        self._size += len(values)

    def close(self) -> None:
        """Write the length into the header: only now is the file an array."""
        shape = f"{{'descr': '{self._dtype.str}', 'fortran_order': False, 'shape': ({self._size},), }}"
        self._file.seek(0)
        self._file.write(b"\x93NUMPY\x01\x00" + (_HEADER - 10).to_bytes(2, "little"))
        self._file.write(shape.ljust(_HEADER - 11).encode() + b"\n")
        self._file.close()


def save(folder: Path, **arrays: NDArray[Any]) -> None:
    """Write arrays under their names."""
    for name, values in arrays.items():
        np.save(folder / f"{name}.npy", values, allow_pickle=False)


def load(folder: Path, name: str) -> NDArray[Any]:
    """Map an array into memory: opening costs no reading.

    Copy-on-write, since numba compiles a second version of every kernel for read-only arrays.
    """
    path = folder / f"{name}.npy"
    try:
        with path.open("rb") as file:
            return _mapped(file)
    except (ValueError, EOFError) as error:
        raise WorkspaceError(f"{path} is damaged ({error}); {_MEND}") from error


def _mapped(file: BinaryIO) -> NDArray[Any]:
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("not an array of ours")
    shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    begin, count = file.tell(), int(np.prod(shape))
    if not count:
        return np.empty(shape, dtype)
    if os.fstat(file.fileno()).st_size < begin + count * dtype.itemsize:
        raise ValueError("it is cut off")
    pages = mmap(file.fileno(), 0, flags=MAP_PRIVATE | _NO_RESERVE, prot=PROT_READ | PROT_WRITE)
    return np.frombuffer(pages, dtype, count, begin).reshape(shape)


@dataclass(frozen=True)
class Manifest:
    """What a store holds: its parts with their files, and facts of the owner's choosing."""

    generation: int = 0
    lineage: str = ""  # given once, so that another store in the same place is not taken for this one
    facts: dict[str, Any] = field(default_factory=dict)
    parts: dict[str, dict[str, list[int]]] = field(default_factory=dict)  # part -> file -> [bytes, crc32]


class Store:
    """A folder of immutable parts under one manifest; `kind` says what it holds."""

    def __init__(self, path: Path, kind: str) -> None:
        self.path, self.kind = path, kind

    def part(self, name: str) -> Path:
        """The folder of a part."""
        return self.path / "parts" / name

    def manifest(self) -> Manifest:
        """What the store holds now; empty where nothing was ever written."""
        path = self.path / "manifest.json"
        try:
            raw = json.loads(path.read_text("utf-8"))
            found, kind = raw["format"], raw["kind"]
            parts = {name: dict(files) for name, files in raw["parts"].items()}
            manifest = Manifest(int(raw["generation"]), str(raw["lineage"]), dict(raw["facts"]), parts)
        except FileNotFoundError:
            if any((self.path / "parts").glob("*")):
                raise WorkspaceError(f"{path} is missing, though its parts are there; {_MEND}") from None
            return Manifest()
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise WorkspaceError(f"{path} is damaged ({error!r}); restore it from a copy") from error
        except OSError as error:
            raise WorkspaceError(
                f"cannot read {path}: {error.strerror}; choose another --workspace"
            ) from error
        if found != FORMAT or kind != self.kind:
            raise WorkspaceError(
                f"{path} holds {kind!r} in format {found}; this version reads {self.kind!r} in format "
                f"{FORMAT}: build the workspace anew or use the version that wrote it"
            )
        return manifest

    def read(self, opening: Callable[[Manifest], T]) -> T:
        """Open what the manifest names, again if a writer replaced it meanwhile."""
        for _ in range(20):
            manifest = self.manifest()
            try:
                return opening(manifest)
            except FileNotFoundError as error:
                missing = error
                if self.manifest().generation == manifest.generation:
                    break
            except (KeyError, TypeError) as error:
                raise WorkspaceError(
                    f"{self.path / 'manifest.json'} is damaged ({error!r}); restore it from a copy"
                ) from error
        raise WorkspaceError(f"{missing.filename} is missing; restore it or build the workspace anew")

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Keep other writers out, and sweep away what killed ones left."""
        lock = FileLock(self.path / "lock", timeout=0)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            lock.acquire()
        except Timeout:
            raise WorkspaceError(f"another process is writing to {self.path}; try again later") from None
        except OSError as error:
            raise WorkspaceError(
                f"cannot write to {self.path}: {error.strerror or error}; nothing has changed"
            ) from error
        try:
            if not (self.path / "manifest.json").exists():
                self._replace_manifest(replace(self.manifest(), lineage=uuid4().hex))
            self._sweep()
            yield
        except BaseException:
            self._sweep()
            raise
        finally:
            lock.release()

    def new_part(self, kind: str) -> str:
        """Make an empty folder for a part and return the part's name."""
        name = f"{kind}-{uuid4().hex[:12]}"
        self.part(name).mkdir(parents=True)
        return name

    def commit(self, facts: dict[str, Any], parts: Iterable[str]) -> Manifest:
        """Make these facts and parts the store's content, in one step."""
        before = self.manifest()
        kept = {name: before.parts.get(name) or _seal(self.part(name)) for name in parts}
        _sync(self.path / "parts")
        after = Manifest(before.generation + 1, before.lineage, facts, kept)
        self._replace_manifest(after)
        self._sweep()
        return after

    def _replace_manifest(self, manifest: Manifest) -> None:
        """The commit: readers see the old manifest or the new one."""
        content = {"format": FORMAT, "kind": self.kind, **vars(manifest)}
        write_text(self.path / "manifest.json", json.dumps(content, indent=1))

    def damaged(self) -> list[str]:
        """Compare every file with its recorded size and checksum; returns what differs."""
        found = []
        for name, files in self.manifest().parts.items():
            for file, (size, checksum) in files.items():
                path = self.part(name) / file
                if not path.is_file():
                    found.append(f"{path} is missing")
                elif path.stat().st_size != size:
                    found.append(f"{path} has {path.stat().st_size} bytes instead of {size}")
                elif _checksum(path) != checksum:
                    found.append(f"{path} differs from what was written")
        return found

    def _sweep(self) -> None:
        named = self.manifest().parts
        for folder in (self.path / "parts").glob("*"):
            if folder.name not in named:
                shutil.rmtree(folder, ignore_errors=True)
        for draft in self.path.glob(".manifest.json.*"):
            draft.unlink()


def write_text(path: Path, text: str) -> None:
    """Write a file in one step: a reader sees what was there before or all of it, also after a power cut."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    with draft.open("w", encoding="utf-8", errors="replace") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)
    _sync(path.parent)


def _seal(folder: Path) -> dict[str, list[int]]:
    """Force a part to disk and record the size and checksum of its files."""
    files = {}
    for path in sorted(folder.rglob("*")):
        _sync(path)
        if path.is_dir():
            continue
        files[path.relative_to(folder).as_posix()] = [path.stat().st_size, _checksum(path)]
    _sync(folder)
    return files


def _checksum(path: Path) -> int:
    value = 0
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            value = zlib.crc32(piece, value)
    return value


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
