"""Repair of a workspace: damaged derived data and what killed writers left are deleted, originals never."""

from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree

from filelock import FileLock, Timeout

from querykin.counted_nouns import counted
from querykin.integrity.damage import entries_of, problems_of
from querykin.integrity.inventory import Entry, Form
from querykin.storage.published_files import remove_folder
from querykin.storage.store import Store, locked
from querykin.workspace import Workspace


def repair(workspace: Workspace) -> list[str]:
    """Delete damaged derived data, and what killed writers left; returns what was deleted, a line each.

    In object storage, unlisted parts are deleted that are older than a day, and damaged parts of the local
    copy, which are downloaded again.
    """
    return [line for entry in entries_of(workspace) for line in _repair(entry)]


def _repair(entry: Entry) -> Iterator[str]:
    if entry.form is Form.JOB:
        if problems_of(entry) and _remove_job(entry.path):
            yield f"{entry.path}: a damaged record of a job"
        return
    if entry.form is not Form.STORE:
        return
    problems = problems_of(entry)
    readable = not any("manifest.json" in problem for problem in problems)
    if readable and (deleted := Store(entry.path, entry.kind).repair()):
        yield f"{entry.path}: {counted(deleted, 'part')} left by interrupted writers, or damaged in the cache"
        problems = problems_of(entry)
    if problems and not entry.is_original:
        with locked(entry.path):
            remove_folder(entry.path)
        yield f"{entry.path}: damaged; querykin build makes it again"


def _remove_job(path: Path) -> bool:
    """Delete the record of a job that does not run."""
    try:
        with FileLock(path / "lock", timeout=0):
            rmtree(path)
    except Timeout:
        return False
    return True
