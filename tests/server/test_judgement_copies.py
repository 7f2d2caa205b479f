"""Copies of judgements, made while others judge."""

import os

import pytest

from querykin.errors import DamagedFile
from querykin.judgements.integrity import judgement_integrity, problems
from querykin.server.judgement_store import JudgementStore
from querykin.storage.sqlite_files import copy_database


def judge(store, count):
    for number in range(count):
        store.record(f"query {number}", "candidate", 1.0, "ann", "free")


def test_a_copy_has_what_is_only_in_the_write_ahead_log(tmp_path):
    store = JudgementStore(tmp_path)
    judge(store, 30)
    assert (tmp_path / "judgements.db-wal").stat().st_size
    (tmp_path / "copy").mkdir()
    copy_database(tmp_path / "judgements.db", tmp_path / "copy" / "judgements.db", problems)
    assert os.listdir(tmp_path / "copy") == ["judgements.db"]
    assert len(list(JudgementStore(tmp_path / "copy").given("free"))) == 30


def test_damage_is_an_error_that_names_the_file(tmp_path):
    judge(JudgementStore(tmp_path), 300)
    whole, path = tmp_path / "whole.db", tmp_path / "judgements.db"
    copy_database(path, whole, problems)
    assert judgement_integrity(whole) == []
    content = whole.read_bytes()
    damaged = content[:8192] + b"\xff" * 4096 + content[12288:]
    for number, bad in enumerate((damaged, b"not a database at all", content[:20_000])):
        broken = tmp_path / f"broken-{number}.db"
        broken.write_bytes(bad)
        assert judgement_integrity(broken)
        with pytest.raises(DamagedFile, match=rf"broken-{number}\.db is damaged"):
            copy_database(broken, tmp_path / f"copy-{number}.db", problems)
