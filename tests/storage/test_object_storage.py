"""Workspaces in object storage: an S3 server with real requests."""

import os
import pickle
import re
import stat
import sys
import time
from datetime import timedelta
from pathlib import Path

import boto3
import pytest

import object_server
from querykin import Workspace, WorkspaceError
from querykin.backup import back_up, restore
from querykin.clustering.hand_changes import HandChange
from querykin.errors import InputError, MissingExtra, ObjectStorageError
from querykin.integrity import corrupted_files, repair
from querykin.model_files import Model
from querykin.querylog.counted_queries import CountedQueries
from querykin.server.judgement_store import JudgementStore
from querykin.settings import Settings, StorageSettings
from querykin.storage import part_transfer
from querykin.storage.part_cache import remove_unused
from querykin.storage.store import Store


@pytest.fixture(scope="module")
def server():
    with object_server.running() as running:
        yield running


@pytest.fixture
def bucket(server, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for name, value in object_server.CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_ENDPOINT_URL", server.url)
    monkeypatch.setattr(server, "before", lambda method, path: None)
    name = server.create_bucket()
    server.requests.clear()
    return name


@pytest.fixture
def machine(bucket, tmp_path):
    """Open the workspace as it is seen by another machine: each has a cache of its own."""

    def opened(name: str = "a", **storage) -> Workspace:
        settings = Settings(storage=StorageSettings(cache_dir=str(tmp_path / name), **storage))
        return Workspace.open(f"s3://{bucket}/shop", settings)

    return opened


def queries(workspace: Workspace) -> list[str]:
    return [each.query for each in workspace.repository.by_count()]


def test_what_one_machine_writes_another_reads(machine, bucket):
    writer, reader = machine("a"), machine("b")
    assert writer.location == f"s3://{bucket}/shop"
    assert queries(reader) == []
    writer.repository.add([("garden hose", 5), ("rake", 1)])
    writer.block_list.add(["junk"])
    assert queries(reader) == []  # as it was opened
    assert queries(reader.reopen()) == ["garden hose", "rake"]
    assert reader.reopen().block_list.current == writer.block_list.current
    reader.reopen().repository.add([("spade", 2)])
    assert queries(writer.reopen()) == ["garden hose", "spade", "rake"]


def test_a_mirror_opened_by_its_path_writes_to_the_bucket(machine, monkeypatch):
    monkeypatch.chdir(machine("a").path)
    Workspace.open(".").repository.add([("garden hose", 5)])
    assert queries(machine("b")) == ["garden hose"]


def test_the_local_copy_is_private_whatever_the_umask(machine, tmp_path):
    before = os.umask(0)
    try:
        workspace = machine()
        workspace.repository.add([("shoes", 1)])
    finally:
        os.umask(before)
    assert stat.S_IMODE(workspace.path.stat().st_mode) == 0o700
    assert workspace.path.parent == tmp_path / "a"


def test_the_objects_are_the_files_of_an_ordinary_workspace(machine, bucket, tmp_path):
    machine().repository.add([("garden hose", 5)])
    client = boto3.client("s3", endpoint_url=os.environ["AWS_ENDPOINT_URL"])
    for each in client.list_objects_v2(Bucket=bucket)["Contents"]:
        file = tmp_path / "copy" / Path(each["Key"]).relative_to("shop")
        file.parent.mkdir(parents=True, exist_ok=True)
        client.download_file(bucket, each["Key"], str(file))
    assert queries(Workspace.open(tmp_path / "copy")) == ["garden hose"]
    assert corrupted_files(Workspace.open(tmp_path / "copy")) == []


def test_a_backup_is_made_of_what_is_in_the_bucket(machine, tmp_path):
    machine("a").repository.add([("garden hose", 2)])
    back_up(machine("b"), tmp_path / "saved.tar.zst")
    restore(tmp_path / "saved.tar.zst", tmp_path / "restored")
    found = Workspace.open(tmp_path / "restored")
    assert [each.query for each in found.repository.by_count()] == ["garden hose"]
    assert corrupted_files(found) == []
    with pytest.raises(InputError, match="restore writes to a folder"):
        restore(tmp_path / "saved.tar.zst", machine("a").path, replace=True)


def test_a_part_is_uploaded_once_and_downloaded_once(machine, server):
    writer = machine("a")
    writer.repository.add([("garden hose", 5)])
    writer.repository.add([("rake", 1)])
    uploaded = [each.path for each in server.requests if each.method == "PUT" and "/parts/" in each.path]
    assert len(uploaded) == len(set(uploaded))
    server.requests.clear()
    assert queries(machine("b")) == ["garden hose", "rake"]
    assert server.count("GET", "/parts/") > 0
    server.requests.clear()
    assert queries(machine("b")) == ["garden hose", "rake"]
    assert [each.method for each in server.requests] == ["GET"]  # one listing


def test_only_the_parts_of_stores_that_are_opened_are_downloaded(machine, server):
    machine("a").repository.add([("garden hose", 5)])
    server.requests.clear()
    assert len(machine("b").corpus) == 0
    assert server.count("GET", "/parts/") == 0


def test_of_two_writers_one_wins_and_the_other_is_told_to_run_again(machine, bucket):
    first, second = (Store(machine(name).path / "repository", "repository") for name in "ab")
    with first.writing():
        name = first.new_part("part")
        (first.part(name) / "file").write_bytes(b"first")
        with second.writing():
            other = second.new_part("part")
            (second.part(other) / "file").write_bytes(b"second")
            second.commit({"weights": {"": {"bias": 2.0}}}, [other])
        with pytest.raises(WorkspaceError) as error:
            first.commit({"weights": {"": {"bias": 1.0}}}, [name])
    assert str(error.value) == (
        f"another process wrote to s3://{bucket}/shop/repository meanwhile; run the command again"
    )
    assert first.manifest() == second.manifest()
    assert first.read(lambda manifest: (first.part(other) / "file").read_bytes()) == b"second"
    with first.writing():  # run again
        name = first.new_part("part")
        first.commit({"weights": {"": {"bias": 1.0}}}, [other, name])
    assert Store(machine("b").path / "repository", "repository").manifest().metadata == {
        "weights": {"": {"bias": 1.0}}
    }


def test_a_put_whose_answer_was_lost_has_committed(machine, server, monkeypatch):
    workspace = machine()
    workspace.repository.add([("garden hose", 5)])
    lost = []

    def lose(method, path):
        if method == "PUT" and path.endswith("repository/manifest.json") and not lost:
            return lost.append(path) or 500
        return None

    monkeypatch.setattr(server, "after", lose)
    workspace.repository.add([("rake", 1)])
    assert lost
    assert queries(machine("b")) == queries(workspace) == ["garden hose", "rake"]


def test_a_model_that_another_machine_replaced_is_not_overwritten(machine):
    first, second = machine("a"), machine("b")
    first.save_model(Model("keywords", "mine", {"weights": {"": {"bias": 1.0}}}, {}))
    with pytest.raises(WorkspaceError, match=r"wrote to s3://.*/models/mine\.json meanwhile"):
        second.save_model(Model("keywords", "mine", {"weights": {"": {"bias": 2.0}}}, {}))
    second.save_model(Model("keywords", "mine", {"weights": {"": {"bias": 2.0}}}, {}))
    assert first.reopen().models.read("mine").content == {"weights": {"": {"bias": 2.0}}}


def test_hand_changes_of_two_machines_are_both_kept(machine):
    first, second = machine("a"), machine("b")
    first.hand_changes.add(HandChange("a", "b"))
    second.hand_changes.add(HandChange("c", "d"))
    assert [each.query for each in first.reopen().hand_changes.all()] == ["a", "c"]


def test_a_keyword_list_is_removed_everywhere(machine):
    first, second = machine("a"), machine("b")
    identity = first.keyword_list("list", CountedQueries.collect([("hose", 1), ("rake", 1)])).path.name
    assert queries(second.reopen().open_keyword_list(identity)) == ["hose", "rake"]
    second.keyword_lists.remove(identity)
    assert first.reopen().keyword_lists.all() == []


def test_a_part_in_use_is_not_evicted(machine, tmp_path):
    for number in range(3):
        store = Store(machine("a").path / f"things-{number}", "things")
        with store.writing():
            name = store.new_part("part")
            (store.part(name) / "file").write_bytes(bytes([number]) * 600_000)
            store.commit({"part": name}, [name])

    def file(number):
        store = Store(machine("b", cache_bytes=1_000_000).path / f"things-{number}", "things")
        return store, store.read(lambda manifest: store.part(manifest.metadata["part"]) / "file")

    in_use, first = file(0)
    second = file(1)[1]
    assert first.exists()  # above the limit, and in use
    third = file(2)[1]
    assert (first.exists(), second.exists(), third.exists()) == (True, False, True)
    del in_use
    second = file(1)[1]
    assert (first.exists(), second.exists()) == (False, True)
    assert second.read_bytes() == b"\1" * 600_000


def test_an_object_that_changed_is_not_used(machine, server, bucket):
    machine("a").repository.add([("garden hose", 5)])
    client = boto3.client("s3", endpoint_url=server.url)
    keys = [
        each["Key"] for each in client.list_objects_v2(Bucket=bucket)["Contents"] if "/parts/" in each["Key"]
    ]
    content = client.get_object(Bucket=bucket, Key=keys[0])["Body"].read()
    client.put_object(Bucket=bucket, Key=keys[0], Body=content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(WorkspaceError, match="differs from what was written; querykin check"):
        queries(machine("b"))
    (line,) = corrupted_files(machine("a"))
    assert line == f"s3://{bucket}/{keys[0]} differs from what was written"
    client.delete_object(Bucket=bucket, Key=keys[0])
    (line,) = corrupted_files(machine("a"))
    assert line == f"s3://{bucket}/{keys[0]} is missing"


def test_old_parts_that_no_manifest_lists_are_swept(machine, server, bucket, monkeypatch):
    workspace = machine()
    workspace.repository.add([("garden hose", 5)])
    client = boto3.client("s3", endpoint_url=server.url)
    client.put_object(Bucket=bucket, Key="shop/repository/parts/queries-0/left", Body=b"x")
    assert repair(workspace) == []  # somebody may be uploading it
    monkeypatch.setattr(part_transfer, "ORPHAN_AGE", timedelta(seconds=-1))
    assert len(repair(workspace)) == 1
    client.put_object(Bucket=bucket, Key="shop/repository/parts/queries-0/left", Body=b"x")
    time.sleep(0.01)
    workspace.repository.add([("rake", 5)])  # so does the next writer
    assert "queries-0/left" not in str(client.list_objects_v2(Bucket=bucket)["Contents"])
    assert queries(machine("b")) == ["garden hose", "rake"]


def test_a_damaged_cached_part_is_downloaded_again_after_repair(machine):
    machine("a").repository.add([("garden hose", 5)])
    file = next(machine("a").path.rglob("parts/*/*.npy"))
    file.write_bytes(b"damage")
    assert corrupted_files(machine("a")) == [f"{file} has 6 bytes instead of {_size(machine('b'), file)}"]
    assert len(repair(machine("a"))) == 1
    assert corrupted_files(machine("a")) == []
    assert queries(machine("a")) == ["garden hose"]


def _size(other: Workspace, file: Path) -> int:
    queries(other)
    return next(other.path.rglob(f"parts/{file.parent.name}/{file.name}")).stat().st_size


def test_judgements_are_not_kept_in_a_cache(machine, tmp_path):
    workspace = machine()
    with pytest.raises(WorkspaceError, match=r"workspace is at s3://.*; next: name a file elsewhere as judg"):
        JudgementStore(workspace.path).record("rose", "tulip", 2, "Ann", "garden")
    JudgementStore(workspace.path, str(tmp_path / "judged.db")).record("rose", "tulip", 2, "Ann", "garden")


def test_errors_are_one_line_with_what_to_do(machine, server, monkeypatch):
    with pytest.raises(ObjectStorageError, match=r"no bucket 'nowhere' at http://.*; next: create it"):
        Workspace.open("s3://nowhere/shop")
    monkeypatch.setattr(server, "before", lambda method, path: 403)
    with pytest.raises(ObjectStorageError, match=r"access to s3://.*/shop is denied; next: grant"):
        machine()
    with pytest.raises(InputError, match="a workspace is a folder or s3://BUCKET/PREFIX"):
        Workspace.open("ftp://host/shop")
    with pytest.raises(InputError, match="a workspace is a folder or s3://BUCKET/PREFIX"):
        Workspace.open("s3://")
    # The instance metadata service is asked where the environment has no credentials.
    monkeypatch.setenv("AWS_METADATA_ENDPOINT", server.url)
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with pytest.raises(ObjectStorageError, match=r"no credentials for s3://.*; next: set AWS_ACCESS_KEY_ID"):
        machine()


def test_without_the_extra_the_error_has_the_command(machine, monkeypatch):
    monkeypatch.setitem(sys.modules, "obstore", None)
    with pytest.raises(MissingExtra, match=r"a workspace in object storage needs an optional part: pip inst"):
        machine()


def test_an_endpoint_that_does_not_answer_is_named(machine, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setattr("querykin.storage.object_storage._RETRIES", {"max_retries": 0})
    with pytest.raises(
        ObjectStorageError, match=r"cannot be reached at http://.*:9; next: check the network"
    ):
        machine()


def test_an_existing_part_is_not_uploaded_again(machine, server, bucket):
    store = Store(machine().path / "things", "things")
    with store.writing():
        name = store.new_part("part")
        (store.part(name) / "file").write_bytes(b"there")
        client = boto3.client("s3", endpoint_url=server.url)
        client.put_object(Bucket=bucket, Key=f"shop/things/parts/{name}/file", Body=b"there")
        server.requests.clear()
        store.commit({}, [name])
    assert server.count("PUT", "/parts/") == 0
    assert re.search("manifest", str([each.path for each in server.requests]))


def _with_part(workspace: Workspace, name: str) -> Store:
    """A store of one large part."""
    store = Store(workspace.path / name, "things")
    with store.writing():
        part = store.new_part("part")
        (store.part(part) / "file").write_bytes(b"x" * 600_000)
        store.commit({"part": part}, [part])
    return store


def test_a_workspace_beside_the_mirrors_is_never_evicted(machine, tmp_path):
    beside = _with_part(Workspace.open(tmp_path / "b" / "shop"), "things")
    for number in range(3):
        _with_part(machine("a"), f"things-{number}")
        store = Store(machine("b", cache_bytes=1_000_000).path / f"things-{number}", "things")
        store.read(lambda manifest: manifest)
    assert beside.corrupted_files() == []


def test_a_process_killed_while_it_evicts_leaves_no_half_of_a_part(machine, monkeypatch):
    store = _with_part(machine(), "things")
    path, part = store.path, store.part(store.manifest().metadata["part"])
    del store
    with monkeypatch.context() as patch:
        patch.setattr("querykin.storage.part_cache.shutil.rmtree", lambda *_, **__: None)
        assert remove_unused(part)
    assert not part.exists()
    with Store(path, "things").writing():  # deletes what was left
        assert [folder.name for folder in part.parent.iterdir()] == [part.name]


def test_other_objects_below_the_address_are_left_there(machine, server, bucket):
    client = boto3.client("s3", endpoint_url=server.url)
    for key in ("logs/2026.tsv", "products.jsonl", "models.tar", "jobs/1/job.json"):
        client.put_object(Bucket=bucket, Key=f"shop/{key}", Body=b"x")
    server.requests.clear()
    assert {path.name for path in machine().path.iterdir()} == {".remote"}
    assert len(server.requests) == 1  # the listing


def test_a_replaced_part_stays_in_the_bucket_until_the_next_commit(machine, server, bucket, monkeypatch):
    monkeypatch.setattr(part_transfer, "ORPHAN_AGE", timedelta(seconds=-1))  # all are old
    first = _with_part(machine(), "things").manifest().metadata["part"]
    _with_part(machine(), "things")
    client = boto3.client("s3", endpoint_url=server.url)
    assert first in str(client.list_objects_v2(Bucket=bucket)["Contents"])
    _with_part(machine(), "things")
    assert first not in str(client.list_objects_v2(Bucket=bucket)["Contents"])


def test_a_commit_counts_if_old_parts_cannot_be_deleted(machine, server, monkeypatch):
    workspace = machine()
    monkeypatch.setattr(part_transfer, "ORPHAN_AGE", timedelta(seconds=-1))
    monkeypatch.setattr(server, "before", lambda method, path: 403 if method in ("DELETE", "POST") else None)
    for query in ("garden hose", "rake", "spade"):
        workspace.repository.add([(query, 1)])
    assert queries(machine("b")) == ["garden hose", "rake", "spade"]


def test_a_writer_says_which_part_is_missing(machine, server, bucket):
    _with_part(machine("a"), "things")
    client = boto3.client("s3", endpoint_url=server.url)
    (key,) = [
        each["Key"] for each in client.list_objects_v2(Bucket=bucket)["Contents"] if "/parts/" in each["Key"]
    ]
    client.delete_object(Bucket=bucket, Key=key)
    store = Store(machine("b").path / "things", "things")
    again = pytest.raises(WorkspaceError, match=f"s3://{bucket}/{key} is missing; run the command again")
    with again, store.writing():
        pass
    with pytest.raises(
        WorkspaceError, match=f"s3://{bucket}/{key} is damaged: it is missing; next: querykin check"
    ):
        store.read(lambda manifest: manifest)


def test_a_store_reaches_tasks_in_other_processes(machine):
    store = _with_part(machine(), "things")
    copy = pickle.loads(pickle.dumps(store))
    assert (copy.path, copy.kind, copy.manifest()) == (store.path, store.kind, store.manifest())
