"""What a disk may hold after a loss of power, from logs written by hand."""

import struct
from pathlib import Path
from random import Random

from torture.file_faults.disk import Disk, read_tree, write_tree
from torture.file_faults.shim import OPERATIONS

CREATED, TRUNCATED = 1, 2


def record(
    operation: str, path: str = "", data: bytes = b"", handle: int = 0, offset: int = 0, flags: int = 0
):
    head = (OPERATIONS.index(operation), flags, handle, offset, len(path), len(data))
    return struct.pack("<BxxxiQqII", *head) + path.encode() + data


def replace(*, synced: bool, folder_synced: bool) -> list[bytes]:
    """`note` is replaced by way of a draft."""
    log = [record("open", "/.note", handle=1, flags=CREATED), record("write", data=b"new text", handle=1)]
    log += [record("sync", handle=1)] if synced else []
    log += [record("close", handle=1), record("rename", "/.note", b"/note"), record("open", "", handle=2)]
    return log + ([record("sync", handle=2)] if folder_synced else [])


def contents(tmp_path: Path, log: list[bytes]) -> set[bytes | None]:
    """What may be in `note` after the last record; None: nothing."""
    (tmp_path / "disk").mkdir()
    (tmp_path / "disk" / "note").write_bytes(b"old")
    (tmp_path / "log").write_bytes(b"".join(log))
    disk = Disk(tmp_path / "disk")
    assert len(list(disk.replay(tmp_path / "log"))) == len(log)
    assert disk.as_seen()["note"] == b"new text"
    return {tree.get("note") for tree in disk.states(Random(1), 200)}


def test_a_file_that_was_replaced_without_fsync_may_be_empty_torn_or_old(tmp_path):
    found = contents(tmp_path, replace(synced=False, folder_synced=False))
    assert {b"old", b"", b"new text", bytes(8)} <= found
    assert any(b"" != each != b"new text" and b"new text".startswith(each) for each in found if each)


def test_a_file_that_was_forced_to_disk_before_the_rename_is_old_or_new(tmp_path):
    assert contents(tmp_path, replace(synced=True, folder_synced=False)) == {b"old", b"new text"}


def test_after_fsync_of_the_folder_it_is_new(tmp_path):
    assert contents(tmp_path, replace(synced=True, folder_synced=True)) == {b"new text"}


def test_a_file_in_a_folder_whose_own_entry_was_not_forced_to_disk_may_be_missing(tmp_path):
    log = [record("mkdir", "/new"), record("open", "/new", handle=1)]
    log += [record("open", "/new/file", handle=2, flags=CREATED), record("write", data=b"text", handle=2)]
    log += [record("sync", handle=2), record("sync", handle=1)]
    (tmp_path / "disk").mkdir()
    (tmp_path / "log").write_bytes(b"".join(log))
    disk = Disk(tmp_path / "disk")
    list(disk.replay(tmp_path / "log"))
    trees = list(disk.states(Random(1), 20))
    assert {} in trees
    assert {"new": None, "new/file": b"text"} in trees
    write_tree(trees[-1], tmp_path / "disk")
    assert read_tree(tmp_path / "disk") == trees[-1]


def test_a_truncated_file_may_keep_its_content_until_it_is_forced_to_disk(tmp_path):
    log = [record("open", "/note", handle=1, flags=TRUNCATED), record("write", data=b"new text", handle=1)]
    assert {b"old", b"new text", b""} <= contents(tmp_path, log)
