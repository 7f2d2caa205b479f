"""Mirrors: local folders that hold what is in use of a workspace in object storage.

A mirror is an ordinary workspace, and its objects have the keys of its files. Files that are replaced
(manifests, models, evaluations) are brought up to date together: one listing, then what has changed. Parts
are downloaded when a store is opened. A write goes to the bucket first, by a conditional put that fails if
anybody else has written since, and then to the mirror: the bucket is the truth, the mirror can be deleted.

`.remote/` in a mirror holds the address, the versions of the files, and unfinished downloads.
"""

import json
import re
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from filelock import FileLock, Timeout

from querykin.errors import ObjectStorageError, WorkspaceError
from querykin.progress import Progress
from querykin.storage.atomic_write import write_bytes, write_text
from querykin.storage.object_storage import ChangedMeanwhile, ObjectStorage, Version
from querykin.storage.part_cache import REMOTE, PartCache
from querykin.storage.part_transfer import Files, PartTransfer, in_threads

MANIFEST = "manifest.json"
# The files of a workspace that are replaced: what else is below the address is left there.
_MIRRORED = re.compile(r"(.*/)?(manifest|hand-changes)\.json|(models|evaluations|keyword-lists)/.*")
# Parts are brought by `parts`; the others belong to one machine.
_NOT_MIRRORED = re.compile(r"(.*/)?(parts/.*|lock|[^/]*\.lock|\.[^/]*)|(jobs|\.remote)/.*")


class Mirror:
    """The local folder of a workspace in object storage."""

    def __init__(self, root: Path, url: str, cache: PartCache, progress: Progress) -> None:
        self.root, self.url, self._storage = root, url, ObjectStorage(url)
        self.parts = PartTransfer(self._storage, root, root / REMOTE, cache, progress)
        self._lock = FileLock(root / REMOTE / "lock")  # one process at a time replaces files
        self._refreshed = float("-inf")

    def url_of(self, path: Path) -> str:
        """The address of a file or folder."""
        key = self._key(path)
        return f"{self.url}/{key}" if key else self.url

    def _key(self, path: Path) -> str:
        return "" if path == self.root else path.relative_to(self.root).as_posix()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing at the address."""
        return not any(self._known())

    def refresh(self, max_age: float = 0.0) -> None:
        """Bring all files but the parts up to date, unless that was done in the last `max_age` seconds."""
        if time.monotonic() - self._refreshed < max_age:
            return
        with self._lock:
            listed = {each.key: each.version for each in self._storage.list() if _is_mirrored(each.key)}
            for key in set(self._known()) - listed.keys():
                self._unless_written(key, self._forget)
            changed = [key for key, version in listed.items() if not self._has(key, version)]
            in_threads(lambda key: self._unless_written(key, self._pull), changed)
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
        if not self._has(key, version):
            self._keep(key, content, version)
        return version

    def _has(self, key: str, version: Version) -> bool:
        return version.equals(self._version(key)) and (self.root / key).is_file()

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
        assert _is_mirrored(key), key
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

    def publish(
        self,
        store: Path,
        new: Mapping[str, Files],
        manifest: str,
        expected: Version | None,
        replaced: Iterable[str] = (),
    ) -> Version:
        """Upload new parts, then replace the manifest, which is the commit; then delete old orphans.

        The `replaced` parts of the manifest before stay until the next commit: others may be reading them.
        """
        there = self.parts.upload(store, new)
        with self._lock:
            version = self._replace(store / MANIFEST, manifest.encode(), expected)
        try:
            self.parts.sweep(store, [*json.loads(manifest)["parts"], *replaced], there)
        except ObjectStorageError as error:  # what was committed stays committed
            self.parts.progress.message(f"parts that are no longer used were not deleted: {error}")
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
        folder = self.root / REMOTE / "versions"
        return (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())

    def _version_file(self, key: str) -> Path:
        return self.root / REMOTE / "versions" / key

    def _version(self, key: str) -> Version | None:
        try:
            return Version(**json.loads(self._version_file(key).read_text("utf-8")))
        except (FileNotFoundError, ValueError, TypeError):
            return None  # read again


def _is_mirrored(key: str) -> bool:
    """Whether an object is a file that is brought up to date with the others.

    Keys are chosen by whoever can write to the bucket: none may lead out of the folder of the mirror.

    >>> _is_mirrored("models/mine.json"), _is_mirrored("models/../../.profile")
    (True, False)
    """
    inside = {"", ".", ".."}.isdisjoint(key.split("/")) and "\0" not in key
    return inside and bool(_MIRRORED.fullmatch(key)) and not _NOT_MIRRORED.fullmatch(key)
