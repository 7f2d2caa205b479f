"""Workspaces in object storage: an S3 server with real requests."""

import os
import pickle
import stat
import sys
from pathlib import Path

import boto3
import pytest

from bucket_stores import queries, with_part
from querykin import Workspace, WorkspaceError
from querykin.backup import back_up, restore
from querykin.clustering.hand_changes import HandChange
from querykin.errors import InputError, MissingExtra, ObjectStorageError
from querykin.integrity import corrupted_files
from querykin.model_files import Model
from querykin.querylog.counted_queries import CountedQueries
from querykin.server.judgement_store import JudgementStore
from querykin.storage.store import Store


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


def test_other_objects_below_the_address_are_left_there(machine, server, bucket):
    client = boto3.client("s3", endpoint_url=server.url)
    for key in ("logs/2026.tsv", "products.jsonl", "models.tar", "jobs/1/job.json"):
        client.put_object(Bucket=bucket, Key=f"shop/{key}", Body=b"x")
    server.requests.clear()
    assert {path.name for path in machine().path.iterdir()} == {".remote"}
    assert len(server.requests) == 1  # the listing


def test_a_store_reaches_tasks_in_other_processes(machine):
    store = with_part(machine(), "things")
    copy = pickle.loads(pickle.dumps(store))
    assert (copy.path, copy.kind, copy.manifest()) == (store.path, store.kind, store.manifest())
