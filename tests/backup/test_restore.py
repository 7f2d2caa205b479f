"""Backups restored, whole or in part."""

import os
import signal

import pytest

from querykin import Workspace
from querykin.backup import back_up, restore
from querykin.clustering.hand_changes import HAND_CHANGES, HandChange, HandChanges
from querykin.errors import InputError, UnknownName, WorkspaceError
from querykin.integrity import corrupted_files, find_damage
from querykin.integrity.inventory import ORIGINALS
from querykin.model_files import Model
from querykin.storage.lost_files import mark_of
from saved import CORPUS_FILE, MEASURE, file_of, flip, stored_content


def test_a_workspace_is_replaced_only_on_request(own, saved):
    own.repository.add([("brand new", 1)])
    with pytest.raises(WorkspaceError, match="holds a workspace; next: --replace"):
        restore(saved, own.path)
    restore(saved, own.path, replace=True)
    assert Workspace.open(own.path).repository.ids_of(["brand new"])[0] == -1
    assert (own.path / "notes.txt").read_text() == "not ours"
    assert not [each for each in os.listdir(own.path) if each.startswith(".")]


def test_a_workspace_that_is_being_written_to_is_not_replaced(own, saved):
    before = stored_content(own.path)
    with own.repository.store.writing(), pytest.raises(WorkspaceError, match="another process is writing"):
        restore(saved, own.path, replace=True)
    assert stored_content(own.path) == before


@pytest.mark.parametrize("at", [100, 1_000, -1_000, -30])
def test_a_damaged_backup_changes_nothing(at, own, saved, tmp_path):
    content = bytearray(saved.read_bytes())
    content[at] ^= 0xFF
    (tmp_path / "bad").write_bytes(bytes(content))
    (tmp_path / "cut").write_bytes(content[:at])
    before = stored_content(own.path)
    for name in ("bad", "cut"):
        with pytest.raises((WorkspaceError, InputError), match=f"{name} is (a damaged backup|not a backup)"):
            restore(tmp_path / name, own.path, replace=True)
    assert stored_content(own.path) == before


def test_a_dry_run_verifies_and_writes_nothing(saved, tmp_path):
    assert restore(saved, tmp_path / "new", dry_run=True).files > 50
    assert not (tmp_path / "new").exists()


def test_one_damaged_store_is_restored_alone(own, saved):
    own.models.write(Model("tweak", "newer", {"features": ["bias"], "weights": [0.1], "results": 30}))
    flip(file_of(own, CORPUS_FILE))
    (damage,) = find_damage(own)
    assert damage.remedy == "querykin restore BACKUP --only corpus"
    restore(saved, own.path, only=["corpus"])
    assert corrupted_files(own) == []
    assert own.models.names() == ["mine", "newer"]
    # The corpus had not changed since the backup: what was derived from it stays.
    assert own.reopen().suggester(MEASURE).match(["space"], 3)[0].suggestions


def test_data_that_is_not_damaged_is_replaced_only_on_request(own, saved):
    with pytest.raises(WorkspaceError, match=r"models is not damaged; next: --replace"):
        restore(saved, own.path, only=["models"])
    restore(saved, own.path, only=["models"], replace=True)
    with pytest.raises(UnknownName, match="unknown name of original data 'index'"):
        restore(saved, own.path, only=["index"])


def test_an_index_of_newer_queries_is_not_used_with_older_ones(own, saved):
    own.repository.add([("saved later", 1)])
    own.reopen().build(MEASURE)
    before = own.repository.store_id
    restore(saved, own.path, only=["repository"], replace=True)
    found = own.reopen()
    assert found.repository.store_id != before
    found.repository.add([("red tulip", 1)])  # takes the id of "saved later"
    found = found.reopen()
    found.build(MEASURE)
    (ranking,) = found.suggester(MEASURE, filter="none").match(["tulip"], 1)
    assert [each.query for each in ranking.suggestions] == ["red tulip"]
    assert corrupted_files(found) == []


def test_judgements_of_an_old_write_ahead_log_do_not_come_back(own, saved):
    (own.path / "judgements.db-wal").write_bytes(b"old")
    restore(saved, own.path, only=["judgements"], replace=True)
    assert not (own.path / "judgements.db-wal").exists()
    assert corrupted_files(own) == []


@pytest.mark.parametrize("killed_at", range(0, 30, 4))
def test_a_killed_restore_leaves_the_old_or_finishes_with_the_new(killed_at, own, saved):
    """A process that is killed before its nth rename."""
    own.repository.add([("brand new", 1)])
    child = os.fork()
    if not child:
        renames, left = os.rename, [killed_at]

        def rename(*paths):
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
            renames(*paths)

        os.rename = rename
        restore(saved, own.path, replace=True)
        os._exit(0)
    os.waitpid(child, 0)
    try:
        found = Workspace.open(own.path)
    except WorkspaceError as error:
        assert "was interrupted; next: run querykin restore again" in str(error)  # noqa: PT017
        restore(saved, own.path)  # finishes, and needs no --replace for it
        found = Workspace.open(own.path)
    assert corrupted_files(found) == []
    restore(saved, own.path, replace=True)
    assert Workspace.open(own.path).repository.ids_of(["brand new"])[0] == -1


@pytest.mark.parametrize("name", ["hand-changes", "judgements"])
def test_a_lost_file_is_found_and_restored(name, own, saved, tmp_path):
    path = own.path / ORIGINALS[name]
    path.unlink()
    assert [each.remedy for each in find_damage(own)] == [f"querykin restore BACKUP --only {name}"]
    with pytest.raises(WorkspaceError, match="no backup was made"):
        back_up(own, tmp_path / "other.tar.zst")
    restore(saved, own.path, only=[name])
    assert path.exists()
    assert find_damage(own) == []


def test_a_file_that_the_backup_does_not_have_is_not_missed(own, tmp_path):
    (own.path / HAND_CHANGES).unlink()
    mark_of(own.path / HAND_CHANGES).unlink()
    back_up(own, tmp_path / "without.tar.zst")
    HandChanges(own.path).add(HandChange("a", "b"))
    restore(tmp_path / "without.tar.zst", own.path, replace=True)
    assert HandChanges(own.path).all() == ()
