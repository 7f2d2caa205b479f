"""Files replaced atomically, and folders that are still there after a power failure."""

import os

import pytest

from querykin.storage import atomic_write
from querykin.storage.atomic_write import create_folder, write_text


def test_a_new_folder_is_forced_to_disk_in_each_folder_above_it(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    synced = []
    monkeypatch.setattr(atomic_write, "sync_to_disk", synced.append)
    create_folder(tmp_path / "a" / "b")
    assert synced == [tmp_path, tmp_path / "a"]
    assert (tmp_path / "a" / "b").is_dir()


def test_a_folder_in_use_is_not_forced_to_disk_again(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setattr(atomic_write, "sync_to_disk", lambda path: pytest.fail(f"{path} was synced"))
    create_folder(tmp_path)


def test_an_empty_folder_may_be_that_of_a_killed_process_and_is_forced_to_disk(tmp_path, monkeypatch):
    (tmp_path / "empty").mkdir()
    synced = []
    monkeypatch.setattr(atomic_write, "sync_to_disk", synced.append)
    create_folder(tmp_path / "empty")
    assert synced == [tmp_path]


def test_a_draft_that_cannot_take_its_place_is_deleted(tmp_path, monkeypatch):
    def fail(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="No space"):
        write_text(tmp_path / "note", "text")
    assert not list(tmp_path.iterdir())
