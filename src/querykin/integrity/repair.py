"""Repair of a workspace: damaged derived data and what killed writers left are deleted, originals never."""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree

from filelock import FileLock, Timeout

from querykin.counted_nouns import counted
from querykin.integrity.damage import damage_of, entries_of
from querykin.integrity.inventory import Entry, Form
from querykin.storage.published_files import remove_folder
from querykin.storage.restore_folders import DONE, DRAFT, restoring
from querykin.storage.store import Store, locked
from querykin.workspace import Workspace

_DRAFT = re.compile(r"\..+\.\d+-\d+")  # of storage/atomic_write.py
_DRAFT_SECONDS = 3600  # a younger one may be written to


def repair(workspace: Workspace) -> list[str]:
    """Delete damaged derived data, and what killed writers left; returns what was deleted, a line each.

    In object storage, unlisted parts are deleted that are older than a day, and damaged parts of the local
    copy, which are downloaded again.
    """
    lines = [line for entry in entries_of(workspace) for line in _repair(entry)]
    return [*lines, *_remove_drafts(workspace.path)]


def _repair(entry: Entry) -> Iterator[str]:
    if entry.form is Form.JOB:
        if damage_of(entry) and _remove_job(entry.path):
            yield f"{entry.path}: a damaged record of a job"
        return
    if entry.form is not Form.STORE:
        return
    damage = damage_of(entry)
    if any(each.is_unread for each in damage):
        return
    readable = not any("manifest.json" in each.problem for each in damage)
    if readable and (deleted := Store(entry.path, entry.kind).repair()):
        yield f"{entry.path}: {counted(deleted, 'part')} left by interrupted writers, or damaged in the cache"
        damage = damage_of(entry)
    if damage and not entry.is_original:
        with locked(entry.path):
            remove_folder(entry.path)
        yield f"{entry.path}: damaged; querykin build makes it again"


def _remove_drafts(path: Path) -> Iterator[str]:
    """Delete what killed writers of single files, and a killed restore, left."""
    folders = (path, path / "models", path / "evaluations", *(path / "keyword-lists").glob("*"))
    for file in (file for folder in folders for file in folder.glob(".*") if _DRAFT.fullmatch(file.name)):
        if time.time() - file.stat().st_mtime > _DRAFT_SECONDS:
            file.unlink()
            yield f"{file}: a file that was not written to its end"
    with restoring(path):
        for folder in (path / DRAFT, path / DONE):
            if folder.exists():
                rmtree(folder)
                yield f"{folder}: a restore that was not finished"


def _remove_job(path: Path) -> bool:
    """Delete the record of a job that does not run."""
    try:
        with FileLock(path / "lock", timeout=0):
            rmtree(path)
    except Timeout:
        return False
    return True
