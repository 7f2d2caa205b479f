"""Upload and download of the parts of mirrored stores."""

import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import mkdtemp
from typing import TypeVar

from filelock import FileLock

from querykin.errors import WorkspaceError
from querykin.progress import SILENT, Progress
from querykin.storage.block_checksums import BlockHasher
from querykin.storage.object_storage import ObjectStorage, StoredObject
from querykin.storage.part_cache import PartCache, PinnedPart, remove_unused

ORPHAN_AGE = timedelta(days=1)  # parts that no manifest lists are deleted when they are older
_SHOWN_BYTES = 4_000_000  # transfers from here on have a progress bar
_THREADS = 8  # transfers at a time
Files = Mapping[str, tuple[int, str]]  # file of a part -> bytes, checksum
T = TypeVar("T")
S = TypeVar("S")


class PartTransfer:
    """Brings parts between object storage and the folder of a mirror; `scratch` is for its own files."""

    def __init__(
        self, storage: ObjectStorage, root: Path, scratch: Path, cache: PartCache, progress: Progress
    ) -> None:
        self._storage, self._root, self._scratch, self._cache = storage, root, scratch, cache
        self.progress = progress

    def _key(self, path: Path) -> str:
        return path.relative_to(self._root).as_posix()

    def fetch(self, store: Path, parts: Mapping[str, Files]) -> dict[str, PinnedPart]:
        """Download the parts of a store that are not here, and keep all of them from being evicted.

        FileNotFoundError if a part is no longer in the bucket.
        """
        pinned = {name: pin for name in parts if (pin := _pin(store / "parts" / name))}
        if len(pinned) == len(parts):
            return pinned
        locks = self._scratch / "locks"
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

                def download(file: tuple[str, str, int, str]) -> None:
                    part, name, size, checksum = file
                    self._download_file(
                        store / "parts" / part / name, draft / part / name, size, checksum, advance
                    )

                in_threads(download, _listed_files(parts))
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
        drafts = self._scratch / "downloads"
        with FileLock(self._scratch / "downloads.lock"):
            drafts.mkdir(exist_ok=True)
            for left in drafts.iterdir():
                remove_unused(left)
            draft = Path(mkdtemp(dir=drafts))
            return draft, PinnedPart(draft)

    def _download_file(
        self, path: Path, draft: Path, size: int, checksum: str, advance: Callable[[int], None]
    ) -> None:
        draft.parent.mkdir(parents=True, exist_ok=True)
        hasher = BlockHasher()
        with draft.open("wb") as file:
            for chunk in self._storage.chunks(self._key(path), size):
                file.write(chunk)
                hasher.update(chunk)
                advance(len(chunk))
        if hasher.checksum() != checksum:
            raise WorkspaceError(
                f"{self._storage.url}/{self._key(path)} differs from what was written; "
                "querykin check lists all such objects"
            )

    def upload(self, store: Path, parts: Mapping[str, Files]) -> list[StoredObject]:
        """Upload what is not in the bucket by name and size; returns the parts that were there before."""
        there = {each.key: each for each in self._listing(store)}
        uploads = [
            (key, size)
            for part, name, size, _ in _listed_files(parts)
            for key in [f"{self._key(store)}/parts/{part}/{name}"]
            if key not in there or there[key].size != size
        ]
        with self._transfer(f"uploading {self._key(store)}", sum(size for _, size in uploads)) as advance:

            def upload(file: tuple[str, int]) -> None:
                key, size = file
                self._storage.upload(key, self._root / key)
                advance(size)

            in_threads(upload, uploads)
        return list(there.values())

    def sweep(self, store: Path, listed: Iterable[str], there: Iterable[StoredObject] | None = None) -> int:
        """Delete old objects of a store that are in none of the listed parts; returns how many."""
        parts, newest = set(listed), datetime.now(UTC) - ORPHAN_AGE
        found = self._listing(store) if there is None else there
        old = [each.key for each in found if each.modified < newest]
        orphans = [key for key in old if key.rpartition("parts/")[2].partition("/")[0] not in parts]
        self._storage.delete(orphans)
        return len(orphans)

    def _listing(self, store: Path) -> Iterable[StoredObject]:
        return self._storage.list(f"{self._key(store)}/parts")

    def corrupted_objects(self, store: Path, parts: Mapping[str, Files]) -> list[str]:
        """Objects that differ from their recorded size or checksum, one message each; reads all of them."""
        there, url = {each.key: each.size for each in self._listing(store)}, self._storage.url

        def problem(file: tuple[str, str, int, str]) -> str:
            part, name, size, checksum = file
            key, hasher = f"{self._key(store)}/parts/{part}/{name}", BlockHasher()
            if key not in there:
                return f"{url}/{key} is missing"
            if there[key] != size:
                return f"{url}/{key} has {there[key]} bytes instead of {size}"
            for chunk in self._storage.chunks(key, size):
                hasher.update(chunk)
                advance(len(chunk))
            return "" if hasher.checksum() == checksum else f"{url}/{key} differs from what was written"

        total = sum(size for files in parts.values() for size, _ in files.values())
        with self._transfer(f"reading {self._key(store)}", total) as advance:
            return list(filter(None, in_threads(problem, _listed_files(parts))))

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


def _listed_files(parts: Mapping[str, Files]) -> list[tuple[str, str, int, str]]:
    """Part, name, size and checksum of each file."""
    return [(part, name, *listed) for part, files in parts.items() for name, listed in files.items()]


def in_threads(work: Callable[[T], S], items: Iterable[T]) -> list[S]:
    """Call a function on several items at a time; the first error ends the work."""
    with ThreadPoolExecutor(_THREADS) as pool:
        try:
            return list(pool.map(work, items))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
