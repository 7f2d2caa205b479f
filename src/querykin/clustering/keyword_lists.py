"""Lists of keywords beside the past queries of a workspace, each with indexes and neighbors of its own."""

import json
import re
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from querykin.errors import InputError, WorkspaceError
from querykin.querylog.counted_queries import CountedQueries
from querykin.querylog.repository import Repository
from querykin.storage.atomic_write import write_text

KEPT = 20  # lists that were read from files and not changed by hand; the least recently used are removed
CHANGES = "changes.json"  # in the folder of a list: changes by hand, which are not removed with it
_ID = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class KeywordList:
    """A list of keywords: the folder holds its repository, indexes and neighbors."""

    id: str
    name: str  # of the file, for people
    keywords: int
    used: float  # seconds since the epoch
    folder: Path


class KeywordLists:
    """The keyword lists of a workspace; equal keywords with equal counts are one list."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def add(self, name: str, queries: CountedQueries) -> KeywordList:
        """Keep a list; one with the same keywords and counts takes the new name."""
        if not len(queries):
            raise InputError(
                f"no keywords in {name}; give one keyword per line or a table with a column of them"
            )
        identity = f"{queries.fingerprint & (2**64 - 1):016x}"
        folder = self._path / identity
        Repository(folder / "repository").add_contents([(name, queries)], replace=True)
        self._write(folder, name, len(queries))
        self._remove_least_recently_used()
        return self.get(identity)

    def _write(self, folder: Path, name: str, keywords: int) -> None:
        content = {"name": name, "keywords": keywords, "used": time.time()}
        write_text(folder / "list.json", json.dumps(content, ensure_ascii=False))

    def get(self, identity: str) -> KeywordList:
        """A list by its id."""
        folder = self._path / identity
        if not _ID.fullmatch(identity) or not (folder / "list.json").is_file():
            raise InputError(f"no keyword list {identity[:40]!r}; it may have been removed")
        return self._read(folder)

    def _read(self, folder: Path) -> KeywordList:
        try:
            found = json.loads((folder / "list.json").read_text("utf-8"))
            return KeywordList(
                folder.name, str(found["name"]), int(found["keywords"]), float(found["used"]), folder
            )
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise WorkspaceError(
                f"{folder / 'list.json'} is damaged ({error}); delete the folder and add the list again"
            ) from error

    def all(self) -> list[KeywordList]:
        """The lists, the most recently used first."""
        folders = [path.parent for path in self._path.glob("*/list.json") if _ID.fullmatch(path.parent.name)]
        return sorted(map(self._read, folders), key=lambda each: (-each.used, each.id))

    def remove(self, identity: str) -> None:
        """Remove a list with its indexes and changes by hand."""
        shutil.rmtree(self.get(identity).folder)

    def _remove_least_recently_used(self) -> None:
        unchanged = [each for each in self.all() if not (each.folder / CHANGES).exists()]
        for each in unchanged[KEPT:]:
            self.remove(each.id)
