"""Stores survive killed writers, and detect damaged files."""

import os
import pickle
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from live_documents import live_documents
from manifests import edit_manifest
from querykin import Document, Workspace, WorkspaceError
from querykin.integrity import corrupted_files
from querykin.storage.array_files import ArrayFile, load, save
from querykin.storage.atomic_write import write_text
from querykin.storage.store import Store
from topics import DOCUMENTS

KILLED_WRITER = """
import os, sys, time
from querykin import Document, Workspace
from querykin.storage.store import Store

def stop(*_):
    print("now", flush=True)
    time.sleep(600)

def documents():
    for i in range(12):
        if i == 10 and moment == "reading":
            stop()
        yield Document(f"new-{i}", "new", f"words never seen {i} " * 60_000)

path, moment = sys.argv[1:]
if moment == "replacing":
    os.replace = stop
if moment == "sweeping":
    sweep, calls = Store._sweep, []
    Store._sweep = lambda store: stop() if calls else calls.append(sweep(store))
Workspace.open(path).corpus.add(documents())
"""


def kill_writer(workspace: Workspace, moment: str, script: str = KILLED_WRITER) -> None:
    command = [sys.executable, "-c", script, str(workspace.path), moment]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
        try:
            assert writer.stdout.readline() == b"now\n"
        finally:
            os.kill(writer.pid, signal.SIGKILL)


def parts(workspace: Workspace) -> set[str]:
    return {folder.name for folder in (workspace.path / "corpus" / "parts").iterdir()}


@pytest.mark.parametrize("moment", ["reading", "replacing"])
def test_a_writer_killed_before_the_manifest_is_replaced_changes_nothing(build, moment):
    workspace = build(DOCUMENTS)
    before, listed = workspace.corpus.info(), parts(workspace)
    kill_writer(workspace, moment)
    assert parts(workspace) > listed
    after = workspace.reopen()
    assert after.corpus.info() == before
    assert corrupted_files(after) == []
    assert list(live_documents(after.corpus).values()) == list(DOCUMENTS)
    after.corpus.add([Document("next", "next")])
    assert parts(workspace) == set(Store(workspace.path / "corpus", "corpus").manifest().parts)
    assert len(after.corpus) == len(DOCUMENTS) + 1


def test_a_source_whose_replacement_is_killed_is_as_it_was(build):
    workspace = build(DOCUMENTS)
    workspace.repository.add([("nasa", 2), ("esa", 1)], source="console")
    script = KILLED_WRITER.replace(
        "corpus.add(documents())", "repository.add([('jaxa', 1)], source='console', replace=True)"
    )
    kill_writer(workspace, "replacing", script)
    after = workspace.reopen()
    assert [each.query for each in after.repository.by_count()] == ["nasa", "esa"]
    after.repository.add([("jaxa", 1)], source="console", replace=True)
    assert [each.query for each in after.reopen().repository.by_count()] == ["jaxa"]
    assert corrupted_files(after) == []


def test_a_writer_killed_after_the_manifest_is_replaced_has_committed(build):
    workspace = build(DOCUMENTS)
    kill_writer(workspace, "sweeping")
    after = workspace.reopen()
    assert len(after.corpus) == len(DOCUMENTS) + 12
    assert corrupted_files(after) == []
    after.corpus.remove(["new-3"])
    assert parts(workspace) == set(Store(workspace.path / "corpus", "corpus").manifest().parts)


@pytest.fixture
def store(tmp_path) -> Store:
    """A store with one part that contains one array."""
    store = Store(tmp_path, "things")
    with store.writing():
        name = store.new_part("part")
        save(store.part(name), numbers=np.arange(100))
        store.commit({"part": name}, [name])
    return store


def array_file(store: Store) -> Path:
    return store.part(store.manifest().metadata["part"]) / "numbers.npy"


def test_an_intact_store_has_no_corrupted_files(store):
    assert store.corrupted_files() == []
    assert store.manifest().generation == 1


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda path: path.unlink(), "is missing"),
        (lambda path: os.truncate(path, 500), "has 500 bytes instead of 960"),
        (lambda path: path.write_bytes(path.read_bytes()[:-1] + b"x"), "differs from what was written"),
    ],
)
def test_a_corrupted_file_is_named(store, damage, message):
    damage(array_file(store))
    (line,) = store.corrupted_files()
    assert str(array_file(store)) in line
    assert message in line


def test_a_missing_file_is_named_when_a_store_is_opened(store):
    array_file(store).unlink()
    with pytest.raises(WorkspaceError, match=r"numbers\.npy is damaged: it is missing"):
        store.read(lambda manifest: load(store.part(manifest.metadata["part"]), "numbers"))


