"""One consistent state of a workspace, held open while others write to it.

Files of parts are never changed, only deleted: a file that is open stays as it is. All of them are opened
before the first is copied, in the order of the inventory, so that what is derived is never newer than what it
is derived from.
"""

import errno
import io
import json
import resource
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from xxhash import xxh3_64_hexdigest

from querykin.errors import DamagedFile, WorkspaceError
from querykin.integrity.damage import DATABASE_PROBLEMS, Damage, entries_of, problem_in
from querykin.integrity.inventory import ORIGINALS, Entry, Form
from querykin.progress import Progress
from querykin.storage.checked_json import verified_json
from querykin.storage.lost_files import is_lost
from querykin.storage.sqlite_files import copy_database
from querykin.storage.store import Manifest, Store
from querykin.untrusted_json import read_regular_file
from querykin.workspace import Workspace

_ATTEMPTS = 20  # to read what writers keep replacing


@dataclass(frozen=True)
class CapturedFile:
    """An open file; its content stays as it is."""

    name: str  # relative to the workspace
    content: BinaryIO
    size: int
    private: bool
    entry: Entry
    checksum: str = ""  # as recorded by its store; what has none was verified when it was opened


@contextmanager
def captured(workspace: Workspace, progress: Progress) -> Iterator[list[CapturedFile]]:
    """The files of one state of a workspace.

    Damaged original data is an error, damaged derived data is left out.
    """
    _allow_many_open_files()
    entries = [each for each in entries_of(workspace) if each.form is not Form.JOB and each.name != "matches"]
    with ExitStack() as opened:
        scratch = Path(opened.enter_context(TemporaryDirectory(prefix="querykin-")))
        capture = _Capture(workspace.path, scratch, opened)
        files: list[CapturedFile] = []
        for entry in entries:
            try:
                files += capture.files_of(entry)
            except FileNotFoundError:
                if is_lost(entry.path):
                    leave_out(entry, f"{entry.path} is missing", progress)
                continue  # deleted since it was listed
            except WorkspaceError as error:
                leave_out(entry, problem_in(error), progress)
            except OSError as error:
                if error.errno == errno.EMFILE:
                    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
                    raise WorkspaceError(
                        f"the workspace has more files than a process may open ({limit:,}); next: ulimit -n"
                    ) from error
                raise
        yield _without_removed_lists(files)


def leave_out(entry: Entry, problem: str, progress: Progress) -> None:
    """Say that damaged derived data is not in the backup; damaged original data is an error."""
    if entry.is_original:
        raise WorkspaceError(f"no backup was made: {Damage(problem, entry)}")
    progress.message(f"left out, since querykin build makes it again: {problem}")


class _Capture:
    def __init__(self, path: Path, scratch: Path, opened: ExitStack) -> None:
        self._path, self._scratch, self._opened = path, scratch, opened

    def files_of(self, entry: Entry) -> list[CapturedFile]:
        if entry.form is Form.STORE:
            return self._store(entry)
        if entry.form is Form.DATABASE:
            name = ORIGINALS[entry.name]
            copy_database(entry.path, self._scratch / name, DATABASE_PROBLEMS[entry.name])
            return [self._open(entry, self._scratch / name, name, entry.path)]
        if entry.form is Form.KEYWORD_LIST:
            return self._keyword_list(entry)
        if entry.form in (Form.FILE, Form.SETTINGS):
            return [] if entry.name == "keyword-lists" else [self._open(entry, entry.path)]
        return [self._json(entry)[0]]

    def _store(self, entry: Entry) -> list[CapturedFile]:
        store = Store(entry.path, entry.kind)
        manifest_file = entry.path / "manifest.json"
        for _ in range(_ATTEMPTS):
            if not store.manifest().generation:
                return []  # nothing was ever committed
            with ExitStack() as attempt:
                stamp, head = store.stamp(), self._in_memory(entry, manifest_file)
                files = store.read(partial(self._parts, store, entry, attempt))
                if store.stamp() == stamp:
                    self._opened.push(attempt.pop_all())
                    return [head, *files]
        raise WorkspaceError(f"{entry.path} is written to all the time; run the command again")

    def _parts(self, store: Store, entry: Entry, opened: ExitStack, manifest: Manifest) -> list[CapturedFile]:
        return [
            self._open(entry, store.part(part) / file, checksum=checksum, opened=opened)
            for part, files in manifest.parts.items()
            for file, (_, checksum) in files.items()
        ]

    def _keyword_list(self, entry: Entry) -> list[CapturedFile]:
        """The description of a list and the file it was read from, which are replaced one after the other."""
        for attempt in range(_ATTEMPTS):
            described, content = self._json(entry)
            checksum = content.get("file_checksum", "")
            kept = [self._in_memory(entry, file) for file in sorted(entry.path.parent.glob("file*"))]
            found = xxh3_64_hexdigest(kept[0].content.read()) if kept else ""
            if not checksum or checksum == found:
                for file in kept:
                    file.content.seek(0)
                return [described, *kept]
            if attempt == 0:
                wrong = kept[0].name if kept else str(entry.path.parent / "file")
        raise DamagedFile(Path(wrong), "it differs from what was written")

    def _json(self, entry: Entry) -> tuple[CapturedFile, dict[str, object]]:
        file = self._in_memory(entry, entry.path)
        try:
            content = json.load(file.content)
        except (ValueError, RecursionError) as error:
            raise DamagedFile(entry.path, str(error)) from error
        file.content.seek(0)
        return file, verified_json(content, entry.path, required=False) if isinstance(content, dict) else {}

    def _in_memory(self, entry: Entry, path: Path) -> CapturedFile:
        raw = read_regular_file(path)
        return CapturedFile(self._name(path), io.BytesIO(raw), len(raw), _is_private(path), entry)

    def _open(
        self,
        entry: Entry,
        path: Path,
        name: str = "",
        original: Path | None = None,
        checksum: str = "",
        opened: ExitStack | None = None,
    ) -> CapturedFile:
        file = (opened or self._opened).enter_context(path.open("rb"))
        size = file.seek(0, io.SEEK_END)
        file.seek(0)
        return CapturedFile(
            name or self._name(path), file, size, _is_private(original or path), entry, checksum
        )

    def _name(self, path: Path) -> str:
        return path.relative_to(self._path).as_posix()


def _without_removed_lists(files: list[CapturedFile]) -> list[CapturedFile]:
    """Without keyword lists that were removed, in part or whole, while they were captured."""
    names = {file.name for file in files}

    def is_whole(name: str) -> bool:
        folder = "/".join(name.split("/")[:2])
        return {f"{folder}/list.json", f"{folder}/repository/manifest.json"} <= names

    return [file for file in files if not file.name.startswith("keyword-lists/") or is_whole(file.name)]


def _is_private(path: Path) -> bool:
    return not path.stat().st_mode & 0o077


def _allow_many_open_files() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):  # a limit of the system below that of the process
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
