"""Only what a store has made is ever deleted."""

import json
import os

import pytest

from manifests import edit_manifest
from querykin import Workspace, WorkspaceError
from querykin.storage.part_folders import MARKER, check_file_name, check_part_name
from querykin.storage.store import Store


@pytest.fixture
def victim(tmp_path):
    """A folder of somebody else, with folders named like parts."""
    for name in ("photos", "queries-0123456789ab"):
        (tmp_path / "victim" / name).mkdir(parents=True)
        (tmp_path / "victim" / name / "file").write_text("precious")
    return tmp_path / "victim"


def is_whole(victim) -> bool:
    return sorted(file.read_text() for file in victim.rglob("file")) == ["precious"] * 2


@pytest.mark.parametrize("listed", [True, False])
def test_a_link_in_the_place_of_parts_is_refused(tmp_path, victim, listed):
    store = tmp_path / "w" / "repository"
    store.mkdir(parents=True)
    (store / "parts").symlink_to(victim)
    if listed:
        content = {
            "format": 1,
            "kind": "repository",
            "generation": 1,
            "lineage": "x",
            "facts": {},
            "parts": {},
        }
        (store / "manifest.json").write_text(json.dumps(content))
    with pytest.raises(WorkspaceError):
        Workspace.open(tmp_path / "w").repository.add([("garden hose", 1)])
    assert is_whole(victim)


def test_a_link_in_the_place_of_parts_of_todays_format_is_refused(tmp_path, victim):
    repository = Workspace.open(tmp_path / "w").repository
    repository.add([("garden hose", 1)])
    parts = repository.store.path / "parts"
    parts.rename(tmp_path / "elsewhere")
    parts.symlink_to(victim)
    edit_manifest(repository.store.path, lambda raw: raw | {"parts": {}, "metadata": {}})
    with pytest.raises(WorkspaceError, match="symbolic link"):
        Workspace.open(tmp_path / "w").repository.add([("rake", 1)])
    assert is_whole(victim)


def test_folders_that_the_store_did_not_make_stay(tmp_path, victim):
    repository = Workspace.open(tmp_path / "w").repository
    repository.add([("garden hose", 1)])
    parts = repository.store.path / "parts"
    (parts / "linked").symlink_to(victim)
    victim.joinpath("photos").rename(parts / "photos")
    (parts / "photos" / MARKER).write_text("another store")
    repository.add([("rake", 1)])
    assert (parts / "photos" / "file").read_text() == "precious"
    assert (parts / "linked" / "queries-0123456789ab" / "file").exists()


def test_links_inside_a_part_are_deleted_and_not_followed(tmp_path, victim):
    store = Store(tmp_path / "things", "things")
    with store.writing():
        part = store.part(store.new_part("part"))
        (part / "link").symlink_to(victim)
        (part / "folder").mkdir()
        (part / "folder" / "link").symlink_to(victim / "photos")
    assert not part.exists()
    assert is_whole(victim)


def test_what_a_killed_writer_left_is_deleted(tmp_path):
    store = Store(tmp_path / "things", "things")
    with store.writing():
        pass
    (store.path / "parts" / "part-0123456789ab").mkdir(parents=True)  # killed before it was marked
    with store.writing():
        left = store.part(store.new_part("part"))
        (left / "file").write_text("x")
        os.chmod(left / "file", 0o400)
    assert os.listdir(store.path / "parts") == []


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "/etc", "a\0b", ".part", "x" * 101, "a b"])
def test_part_names_are_single_safe_names(tmp_path, name):
    with pytest.raises(ValueError, match="not the name of a part"):
        check_part_name(name)
    store = Store(tmp_path, "things")
    with store.writing():
        pass
    edit_manifest(tmp_path, lambda raw: raw | {"parts": {name: {}}})
    with pytest.raises(WorkspaceError, match="is damaged"):
        store.manifest()


@pytest.mark.parametrize("name", ["", "..", "../x", "/etc/passwd", "a/../b", "a/b/c", "engine/.."])
def test_file_names_stay_inside_their_part(name):
    with pytest.raises(ValueError, match="not the name of a file"):
        check_file_name(name)


@pytest.mark.parametrize(
    "change", [lambda raw: raw | {"generation": 9}, lambda raw: raw | {"kind": "others"}]
)
def test_a_changed_manifest_is_noticed(tmp_path, change):
    store = Store(tmp_path, "things")
    with store.writing():
        pass
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    with pytest.raises(WorkspaceError, match="differs from what was written"):
        store.manifest()


def test_a_pipe_in_the_place_of_a_file_does_not_stop_a_reader(tmp_path):
    repository = Workspace.open(tmp_path / "w").repository
    repository.add([("garden hose", 1)])
    path = next((repository.store.path / "parts").glob("*/arena.npy"))
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(WorkspaceError, match="not a regular file"):
        Workspace.open(tmp_path / "w").repository.all_queries()
