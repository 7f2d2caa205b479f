"""Restore: a backup takes the place of a workspace, or of a part of it, in one step."""

import os
from collections.abc import Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from shutil import disk_usage, rmtree
from typing import BinaryIO

from querykin.backup.archive import open_archive
from querykin.backup.exchange import NEW, commit_exchange, finish_exchange, is_unfinished
from querykin.errors import InputError, UnknownName, WorkspaceError
from querykin.integrity.damage import damage_of
from querykin.integrity.inventory import ORIGINALS, PRIVATE_FOLDERS, Form, inventory
from querykin.progress import SILENT, Progress
from querykin.storage.atomic_write import PRIVATE_FOLDER, create_folder, sync_to_disk
from querykin.storage.locations import mirror_of
from querykin.storage.object_storage import storage_url
from querykin.storage.part_folders import mark
from querykin.storage.restore_folders import DRAFT, restoring
from querykin.storage.store import Store

_NUMBERED = ("corpus", "repository")  # stores whose ids other stores refer to


@dataclass(frozen=True)
class Restored:
    """What was restored: when its backup was made, the number of files and their bytes."""

    created: str
    files: int
    bytes: int


def restore(
    source: Path,
    workspace: str | os.PathLike[str],
    *,
    only: Sequence[str] = (),
    replace: bool = False,
    dry_run: bool = False,
    progress: Progress = SILENT,
) -> Restored:
    """Restore a workspace from a backup, or `only` some of its original data: corpus, models, judgements...

    Everything is verified before anything changes. Data that is there is replaced only with `replace`, or if
    it is named and damaged. A dry run verifies the backup. If this process is killed, the workspace stays as
    it was, or the next restore finishes.
    """
    for name in only:
        if name not in ORIGINALS:
            raise UnknownName("name of original data", name, ORIGINALS)
    if not source.is_file():
        raise InputError(f"there is no file {source}; next: name a file of querykin backup")
    path = Path(workspace)
    if storage_url(workspace) or mirror_of(path.absolute()):
        raise InputError(
            f"restore writes to a folder, got {workspace}; next: restore to a folder and copy that"
        )
    tops = {ORIGINALS[name] for name in only}
    if dry_run:
        return _extract(source, None, tops, progress)
    try:
        create_folder(path)
        path = path.resolve()
        with restoring(path):
            finished = finish_exchange(path)  # of a restore that was interrupted
            if finished and (finished.pop("backup"), finished.pop("only")) == (_id_of(source), sorted(tops)):
                return Restored(**finished)
            _check_replaceable(path, only, replace)
            return _restore(source, path, tops, progress)
    except OSError as error:
        raise WorkspaceError(
            f"cannot restore to {workspace}: {error.filename or ''}: {error.strerror or error}"
            + ("; next: run the command again" if is_unfinished(path) else "; nothing has changed")
        ) from error


def _restore(source: Path, path: Path, tops: Set[str], progress: Progress) -> Restored:
    draft = path / DRAFT
    rmtree(draft, ignore_errors=True)
    (draft / NEW).mkdir(parents=True, mode=0o700)
    try:
        found = _extract(source, draft / NEW, tops, progress)
        _mark_parts(draft / NEW)
        for name in filter(lambda name: (draft / NEW / name).exists(), PRIVATE_FOLDERS):
            (draft / NEW / name).chmod(PRIVATE_FOLDER)
        for name in tops & set(_NUMBERED):
            _renumber(draft / NEW / name, path / name, name)
        replaced = tops or {entry.path.relative_to(path).parts[0] for entry in inventory(path)}
        reason = {"backup": _id_of(source), "only": sorted(tops), **vars(found)}
        commit_exchange(path, replaced, reason)
    except BaseException:
        rmtree(draft, ignore_errors=True)
        raise
    finish_exchange(path)
    return found


def _id_of(source: Path) -> str:
    with open_archive(source) as archive:
        return str(archive.table.facts.get("id"))


def _extract(source: Path, folder: Path | None, tops: Set[str], progress: Progress) -> Restored:
    """Verify a backup and write the files that are wanted to a folder, if there is one."""
    with open_archive(source) as archive:
        sizes = archive.table.sizes
        wanted = {name: size for name, size in sizes.items() if not tops or name.split("/")[0] in tops}
        if missing := set(tops) - {name.split("/")[0] for name in wanted}:
            raise InputError(f"{source} contains no {', '.join(sorted(missing))}; nothing has changed")
        if folder and (free := disk_usage(folder).free) < sum(wanted.values()):
            raise WorkspaceError(
                f"restoring needs {sum(wanted.values()):,} bytes, and {free:,} are free; nothing has changed"
            )

        def target(name: str, private: bool) -> BinaryIO | None:
            return _create(folder / name, private) if folder and name in wanted else None

        with progress.task("verifying" if folder is None else "restoring", sum(sizes.values())) as advance:
            left_out = archive.extract(target, advance)
        if folder:
            for name in wanted.keys() & set(left_out):
                (folder / name).unlink()
            _tidy(folder)
        kept = wanted.keys() - set(left_out)
        return Restored(archive.created, len(kept), sum(wanted[name] for name in kept))


def _create(path: Path, private: bool) -> BinaryIO:
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = 0o600 if private else 0o666
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode), "wb")


def _tidy(folder: Path) -> None:
    """Delete folders without files, and force the others to disk."""
    for found, _, _ in os.walk(folder, topdown=False):
        here = Path(found)
        if not any(here.iterdir()) and here != folder:
            here.rmdir()
            continue
        for path in (*(each for each in here.iterdir() if each.is_file()), here):
            sync_to_disk(path)


def _mark_parts(folder: Path) -> None:
    """Make the restored parts folders of their stores, which may delete them one day."""
    for entry in inventory(folder):
        if entry.form is Form.STORE:
            store = Store(entry.path, entry.kind)
            manifest = store.manifest()
            for name in manifest.parts:
                mark(store.part(name), manifest.store_id)


def _check_replaceable(path: Path, only: Sequence[str], replace: bool) -> None:
    """Raise an error if something would be replaced that is not known to be damaged."""
    there = [entry for entry in inventory(path) if not only or entry.name in only]
    if replace or not there:
        return
    if not only:
        raise WorkspaceError(
            f"{path} holds a workspace; next: --replace to replace it, or choose another --workspace"
        )
    for name in only:
        entries = [entry for entry in there if entry.name == name]
        if entries and not any(damage_of(entry) for entry in entries):
            raise WorkspaceError(
                f"{path / ORIGINALS[name]} is not damaged; next: --replace to replace it all the same"
            )


def _renumber(restored: Path, present: Path, kind: str) -> None:
    """Give a restored store a new identity, unless it is in the state of the one that it replaces.

    Ids given since the backup will be given again: what was derived with them, and stays, must not be used.
    """
    found = Store(restored, kind).manifest()
    try:
        now = Store(present, kind).manifest()
    except WorkspaceError:
        now = None
    if now and (now.store_id, now.generation) == (found.store_id, found.generation):
        return
    before = restored.with_name(f".{kind}")
    os.rename(restored, before)
    store = Store(restored, kind)
    with store.writing():
        (restored / "parts").mkdir(exist_ok=True)
        for name in found.parts:
            os.rename(before / "parts" / name, store.part(name))
            mark(store.part(name), store.manifest().store_id)
        store.commit(found.metadata, found.parts)
    rmtree(before)
