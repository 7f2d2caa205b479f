"""Stores: immutable parts on disk, listed by a manifest that is replaced atomically.

A store is a folder with a `manifest.json` and `parts/`. A part is a folder of files that is written once
and never modified. A writer fills new parts beside those in use and then replaces the manifest: readers see
the state before or after, never between. A killed writer leaves only parts that the manifest does not list,
which the next writer deletes. Deletions inside a part are recorded as tombstones (as in Lucene); parts with
many of them are rewritten. The corpus, the repository, the counts and the indexes are all stores.

In the mirror of a workspace in object storage, the commit is the replacement of the manifest there, and parts
are downloaded when the store is read.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from filelock import FileLock, Timeout

from querykin.errors import DamagedFile, WorkspaceError
from querykin.storage.atomic_write import create_folder, sync_to_disk, write_text
from querykin.storage.block_checksums import file_checksum, footer_checksum
from querykin.storage.checked_json import verified_json, with_checksum
from querykin.storage.locations import mirror_of
from querykin.storage.mirror import MANIFEST
from querykin.storage.object_storage import Version
from querykin.storage.part_cache import PinnedPart, remove_unused
from querykin.storage.part_folders import (
    MARKER,
    check_file_name,
    check_part_name,
    make_folder,
    own_folders,
    regular_size,
    remove_own,
)

FORMAT = 2
_READ_ATTEMPTS = 20
_MIRROR_PATIENCE = 5  # seconds to wait for a process that brings the manifest of a mirror up to date
T = TypeVar("T")
Files = dict[str, tuple[int, str]]  # the files of a part -> bytes, checksum


@dataclass(frozen=True)
class Manifest:
    """The content of a store: its parts with their files, and metadata defined by the owner."""

    generation: int = 0
    store_id: str = ""  # assigned once: tells this store from another one later in the same place
    metadata: dict[str, Any] = field(default_factory=dict)
    parts: dict[str, Files] = field(default_factory=dict)


class Store:
    """A folder of immutable parts under one manifest; `kind` says what it contains.

    Files of parts are verified when the store is read: arrays by their footers (their blocks are verified on
    first use), others whole, except those whose names begin with one of `deferred`: their readers do that.
    """

    def __init__(self, path: Path, kind: str, deferred: tuple[str, ...] = ()) -> None:
        self.path, self.kind, self._deferred, self._mirror = path, kind, deferred, mirror_of(path)
        self._verified: set[str] = set()  # parts
        self._pinned: dict[str, PinnedPart] = {}  # parts that are not evicted from a mirror
        self._expected: Version | None = None  # of the manifest in object storage, while writing

    def __reduce__(self) -> tuple[type["Store"], tuple[Path, str, tuple[str, ...]]]:
        """A task in another process has the same folder, and its own connection to object storage."""
        return Store, (self.path.absolute(), self.kind, self._deferred)

    def part(self, name: str) -> Path:
        """The folder of a part."""
        try:
            return self.path / "parts" / check_part_name(name)
        except (ValueError, TypeError) as error:
            raise DamagedFile(self.path / MANIFEST, str(error)) from error

    def manifest(self) -> Manifest:
        """The current manifest; an empty one if nothing was ever written."""
        path = self.path / MANIFEST
        try:
            raw = read_manifest(path)
        except FileNotFoundError:
            if any((self.path / "parts").glob("*")):
                raise DamagedFile(path, "it is missing, though its parts exist") from None
            return Manifest()
        if raw["format"] == 1:
            raise WorkspaceError(
                f"{path} was written by querykin 0.1 (format 1; this version reads {FORMAT}); "
                "next: querykin upgrade"
            )
        if raw["format"] != FORMAT or raw["kind"] != self.kind:
            raise WorkspaceError(
                f"{path} holds {raw['kind']!r} in format {raw['format']}; this version reads {self.kind!r} "
                f"in format {FORMAT}: build the workspace from scratch or use the version that wrote it"
            )
        try:
            parts = {check_part_name(name): _listed(files) for name, files in raw["parts"].items()}
            return Manifest(int(raw["generation"]), str(raw["store_id"]), dict(raw["metadata"]), parts)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DamagedFile(path, repr(error)) from error

    def stamp(self) -> tuple[int, int, int]:
        """Identifies the manifest file on disk without reading it: inode, modification time and size."""
        try:
            found = os.stat(self.path / MANIFEST)
        except FileNotFoundError:
            return 0, 0, 0
        return found.st_ino, found.st_mtime_ns, found.st_size

    def read(self, opening: Callable[[Manifest], T]) -> T:
        """Open what the manifest lists, and again if a writer replaced it in the meantime."""
        for _ in range(_READ_ATTEMPTS):
            manifest = self.manifest()
            try:
                self._fetch(manifest)
                self._verify(manifest)
                return opening(manifest)
            except FileNotFoundError as error:
                missing = error
                if self._mirror:
                    self._mirror.refresh()
                if self.manifest().generation == manifest.generation:
                    break
            except (KeyError, TypeError) as error:
                raise DamagedFile(self.path / MANIFEST, repr(error)) from error
        raise DamagedFile(missing.filename, "it is missing")

    def _verify(self, manifest: Manifest) -> None:
        """Compare the files of parts with what the manifest records; FileNotFoundError if one is missing."""
        for name in manifest.parts.keys() - self._verified:
            for file, (size, checksum) in manifest.parts[name].items():
                path = self.part(name) / file
                if (found := regular_size(path)) != size:
                    raise DamagedFile(path, f"it has {found} bytes instead of {size}")
                if not file.startswith(self._deferred or "/") and _checksum(path) != checksum:
                    raise DamagedFile(path, "it differs from what was written")
        self._verified = set(manifest.parts)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the store's lock; delete what killed writers left."""
        with locked(self.path, _MIRROR_PATIENCE if self._mirror else 0):
            if self._mirror:
                self._expected = self._mirror.pull(self.path / MANIFEST)
            try:
                if not (self.path / MANIFEST).exists():
                    self._replace_manifest(replace(self.manifest(), store_id=uuid4().hex))
                self._sweep()
                try:
                    self._fetch(self.manifest())
                except FileNotFoundError as error:  # replaced meanwhile, or damaged
                    raise WorkspaceError(
                        f"{error.filename} is missing; run the command again; if that does not help: "
                        "querykin check says what can be done"
                    ) from error
                yield
            finally:
                self._sweep()

    def _fetch(self, manifest: Manifest) -> None:
        """Download the parts of a mirrored store that are not here, and keep them as long as this object."""
        if self._mirror:
            self._pinned = self._mirror.parts.fetch(self.path, manifest.parts)

    @contextmanager
    def changing(self, load: Callable[[Manifest], None], *, dry_run: bool = False) -> Iterator[None]:
        """Hold the lock while the owner of the store changes it, between two loads of what is on disk.

        The first shows it the newest state, the second undoes what was not committed. A dry run commits
        nothing and needs no lock.
        """
        with nullcontext() if dry_run else self.writing():
            self.read(load)
            try:
                yield
            finally:
                self.read(load)

    def new_part(self, kind: str) -> str:
        """Create an empty folder for a part; returns the part's name."""
        name = f"{kind}-{uuid4().hex[:12]}"
        make_folder(self.part(name), self.manifest().store_id)
        return name

    def discard(self, name: str) -> None:
        """Delete a part that is not needed any more."""
        remove_own(self.part(name), self.manifest().store_id)

    def seal(self, name: str) -> Files:
        """Force a part that is written to disk and record the size and checksum of its files.

        The process that wrote a part does this best; it hands the record to the one that commits.
        """
        return seal(self.part(name))

    def commit(
        self, metadata: dict[str, Any], parts: Iterable[str], sealed: Mapping[str, Files] | None = None
    ) -> Manifest:
        """Make this metadata and these parts the store's content, atomically.

        `sealed` has the records of new parts that were sealed already. Parts that tasks are still writing
        stay; what is left of them is deleted when the lock is released.
        """
        before = self.manifest()
        known = {**before.parts, **(sealed or {})}
        content = {name: known.get(name) or self.seal(name) for name in parts}
        sync_to_disk(self.path / "parts")
        after = Manifest(before.generation + 1, before.store_id, metadata, content)
        if self._mirror:
            new = {name: files for name, files in content.items() if name not in before.parts}
            self._expected = self._mirror.publish(
                self.path, new, self._content(after), self._expected, before.parts
            )
        else:
            self._replace_manifest(after)
        for superseded in before.parts.keys() - after.parts.keys():
            remove_own(self.part(superseded), before.store_id)
        return after

    def _replace_manifest(self, manifest: Manifest) -> None:
        """The commit point of a store on disk."""
        write_text(self.path / MANIFEST, self._content(manifest))

    def _content(self, manifest: Manifest) -> str:
        return json.dumps(with_checksum({"format": FORMAT, "kind": self.kind, **vars(manifest)}), indent=1)

    def corrupted_files(self) -> list[str]:
        """Files that differ from their recorded size or checksum, one message each."""
        parts = self.manifest().parts
        corrupted = self._mirror.parts.corrupted_objects(self.path, parts) if self._mirror else []
        for name, files in parts.items():
            if not self._mirror or self.part(name).exists():  # the cache of a mirror need not have it
                corrupted += _corrupted(self.part(name), files)
        return corrupted

    def repair(self) -> int:
        """Delete what killed writers left, and damaged parts of a cache; returns the number of deletions."""
        if not (self.path / MANIFEST).exists():
            return 0
        with locked(self.path, _MIRROR_PATIENCE if self._mirror else 0):
            if not self._mirror:
                return self._sweep()
            self._mirror.pull(self.path / MANIFEST)
            parts = self.manifest().parts
            deleted = self._sweep() + self._mirror.parts.sweep(self.path, parts)
            for name, files in parts.items():
                if self.part(name).exists() and _corrupted(self.part(name), files):
                    remove_unused(self.part(name))  # it is downloaded when it is next used
                    deleted += 1
            return deleted

    def _sweep(self) -> int:
        """Delete unlisted parts and unfinished drafts of the manifest; returns the number of parts."""
        manifest = self.manifest()
        parts, store_id = self.path / "parts", manifest.store_id
        # The cache of a mirror is made by nobody else, and its parts come unmarked from object storage.
        found = parts.glob("*") if self._mirror else own_folders(parts, store_id)
        unlisted = [folder for folder in found if folder.name not in manifest.parts]
        for folder in unlisted:
            if self._mirror:
                remove_unused(folder)  # others may still read an earlier state
            else:
                remove_own(folder, store_id)
        for draft in self.path.glob(".manifest.json.*"):
            draft.unlink()
        return len(unlisted)


