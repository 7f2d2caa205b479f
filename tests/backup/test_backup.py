"""Backups of workspaces, in Python; tests/cli/test_cli_backup.py has the commands."""

import os
import stat
import tarfile
import threading
from pathlib import Path

import pytest
import zstandard

from querykin import Workspace
from querykin.backup import back_up, restore
from querykin.backup import backup as backup_module
from querykin.clustering.hand_changes import HandChange
from querykin.errors import InputError, WorkspaceError
from querykin.integrity import corrupted_files
from querykin.server.judgement_store import JudgementStore
from recorded_progress import Recorded
from saved import CORPUS_FILE, INDEX_FILE, MEASURE, file_of, flip, stored_content
from topics import QUERIES


def test_a_restored_workspace_is_equal(stock, saved, tmp_path):
    found = restore(saved, tmp_path / "new")
    assert found.files > 50
    assert stored_content(tmp_path / "new") == stored_content(stock.path)
    again = Workspace.open(tmp_path / "new")
    assert corrupted_files(again) == []
    assert again.suggester(MEASURE).match(QUERIES[:3], 3) == stock.suggester(MEASURE).match(QUERIES[:3], 3)
    assert [given.grade for given in JudgementStore(tmp_path / "new").given("free")] == [2.0]


def test_private_files_stay_private_and_so_is_the_backup(saved, tmp_path):
    restore(saved, tmp_path / "new")
    for path in (saved, tmp_path / "new" / "judgements.db"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_backup_is_a_tar_archive(saved):
    with zstandard.open(saved) as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
        names = archive.getnames()
    assert names[0] == "querykin-backup.json"
    assert "corpus/manifest.json" in names
    assert not [name for name in names if "notes.txt" in name or name.endswith("/lock")]


def test_what_is_derived_is_copied_before_what_it_is_derived_from(saved):
    with zstandard.open(saved) as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
        tops = list(dict.fromkeys(name.split("/")[0] for name in archive.getnames()))
    order = [tops.index(name) for name in ("index", "keyword-lists", "repository", "corpus")]
    assert order == sorted(order)


def test_a_backup_is_consistent_while_others_write(own, tmp_path):
    stop = threading.Event()
    failed = []

    def write():
        n = 0
        while not stop.is_set():
            n += 1
            try:
                workspace = Workspace.open(own.path)
                workspace.repository.add([(f"query number {n}", 1)])
                workspace = workspace.reopen()
                workspace.build(MEASURE)
                workspace.hand_changes.add(HandChange(f"query number {n}"))
            except Exception as error:
                failed.append(error)
                raise

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for n in range(5):
            back_up(own, tmp_path / f"{n}.tar.zst")
    finally:
        stop.set()
        writer.join()
    assert failed == []
    for n in range(5):
        restore(tmp_path / f"{n}.tar.zst", tmp_path / str(n))
        found = Workspace.open(tmp_path / str(n))
        assert corrupted_files(found) == []
        index, ids = found.indexes.built()["words"], len(found.repository.counts)
        assert all((segment.query_ids < ids).all() for segment in index.segments)


def test_damaged_original_data_is_refused_and_the_old_backup_stays(own, tmp_path):
    target = tmp_path / "saved.tar.zst"
    back_up(own, target)
    before = target.read_bytes()
    flip(file_of(own, CORPUS_FILE))
    with pytest.raises(WorkspaceError, match=r"tokens\.npy .*--only corpus"):
        back_up(own, target, replace=True)
    assert target.read_bytes() == before
    assert set(os.listdir(tmp_path)) == {"own", target.name}


@pytest.mark.parametrize("name", ["models/mine.json", "hand-changes.json", "judgements.db"])
def test_damaged_single_files_are_refused(name, own, tmp_path):
    path = own.path / name
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(WorkspaceError, match=f"no backup was made: .*{path.name}"):
        back_up(own, tmp_path / "saved.tar.zst")


def test_damaged_derived_data_is_left_out_with_a_message(own, tmp_path):
    flip(file_of(own, INDEX_FILE))
    recorded = Recorded()
    back_up(own, tmp_path / "saved.tar.zst", progress=recorded)
    assert any("left out" in line and "query_ids.npy" in line for line in recorded.lines)
    restore(tmp_path / "saved.tar.zst", tmp_path / "new")
    found = Workspace.open(tmp_path / "new")
    assert corrupted_files(found) == []
    assert not (found.path / "index").exists()
    found.build(MEASURE)
    assert found.suggester(MEASURE).match(["space"], 3)[0].suggestions


def test_what_exists_is_replaced_only_on_request_and_only_if_it_is_a_backup(own, tmp_path):
    target = tmp_path / "saved.tar.zst"
    target.write_bytes(b"something else")
    with pytest.raises(InputError, match="exists; next: --replace"):
        back_up(own, target)
    with pytest.raises(InputError, match="is not a backup of querykin, and is not replaced"):
        back_up(own, target, replace=True)
    assert target.read_bytes() == b"something else"
    target.unlink()
    back_up(own, target)
    before = target.read_bytes()
    back_up(own, target, replace=True)
    assert target.read_bytes() != before


def test_a_backup_does_not_go_into_its_workspace_or_a_folder(own, tmp_path):
    with pytest.raises(InputError, match="is in the workspace"):
        back_up(own, own.path / "saved.tar.zst")
    with pytest.raises(InputError, match=r"is a folder; .*workspace\.tar\.zst"):
        back_up(own, tmp_path)
    with pytest.raises(InputError, match="there is no folder"):
        back_up(own, tmp_path / "missing" / "saved.tar.zst")
    with pytest.raises(WorkspaceError, match="there is no workspace"):
        back_up(Workspace.open(tmp_path / "nothing"), tmp_path / "saved.tar.zst")


def test_a_full_disk_is_named(own, monkeypatch):
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")

    def full(writer, left_out):
        with open("/dev/full", "wb", buffering=0) as device:
            device.write(b"x")

    monkeypatch.setattr(backup_module.ArchiveWriter, "finish", full)
    target = own.path.parent / "saved.tar.zst"
    with pytest.raises(WorkspaceError, match=r"no space is left for .*saved\.tar\.zst"):
        back_up(own, target)
    assert os.listdir(own.path.parent) == ["own"]