@pytest.mark.parametrize("damage", [lambda path: path.unlink(), lambda path: os.truncate(path, 140)])
def test_a_workspace_with_a_damaged_array_can_still_be_checked(build, damage):
    workspace = build(DOCUMENTS)
    damage(next((workspace.path / "corpus" / "parts").glob("segment-*")) / "tokens.npy")
    assert len(corrupted_files(workspace)) == 1


def test_a_truncated_file_is_a_workspace_error_when_a_corpus_is_opened(build):
    workspace = build(DOCUMENTS)
    os.truncate(next((workspace.path / "corpus" / "parts").glob("segment-*")) / "tokens.npy", 140)
    with pytest.raises(WorkspaceError, match="tokens"):
        len(workspace.corpus)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"format": 2}', b'{"format": 2, "kind": "things"}']
)
def test_a_damaged_manifest_is_reported(store, content):
    (store.path / "manifest.json").write_bytes(content)
    with pytest.raises(WorkspaceError, match="is damaged"):
        store.manifest()


@pytest.mark.parametrize(("field", "value"), [("format", 999), ("kind", "others")])
def test_a_manifest_of_another_version_or_kind_is_refused(store, field, value):
    edit_manifest(store.path, lambda raw: raw | {field: value})
    with pytest.raises(WorkspaceError, match=str(value)):
        store.manifest()


def test_a_manifest_of_format_1_names_the_upgrade(store):
    path = store.path / "manifest.json"
    path.write_text(
        '{"format": 1, "kind": "things", "generation": 1, "lineage": "x", "metadata": {}, "parts": {}}'
    )
    with pytest.raises(WorkspaceError, match=r"written by querykin 0\.1 .*; next: querykin upgrade"):
        store.manifest()


def test_a_store_never_written_is_empty(tmp_path):
    assert Store(tmp_path / "nowhere", "things").manifest().parts == {}
    assert not (tmp_path / "nowhere").exists()


def test_reading_starts_again_when_a_writer_replaced_the_listed_parts(store):
    seen = []

    def opening(manifest):
        seen.append(manifest.generation)
        if len(seen) == 1:
            with store.writing():
                name = store.new_part("part")
                save(store.part(name), numbers=np.arange(3))
                store.commit({"part": name}, [name])
        return load(store.part(manifest.metadata["part"]), "numbers")

    assert store.read(opening).tolist() == [0, 1, 2]
    assert seen == [1, 2]


@given(
    st.lists(arrays(np.int32, st.integers(0, 50)), max_size=4),
    st.sampled_from([np.int32, np.int64, np.uint8]),
)
@settings(deadline=None, max_examples=60)
def test_an_array_written_in_pieces_equals_the_file_numpy_writes(pieces, dtype):
    whole = np.concatenate([np.zeros(0, np.int32), *pieces]).astype(dtype)
    with TemporaryDirectory() as name:
        folder = Path(name)
        file = ArrayFile(folder / "pieces.npy", dtype)
        for piece in pieces:
            file.append(piece.astype(dtype))
        file.close()
        save(folder, whole=whole)
        assert (folder / "pieces.npy").read_bytes() == (folder / "whole.npy").read_bytes()
        assert load(folder, "pieces").tolist() == whole.tolist()
        assert load(folder, "pieces").dtype == dtype


def test_parts_that_are_still_written_stay_until_the_lock_is_released(tmp_path):
    store = Store(tmp_path, "test")
    with store.writing():
        first, second, orphan = (store.new_part("part") for _ in range(3))
        save(store.part(first), numbers=np.arange(3))
        sealed = {first: store.seal(first)}
        store.commit({}, [first], sealed)
        save(store.part(second), numbers=np.arange(4))  # a task finishes after the commit of another's
        store.commit({}, [first, second], {second: store.seal(second)})
        assert store.part(orphan).exists()
    assert not store.part(orphan).exists()
    assert store.manifest().parts.keys() == {first, second}
    assert store.corrupted_files() == []


def test_superseded_parts_are_deleted_by_the_commit(tmp_path):
    store = Store(tmp_path, "test")
    with store.writing():
        old, new = store.new_part("part"), store.new_part("part")
        store.commit({}, [old])
        store.commit({}, [new])
        assert not store.part(old).exists()


def test_a_task_in_another_folder_opens_the_same_store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pickled = pickle.dumps(Store(Path("store"), "test"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    opened = pickle.loads(pickled)
    assert (opened.path, opened.kind) == (tmp_path / "store", "test")


def test_threads_replace_a_file_at_the_same_time(tmp_path):
    def write(number: int) -> None:
        for _ in range(50):
            write_text(tmp_path / "file", str(number) * 100)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    assert len(set((tmp_path / "file").read_text())) == 1
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
