"""Files and folders of a workspace replaced by others, all or none, also if the process is killed.

New content is complete in a draft folder of the workspace before that is renamed, which is the commit. From
then on the workspace does not open until everything has been moved to its place: by this process, or by the
next restore.
"""

import json
import os
from collections.abc import Collection, Mapping
from contextlib import ExitStack
from pathlib import Path
from shutil import rmtree
from typing import Any

from querykin.integrity.inventory import DATABASES, Form, inventory
from querykin.storage.atomic_write import sync_to_disk, write_text
from querykin.storage.lost_files import mark_of
from querykin.storage.restore_folders import COMMITTED, DONE, DRAFT
from querykin.storage.sqlite_files import write_ahead_files
from querykin.storage.store import locked

NEW, _OLD, _PLAN = "new", "old", "plan.json"


def is_unfinished(path: Path) -> bool:
    """Whether an exchange was committed and not finished."""
    return (path / COMMITTED).exists()


def commit_exchange(path: Path, replaced: Collection[str], reason: Mapping[str, Any]) -> None:
    """Decide that what is in the draft takes the place of these names and of its own.

    `reason` is what `finish_exchange` returns to whoever finishes it.
    """
    draft = path / DRAFT
    new = sorted(each.name for each in (draft / NEW).iterdir())
    plan = {"new": new, "replaced": sorted({*replaced, *new}), "reason": reason}
    (draft / _OLD).mkdir()
    sync_to_disk(draft / NEW)
    write_text(draft / _PLAN, json.dumps(plan))  # and forces the names of all three to disk
    with _locks(path, {*replaced, *new}):
        os.rename(draft, path / COMMITTED)
        sync_to_disk(path)


def finish_exchange(path: Path) -> dict[str, Any] | None:
    """Move new content to its place, if an exchange was committed, and delete what it replaces."""
    rmtree(path / DONE, ignore_errors=True)
    if not is_unfinished(path):
        return None
    folder = path / COMMITTED
    plan = json.loads((folder / _PLAN).read_text("utf-8"))
    with _locks(path, plan["replaced"]):
        for name in plan["replaced"]:
            new, old = folder / NEW / name, path / name
            if name in plan["new"] and not new.exists():
                continue  # it is in its place
            if os.path.lexists(old):
                os.rename(old, folder / _OLD / name)
            mark_of(old).unlink(missing_ok=True)  # there may be no new file
            if name in DATABASES:
                for each in write_ahead_files(old):
                    each.unlink(missing_ok=True)  # they would be applied to the new database
            if new.exists():
                os.rename(new, old)
        sync_to_disk(path)
        os.rename(folder, path / DONE)
    sync_to_disk(path)
    rmtree(path / DONE, ignore_errors=True)
    return dict(plan["reason"])


def _locks(path: Path, names: Collection[str]) -> ExitStack:
    """The locks of the stores below some names: nobody may be writing to what is replaced."""
    held = ExitStack()
    try:
        for entry in inventory(path):
            if entry.form is Form.STORE and entry.path.relative_to(path).parts[0] in names:
                held.enter_context(locked(entry.path))
    except BaseException:
        held.close()
        raise
    return held