def read_manifest(path: Path) -> dict[str, Any]:
    """The JSON of a manifest in any format; it has at least a format and a kind."""
    try:
        regular_size(path)
        raw = json.loads(path.read_text("utf-8"))
        if raw["format"] == FORMAT:
            raw = verified_json(raw, path)
        return {"format": raw["format"], "kind": raw["kind"], **raw}
    except FileNotFoundError:
        raise
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DamagedFile(path, repr(error)) from error
    except OSError as error:
        raise WorkspaceError(f"cannot read {path}: {error.strerror}; choose another --workspace") from error


def _listed(files: Mapping[str, Any]) -> Files:
    """The files of a part in a manifest; anything that cannot be one raises an error."""
    return {check_file_name(name): (int(size), str(checksum)) for name, (size, checksum) in files.items()}


def is_writable(path: Path) -> bool:
    """Whether this user can write to a file or folder, or create it."""
    existing = next(each for each in (path, *path.absolute().parents) if each.exists())
    return os.access(existing, os.W_OK)


@contextmanager
def locked(path: Path, patience: float = 0) -> Iterator[None]:
    """Hold the lock of the store in a folder; fails after some seconds if another process holds it."""
    lock = FileLock(path / "lock", timeout=patience)
    try:
        create_folder(path)
        lock.acquire()
    except Timeout:
        raise WorkspaceError(f"another process is writing to {path}; try again later") from None
    except OSError as error:
        raise WorkspaceError(
            f"cannot write to {path}: {error.strerror or error}; nothing has changed"
        ) from error
    try:
        yield
    finally:
        lock.release()


def _corrupted(folder: Path, files: Files) -> list[str]:
    """The files of a part that differ from their recorded size or checksum, one message each."""
    corrupted = []
    for file, (size, checksum) in files.items():
        path = folder / file
        if not path.is_file():
            corrupted.append(f"{path} is missing")
        elif path.stat().st_size != size:
            corrupted.append(f"{path} has {path.stat().st_size} bytes instead of {size}")
        elif file_checksum(path) != checksum:
            corrupted.append(f"{path} differs from what was written")
    return corrupted


def seal(folder: Path) -> Files:
    """Force a part to disk and record the size and checksum of its files."""
    files = {}
    for path in sorted(folder.rglob("*")):
        sync_to_disk(path)
        if path.is_dir() or path.name == MARKER:
            continue
        files[path.relative_to(folder).as_posix()] = path.stat().st_size, _checksum(path)
    sync_to_disk(folder)
    return files


def _checksum(path: Path) -> str:
    """The checksum of a file that is whole; that of an array is known from its footer."""
    if path.suffix != ".npy":
        return file_checksum(path)
    try:
        return footer_checksum(path)
    except ValueError as error:
        raise DamagedFile(path, str(error)) from error
