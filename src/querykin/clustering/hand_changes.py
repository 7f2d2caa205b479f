"""Changes of clusters by hand, kept in a file: a keyword joins another one's cluster, or stays alone.

They hold at every threshold and for every measure. A keyword follows the one it was moved to, so that two
keywords that belong together stay together when the clusters around them change.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from querykin.errors import DamagedFile, WorkspaceError
from querykin.storage.checked_json import verified_json, with_checksum
from querykin.storage.lost_files import mark_existing, refuse_lost
from querykin.storage.published_files import newest_version, publish_text
from querykin.untrusted_json import read_json

HAND_CHANGES = "hand-changes.json"  # beside the repository of the keywords
_PATIENCE = 5  # seconds to wait for another writer


@dataclass(frozen=True, slots=True)
class HandChange:
    """A keyword, and the keyword whose cluster it joins; empty if it is to stay alone."""

    query: str
    joins: str = ""


class HandChanges:
    """The changes by hand of one list of keywords, in the order in which they were made.

    >>> changes = HandChanges(getfixture("tmp_path"))
    >>> changes.add(HandChange("java island", "indonesia"))
    >>> changes.add(HandChange("java tea"))
    >>> changes.undo()
    HandChange(query='java tea', joins='')
    >>> changes.all()
    (HandChange(query='java island', joins='indonesia'),)
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / HAND_CHANGES

    def all(self) -> tuple[HandChange, ...]:
        """The changes, the first one first; a later change of a keyword replaces an earlier one."""
        try:
            content = read_json(self._path)
            changes = verified_json(content, self._path)["changes"]
            return tuple(HandChange(str(each["query"]), str(each["joins"])) for each in changes)
        except FileNotFoundError:
            refuse_lost(self._path)
            return ()
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DamagedFile(self._path, str(error)) from error

    def add(self, change: HandChange) -> None:
        """Keep a change; it is on disk on return."""
        with self._changing() as changes:
            changes.append(change)

    def undo(self) -> HandChange | None:
        """Remove the last change."""
        with self._changing() as changes:
            return changes.pop() if changes else None

    @contextmanager
    def _changing(self) -> Iterator[list[HandChange]]:
        try:
            lock = FileLock(self._path.with_suffix(".lock"), timeout=_PATIENCE)
            with lock, newest_version(self._path):
                changes = list(self.all())
                yield changes
                content = with_checksum({"changes": [asdict(each) for each in changes]})
                publish_text(self._path, json.dumps(content, ensure_ascii=False))
                mark_existing(self._path)
        except Timeout:
            raise WorkspaceError(f"another process is writing to {self._path}; try again later") from None
        except OSError as error:
            raise WorkspaceError(
                f"cannot write to {self._path}: {error.strerror or error}; nothing has changed"
            ) from error


def placements(changes: Sequence[HandChange], positions: Mapping[str, int]) -> dict[int, int]:
    """The position of the keyword that each changed keyword joins; its own if it stays alone.

    Keywords without a position are left out. A chain of changes is followed to its end; in a circle, all stay
    alone.

    >>> changes = [HandChange("a", "b"), HandChange("b", "c"), HandChange("d")]
    >>> placements(changes, {"a": 0, "b": 1, "c": 2, "d": 3})
    {0: 2, 1: 2, 3: 3}
    """
    joined = {
        positions[each.query]: positions[each.joins or each.query]
        for each in changes
        if each.query in positions and (each.joins or each.query) in positions
    }
    return {position: _end(position, joined) for position in joined}


def _end(position: int, joined: Mapping[int, int]) -> int:
    passed, at = {position}, joined[position]
    while at in joined and joined[at] != at:
        if at in passed:
            return position
        passed.add(at)
        at = joined[at]
    return at
