"""A backup: one consistent, verified copy of a workspace in one file, made while others write to it."""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from querykin.backup.archive import ArchiveWriter, NotABackup, Table, compressing, open_archive
from querykin.backup.capture import CapturedFile, captured, leave_out
from querykin.compute.cpus import available_cpus
from querykin.errors import InputError, WorkspaceError
from querykin.progress import SILENT, Progress
from querykin.storage.atomic_write import sync_to_disk
from querykin.storage.block_checksums import BlockHasher
from querykin.version import __version__
from querykin.workspace import Workspace


@dataclass(frozen=True)
class Backup:
    """What was written: the number of files and their bytes, and those of the backup."""

    files: int
    bytes: int
    compressed: int


def back_up(
    workspace: Workspace, target: Path, *, replace: bool = False, progress: Progress = SILENT
) -> Backup:
    """Copy a workspace to a file; `replace` allows that a backup in its place is replaced.

    The file appears when it is complete: if this process is killed, or finds damaged original data, what was
    there before stays.
    """
    _check_target(workspace, target, replace)
    try:
        with captured(workspace, progress) as files, _draft(target) as draft:
            if not files:
                raise WorkspaceError(f"there is nothing to back up in {workspace.location}")
            _write(files, draft, progress)
            _check_target(workspace, target, replace)
            return Backup(len(files), sum(file.size for file in files), draft.tell())
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise WorkspaceError(
                f"no space is left for {target}; no backup was made; next: free space, or choose another file"
            ) from error
        raise WorkspaceError(
            f"no backup was made: {error.filename or target}: {error.strerror or error}"
        ) from error


def _check_target(workspace: Workspace, target: Path, replace: bool) -> None:
    if workspace.path.resolve() in (target.resolve(), *target.resolve().parents):
        raise InputError(f"{target} is in the workspace that it is a copy of; choose a file elsewhere")
    if target.is_dir():
        raise InputError(f"{target} is a folder; a backup is one file, like {target / 'workspace.tar.zst'}")
    if not target.parent.is_dir():
        raise InputError(f"there is no folder {target.parent}; next: create it, or choose another file")
    if not os.path.lexists(target):
        return
    if not replace:
        raise InputError(f"{target} exists; next: --replace, or choose another file")
    try:
        with open_archive(target):
            return
    except NotABackup:
        raise InputError(
            f"{target} is not a backup of querykin, and is not replaced; choose another file"
        ) from None
    except WorkspaceError:
        return  # a damaged backup


@contextmanager
def _draft(target: Path) -> Iterator[BinaryIO]:
    """A file that takes the place of the target at the end of the block, and only then.

    It is locked, since that of a killed process is used again.
    """
    draft = target.with_name(f".{target.name}.draft")
    descriptor = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "r+b") as file:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise WorkspaceError(f"another process is writing {target}; try again later") from None
        try:
            file.truncate(0)
            yield file
            file.flush()
            os.fsync(descriptor)
            os.replace(draft, target)
            sync_to_disk(target.parent)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise


def _write(files: list[CapturedFile], draft: BinaryIO, progress: Progress) -> None:
    created = datetime.now(UTC).isoformat(timespec="seconds")
    facts = {"id": uuid4().hex, "made_by": __version__, "created": created}
    table = Table({file.name: file.size for file in files}, facts)
    damaged = set()  # derived data
    with (
        compressing(draft, available_cpus()) as stream,
        progress.task("backing up", sum(table.sizes.values())) as advance,
    ):
        writer = ArchiveWriter(stream, table)
        for file in files:
            hasher = BlockHasher()

            def receive(piece: bytes, hasher: BlockHasher = hasher) -> None:
                hasher.update(piece)
                advance(len(piece))

            writer.add(file.name, file.content, file.size, file.private, receive)
            if file.checksum and file.checksum != hasher.checksum():
                leave_out(file.entry, f"{file.name} differs from what was written", progress)
                damaged.add(file.entry)
        writer.finish({file.name for file in files if file.entry in damaged})
