"""Mirrors: local folders that hold what is in use of a workspace in object storage.

A mirror is an ordinary workspace, and its objects have the keys of its files. Files that are replaced
(manifests, models, evaluations) are brought up to date together: one listing, then what has changed. Parts
are downloaded when a store is opened. A write goes to the bucket first, by a conditional put that fails if
anybody else has written since, and then to the mirror: the bucket is the truth, the mirror can be deleted.

`.remote/` in a mirror holds the address, the versions of the files, and unfinished downloads.
"""

import hashlib
import json
import os
import re
import shutil
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import mkdtemp
from threading import Lock
from typing import TypeVar

from filelock import FileLock, Timeout

from querykin.errors import ObjectStorageError, WorkspaceError
from querykin.progress import SILENT, Progress
from querykin.storage.atomic_write import write_bytes, write_text
from querykin.storage.object_storage import (
    ChangedMeanwhile,
    ObjectStorage,
    StoredObject,
    Version,
    endpoint,
    storage_url,
)
from querykin.storage.part_cache import PartCache, PinnedPart, remove_unused

CACHE_BYTES = 20_000_000_000
ORPHAN_AGE = timedelta(days=1)  # parts that no manifest lists are deleted when they are older
_REMOTE, _ORIGIN, MANIFEST = ".remote", "origin.json", "manifest.json"
_SHOWN_BYTES = 4_000_000  # transfers from here on have a progress bar
_THREADS = 8  # transfers at a time
# Parts are brought by `fetch`; the others belong to one machine.
_NOT_MIRRORED = re.compile(
    r"(.*/)?(parts/.*|lock|[^/]*\.lock|\.[^/]*|judgements\.db[^/]*)|jobs/.*|\.remote/.*"
)
Files = Mapping[str, list[int]]  # file of a part -> [bytes, crc32]
T = TypeVar("T")
S = TypeVar("S")


