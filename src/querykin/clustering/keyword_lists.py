"""Lists of keywords beside the past queries of a workspace, each with indexes and neighbors of its own."""

import json
import re
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from xxhash import xxh3_64_hexdigest

from querykin.clustering.hand_changes import HAND_CHANGES
from querykin.errors import DamagedFile, InputError
from querykin.querylog.counted_queries import CountedQueries
from querykin.querylog.repository import Repository
from querykin.storage.atomic_write import PRIVATE_FOLDER, create_folder
from querykin.storage.checked_json import verified_json, with_checksum
from querykin.storage.lost_files import mark_existing, mark_of, refuse_lost
from querykin.storage.published_files import publish_bytes, publish_text, remove_file, remove_folder
from querykin.storage.source_names import DEFAULT_SOURCE
from querykin.untrusted_json import read_json

KEYWORD_LISTS = "keyword-lists"  # the folder in a workspace
KEPT = 20  # lists that were read from files and not changed by hand; the least recently used are removed
_FILE = "file"  # with the ending of the file that a list was read from
_ID = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """The file that a list was read from, so that its rows can be written with their groups."""

    path: Path
    columns: str = ""  # as in --columns
    note: str = ""  # how it was read


@dataclass(frozen=True, slots=True)
class KeywordList:
    """A list of keywords: the folder holds its repository, indexes and neighbors."""

    id: str
    name: str  # of the file, for people
    keywords: int
    used: float  # seconds since the epoch
    columns: str  # of the file, as in --columns
    note: str  # how the file was read
    file_checksum: str  # empty if there is no file, or an earlier version kept it
    folder: Path

    @property
    def file(self) -> Path | None:
        """The file it was read from, if that is kept."""
        return next(self.folder.glob(f"{_FILE}*"), None)


class KeywordLists:
    """The keyword lists of a workspace; equal keywords with equal counts are one list."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def add(self, name: str, queries: CountedQueries, file: SourceFile | None = None) -> KeywordList:
        """Keep a list, with a copy of the file it was read from if that is given.

        One with the same keywords and counts takes the new name, and the new file if there is one.
        """
        if not len(queries):
            raise InputError(
                f"no keywords in {name}; give one keyword per line or a table with a column of them"
            )
        identity = f"{queries.fingerprint & (2**64 - 1):016x}"
        folder = self._path / identity
        create_folder(self._path, PRIVATE_FOLDER)
        Repository(folder / "repository").add_contents([(DEFAULT_SOURCE, queries)], replace=True)
        kept = KeywordList(identity, name, len(queries), time.time(), *self._keep_file(folder, file), folder)
        content = {field: value for field, value in asdict(kept).items() if field not in ("id", "folder")}
        publish_text(folder / "list.json", json.dumps(with_checksum(content), ensure_ascii=False))
        mark_existing(folder / "list.json")
        self._remove_least_recently_used()
        return kept

    def _keep_file(self, folder: Path, file: SourceFile | None) -> tuple[str, str, str]:
        """Copy the file; returns the columns, the note and the checksum of that which is kept now."""
        if file is None:
            earlier = self._read(folder) if (folder / "list.json").is_file() else None
            return (earlier.columns, earlier.note, earlier.file_checksum) if earlier else ("", "", "")
        for each in folder.glob(f"{_FILE}*"):
            remove_file(each)
        content = file.path.read_bytes()
        publish_bytes(folder / (_FILE + "".join(file.path.suffixes[-2:])), content)
        return file.columns, file.note, xxh3_64_hexdigest(content)

    def get(self, identity: str) -> KeywordList:
        """A list by its id."""
        folder = self._path / identity
        if _ID.fullmatch(identity):
            refuse_lost(folder / "list.json")
        if not _ID.fullmatch(identity) or not (folder / "list.json").is_file():
            raise InputError(f"no keyword list {identity[:40]!r}; it may have been removed")
        return self._read(folder)

    def _read(self, folder: Path) -> KeywordList:
        try:
            content = read_json(folder / "list.json")
            found = verified_json(content, folder / "list.json")
            return KeywordList(
                folder.name,
                str(found["name"]),
                int(found["keywords"]),
                float(found["used"]),
                str(found["columns"]),
                str(found["note"]),
                str(found.get("file_checksum", "")),
                folder,
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
            raise DamagedFile(folder / "list.json", str(error)) from error

    def check(self, identity: str) -> None:
        """Raise DamagedFile if the description of a list, or the file it was read from, is damaged."""
        found = self._read(self._path / identity)
        if found.file_checksum:
            if found.file is None:
                raise DamagedFile(found.folder / _FILE, "it is missing")
            if xxh3_64_hexdigest(found.file.read_bytes()) != found.file_checksum:
                raise DamagedFile(found.file, "it differs from what was written")

    def all(self) -> list[KeywordList]:
        """The lists, the most recently used first."""
        names = "list.json", mark_of(Path("list.json")).name
        found = {path.parent for name in names for path in self._path.glob(f"*/{name}")}
        folders = [folder for folder in found if _ID.fullmatch(folder.name)]
        return sorted(map(self._read, folders), key=lambda each: (-each.used, each.id))

    def remove(self, identity: str) -> None:
        """Remove a list with its indexes and changes by hand."""
        folder = self.get(identity).folder
        mark_of(folder / "list.json").unlink(
            missing_ok=True
        )  # first, or a list half removed would be a lost one
        remove_folder(folder)

    def _remove_least_recently_used(self) -> None:
        unchanged = [each for each in self.all() if not (each.folder / HAND_CHANGES).exists()]
        for each in unchanged[KEPT:]:
            self.remove(each.id)
