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
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from filelock import FileLock, Timeout

from querykin.errors import WorkspaceError
from querykin.storage.atomic_write import _sync, write_text

FORMAT = 2
_MEND = "querykin check lists all damage; restore the workspace from a copy or build it anew"
T = TypeVar("T")


@dataclass(frozen=True)
class Manifest:
    """What a store holds: its parts with their files, and metadata of the owner's choosing."""

    generation: int = 0
    store_id: str = ""  # given once, so that another store in the same place is not taken for this one
    metadata: dict[str, Any] = field(default_factory=dict)
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
            manifest = Manifest(int(raw["generation"]), str(raw["store_id"]), dict(raw["metadata"]), parts)
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

    def stamp(self) -> tuple[int, int, int]:
        """Identifies the manifest file on disk without reading it: inode, modification time and size."""
        try:
            found = os.stat(self.path / "manifest.json")
        except FileNotFoundError:
            return 0, 0, 0
        return found.st_ino, found.st_mtime_ns, found.st_size

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
                self._replace_manifest(replace(self.manifest(), store_id=uuid4().hex))
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

    def commit(self, metadata: dict[str, Any], parts: Iterable[str]) -> Manifest:
        """Make these metadata and parts the store's content, in one step."""
        before = self.manifest()
        kept = {name: before.parts.get(name) or _seal(self.part(name)) for name in parts}
        _sync(self.path / "parts")
        after = Manifest(before.generation + 1, before.store_id, metadata, kept)
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
