"""Parts of stores in a bucket: uploaded, downloaded, evicted from the cache and swept."""

import re
import time
from datetime import timedelta
from pathlib import Path

import boto3
import pytest

from bucket_stores import queries, with_part
from querykin import Workspace, WorkspaceError
from querykin.integrity import corrupted_files, repair
from querykin.storage import part_transfer
from querykin.storage.part_cache import remove_unused
from querykin.storage.store import Store


def _size(other: Workspace, file: Path) -> int:
    queries(other)
    return next(other.path.rglob(f"parts/{file.parent.name}/{file.name}")).stat().st_size


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


def test_a_workspace_beside_the_mirrors_is_never_evicted(machine, tmp_path):
    beside = with_part(Workspace.open(tmp_path / "b" / "shop"), "things")
    for number in range(3):
        with_part(machine("a"), f"things-{number}")
        store = Store(machine("b", cache_bytes=1_000_000).path / f"things-{number}", "things")
        store.read(lambda manifest: manifest)
    assert beside.corrupted_files() == []


def test_a_process_killed_while_it_evicts_leaves_no_half_of_a_part(machine, monkeypatch):
    store = with_part(machine(), "things")
    path, part = store.path, store.part(store.manifest().metadata["part"])
    del store
    with monkeypatch.context() as patch:
        patch.setattr("querykin.storage.part_cache.shutil.rmtree", lambda *_, **__: None)
        assert remove_unused(part)
    assert not part.exists()
    with Store(path, "things").writing():  # deletes what was left
        assert [folder.name for folder in part.parent.iterdir()] == [part.name]


def test_a_replaced_part_stays_in_the_bucket_until_the_next_commit(machine, server, bucket, monkeypatch):
    monkeypatch.setattr(part_transfer, "ORPHAN_AGE", timedelta(seconds=-1))  # all are old
    first = with_part(machine(), "things").manifest().metadata["part"]
    with_part(machine(), "things")
    client = boto3.client("s3", endpoint_url=server.url)
    assert first in str(client.list_objects_v2(Bucket=bucket)["Contents"])
    with_part(machine(), "things")
    assert first not in str(client.list_objects_v2(Bucket=bucket)["Contents"])


def test_a_commit_counts_if_old_parts_cannot_be_deleted(machine, server, monkeypatch):
    workspace = machine()
    monkeypatch.setattr(part_transfer, "ORPHAN_AGE", timedelta(seconds=-1))
    monkeypatch.setattr(server, "before", lambda method, path: 403 if method in ("DELETE", "POST") else None)
    for query in ("garden hose", "rake", "spade"):
        workspace.repository.add([(query, 1)])
    assert queries(machine("b")) == ["garden hose", "rake", "spade"]


def test_a_writer_says_which_part_is_missing(machine, server, bucket):
    with_part(machine("a"), "things")
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