class Mirror:
    """The local folder of a workspace in object storage."""

    def __init__(self, root: Path, url: str, cache: PartCache, progress: Progress) -> None:
        self.root, self.url, self.progress = root, url, progress
        self._storage, self._cache = ObjectStorage(url), cache
        self._lock = FileLock(root / _REMOTE / "lock")  # one process at a time replaces files
        self._refreshed = float("-inf")

    def url_of(self, path: Path) -> str:
        """The address of a file or folder."""
        key = self._key(path)
        return f"{self.url}/{key}" if key else self.url

    def _key(self, path: Path) -> str:
        return "" if path == self.root else path.relative_to(self.root).as_posix()

    # Files that are replaced.

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing at the address."""
        return not any(self._known())

    def refresh(self, max_age: float = 0.0) -> None:
        """Bring all files but the parts up to date, unless that was done in the last `max_age` seconds."""
        if time.monotonic() - self._refreshed < max_age:
            return
        with self._lock:
            found = (each for each in self._storage.list() if not _NOT_MIRRORED.fullmatch(each.key))
            listed = {each.key: each.version for each in found}
            for key in set(self._known()) - listed.keys():
                self._unless_written(key, self._forget)
            changed = [key for key, version in listed.items() if not version.equals(self._version(key))]
            _in_threads(lambda key: self._unless_written(key, self._pull), changed)
        self._refreshed = time.monotonic()

    def _unless_written(self, key: str, work: Callable[[str], object]) -> None:
        """Do something to a file; not to the manifest of a store that this machine is writing to."""
        path = self.root / key
        if path.name != MANIFEST:
            work(key)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with FileLock(path.parent / "lock", timeout=0):
                work(key)
        except Timeout:
            return

    def pull(self, path: Path) -> Version | None:
        """Bring one file up to date; returns its version, None if there is no such object."""
        with self._lock:
            return self._pull(self._key(path))

    def _pull(self, key: str) -> Version | None:
        try:
            content, version = self._storage.read(key)
        except FileNotFoundError:
            if self._version(key):
                self._forget(key)
            return None
        if not version.equals(self._version(key)) or not (self.root / key).is_file():
            self._keep(key, content, version)
        return version

    def _keep(self, key: str, content: bytes, version: Version) -> None:
        for path in (self.root / key, self._version_file(key)):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(self.root / key, content)
        # Last: if this process is killed before, the file is read again.
        write_text(self._version_file(key), json.dumps(asdict(version)))

    def _forget(self, key: str) -> None:
        path = self.root / key
        path.unlink(missing_ok=True)
        if path.name == MANIFEST:
            shutil.rmtree(path.parent / "parts", ignore_errors=True)
        self._version_file(key).unlink(missing_ok=True)

    def put(self, path: Path, content: bytes) -> None:
        """Replace a file, unless somebody else has replaced it since it was brought here."""
        with self._lock:
            self._replace(path, content, self._version(self._key(path)))

    def _replace(self, path: Path, content: bytes, expected: Version | None) -> Version:
        key = self._key(path)
        try:
            version = self._storage.replace(key, content, expected)
        except (ChangedMeanwhile, ObjectStorageError) as error:
            current = self._pull(key)
            if current and (self.root / key).read_bytes() == content:
                return current  # it was written, and the answer was lost
            if isinstance(error, ObjectStorageError):
                raise
            written = path.parent if path.name == MANIFEST else path
            raise WorkspaceError(
                f"another process wrote to {self.url_of(written)} meanwhile; run the command again"
            ) from None
        self._keep(key, content, version)
        return version

    @contextmanager
    def changing(self, path: Path) -> Iterator[None]:
        """Bring a file up to date, and keep it in that version until it is put."""
        with self._lock:
            self._pull(self._key(path))
            yield

    def delete(self, path: Path) -> None:
        """Delete a file, or a folder with all that is in it; what lists other files goes first."""
        key = self._key(path)
        with self._lock:
            below = [each.key for each in self._storage.list(key)]
            self._storage.delete(sorted({key, *below}, key=lambda each: (not each.endswith(".json"), each)))
            for each in [known for known in self._known() if known == key or known.startswith(f"{key}/")]:
                self._version_file(each).unlink(missing_ok=True)

    def _known(self) -> Iterator[str]:
        """The keys of files that are here and were in the bucket when it was last looked at."""
        folder = self.root / _REMOTE / "versions"
        return (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())

    def _version_file(self, key: str) -> Path:
        return self.root / _REMOTE / "versions" / key

    def _version(self, key: str) -> Version | None:
        try:
            return Version(**json.loads(self._version_file(key).read_text("utf-8")))
        except (FileNotFoundError, ValueError, TypeError):
            return None  # read again

    # Parts.

    def fetch(self, store: Path, parts: Mapping[str, Files]) -> dict[str, PinnedPart]:
        """Download the parts of a store that are not here, and keep all of them from being evicted.

        FileNotFoundError if a part is no longer in the bucket.
        """
        pinned = {name: pin for name in parts if (pin := _pin(store / "parts" / name))}
        if len(pinned) == len(parts):
            return pinned
        locks = self.root / _REMOTE / "locks"
        locks.mkdir(exist_ok=True)
        with FileLock(locks / hashlib.sha256(self._key(store).encode()).hexdigest()[:16]):
            for name in parts.keys() - pinned.keys():  # another process may have brought them meanwhile
                if pin := _pin(store / "parts" / name):
                    pinned[name] = pin
            missing = {name: parts[name] for name in parts if name not in pinned}
            return pinned | self._download(store, missing)

    def _download(self, store: Path, parts: Mapping[str, Files]) -> dict[str, PinnedPart]:
        total = sum(size for files in parts.values() for size, _ in files.values())
        if above := self._cache.make_room(total):
            self.progress.message(
                f"the cache in {self._cache.folder} will have {above:,} bytes more than cache_bytes: "
                "all others are in use"
            )
        draft, in_use = self._new_draft()
        try:
            with self._transfer(f"downloading {self._key(store)}", total) as advance:

                def download(file: tuple[str, str, int, int]) -> None:
                    part, name, size, crc = file
                    self._download_file(
                        store / "parts" / part / name, draft / part / name, size, crc, advance
                    )

                _in_threads(download, _listed_files(parts))
            pinned = {}
            for name in parts:
                (draft / name).mkdir(exist_ok=True)  # a part may be empty
                pinned[name] = PinnedPart(draft / name)
                (store / "parts").mkdir(parents=True, exist_ok=True)
                os.rename(draft / name, store / "parts" / name)
            return pinned
        finally:
            shutil.rmtree(draft, ignore_errors=True)
            del in_use

    def _new_draft(self) -> tuple[Path, PinnedPart]:
        """An empty folder for downloads; those of killed processes are deleted."""
        drafts = self.root / _REMOTE / "downloads"
        with self._lock:
            drafts.mkdir(exist_ok=True)
            for left in drafts.iterdir():
                remove_unused(left)
            draft = Path(mkdtemp(dir=drafts))
            return draft, PinnedPart(draft)

    def _download_file(
        self, path: Path, draft: Path, size: int, crc: int, advance: Callable[[int], None]
    ) -> None:
        draft.parent.mkdir(parents=True, exist_ok=True)
        found = 0
        with draft.open("wb") as file:
            for chunk in self._storage.chunks(self._key(path), size):
                file.write(chunk)
                found = zlib.crc32(chunk, found)
                advance(len(chunk))
        if found != crc:
            raise WorkspaceError(
                f"{self.url_of(path)} differs from what was written; querykin check lists all such objects"
            )

    def publish(
        self, store: Path, parts: Mapping[str, Files], manifest: bytes, expected: Version | None
    ) -> Version:
        """Upload parts that are not in the bucket, then replace the manifest, which is the commit.

        Afterwards, old parts that the manifest does not list are deleted.
        """
        there = {each.key: each for each in self._storage.list(f"{self._key(store)}/parts")}
        uploads = [
            (key, size)
            for part, name, size, _ in _listed_files(parts)
            for key in [f"{self._key(store)}/parts/{part}/{name}"]
            if key not in there or there[key].size != size
        ]
        with self._transfer(f"uploading {self._key(store)}", sum(size for _, size in uploads)) as advance:

            def upload(file: tuple[str, int]) -> None:
                key, size = file
                self._storage.upload(key, self.root / key)
                advance(size)

            _in_threads(upload, uploads)
        with self._lock:
            version = self._replace(store / MANIFEST, manifest, expected)
        self._storage.delete(_orphans(there.values(), json.loads(manifest)["parts"]))
        return version

    def sweep(self, store: Path, parts: Iterable[str]) -> int:
        """Delete old objects of a store that are in none of these parts; returns how many."""
        orphans = _orphans(self._storage.list(f"{self._key(store)}/parts"), parts)
        self._storage.delete(orphans)
        return len(orphans)

    def corrupted_objects(self, store: Path, parts: Mapping[str, Files]) -> list[str]:
        """Objects that differ from their recorded size or checksum, one message each; reads all of them."""
        there = {each.key: each.size for each in self._storage.list(f"{self._key(store)}/parts")}

        def problem(file: tuple[str, str, int, int]) -> str:
            part, name, size, crc = file
            key, found = f"{self._key(store)}/parts/{part}/{name}", 0
            if key not in there:
                return f"{self.url}/{key} is missing"
            if there[key] != size:
                return f"{self.url}/{key} has {there[key]} bytes instead of {size}"
            for chunk in self._storage.chunks(key, size):
                found = zlib.crc32(chunk, found)
                advance(len(chunk))
            return "" if found == crc else f"{self.url}/{key} differs from what was written"

        total = sum(size for files in parts.values() for size, _ in files.values())
        with self._transfer(f"reading {self._key(store)}", total) as advance:
            return list(filter(None, _in_threads(problem, _listed_files(parts))))

    @contextmanager
    def _transfer(self, title: str, total: int) -> Iterator[Callable[[int], None]]:
        progress = self.progress if total >= _SHOWN_BYTES else SILENT
        if total >= _SHOWN_BYTES:
            progress.message(f"{title}: {total / 1e6:,.0f} MB")
        with progress.task(title, total) as advance:
            yield advance


def _pin(folder: Path) -> PinnedPart | None:
    try:
        return PinnedPart(folder)
    except FileNotFoundError:
        return None


def _listed_files(parts: Mapping[str, Files]) -> list[tuple[str, str, int, int]]:
    """Part, name, size and checksum of each file."""
    return [(part, name, size, crc) for part, files in parts.items() for name, (size, crc) in files.items()]


def _orphans(found: Iterable[StoredObject], parts: Iterable[str]) -> list[str]:
    """The old objects of a store that are in none of the parts."""
    listed, newest = set(parts), datetime.now(UTC) - ORPHAN_AGE
    return [
        each.key
        for each in found
        if each.modified < newest and each.key.rpartition("parts/")[2].partition("/")[0] not in listed
    ]


def _in_threads(work: Callable[[T], S], items: Iterable[T]) -> list[S]:
    """Call a function on several items at a time; the first error ends the work."""
    with ThreadPoolExecutor(_THREADS) as pool:
        try:
            return list(pool.map(work, items))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


_open_mirrors: dict[Path, Mirror] = {}
_opening = Lock()


def local_folder(
    path: str | os.PathLike[str],
    cache_dir: str = "",
    cache_bytes: int = CACHE_BYTES,
    progress: Progress = SILENT,
) -> Path:
    """The folder of a workspace: the given one, or the mirror of an address, brought up to date."""
    url = storage_url(path)
    if url:
        folder = Path(cache_dir).expanduser().absolute() if cache_dir else default_cache_dir()
        readable = re.sub(r"[^A-Za-z0-9]+", "-", url)[:60]
        root = folder / f"{readable}-{hashlib.sha256(f'{endpoint(url)} {url}'.encode()).hexdigest()[:12]}"
        origin = root / _REMOTE / _ORIGIN
        try:
            origin.parent.mkdir(parents=True, exist_ok=True)
            write_text(origin, json.dumps({"url": url, "cache_bytes": cache_bytes}))
        except OSError as error:
            raise WorkspaceError(
                f"cannot write to the cache in {folder}: {error.strerror}; "
                "next: set cache_dir in the section storage of the settings"
            ) from error
        _open_mirrors.pop(root, None)  # the limit may have changed
    else:
        root = Path(path)
    if mirror := mirror_of(root):
        mirror.progress = progress
        mirror.refresh()
    return root


def default_cache_dir() -> Path:
    """The folder of mirrors where the settings name none."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").absolute() / "querykin"


def mirror_of(path: Path) -> Mirror | None:
    """The mirror that a file or folder belongs to, if it does."""
    for folder in (path, *path.parents):
        with _opening:
            if folder in _open_mirrors:
                return _open_mirrors[folder]
            origin = folder / _REMOTE / _ORIGIN
            if origin.is_file():
                found = json.loads(origin.read_text("utf-8"))
                cache = PartCache(folder.parent, int(found["cache_bytes"]))
                return _open_mirrors.setdefault(folder, Mirror(folder, str(found["url"]), cache, SILENT))
    return None


def bring_up_to_date(path: Path, max_age: float = 0.0) -> None:
    """Show in a mirror what was written to its bucket; other folders are what they are."""
    if mirror := mirror_of(path):
        mirror.refresh(max_age)


def location(path: Path) -> str:
    """Where a file or folder really is, for messages: its address, if it belongs to a mirror."""
    mirror = mirror_of(path)
    return mirror.url_of(path) if mirror else str(path)
