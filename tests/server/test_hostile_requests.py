"""Requests of the torture tests, a few of them, without sockets: no status of 500 and nothing in the log."""

import sys
from pathlib import Path
from random import Random

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))
fuzz_api = pytest.importorskip("torture.fuzz_api")
soak = pytest.importorskip("torture.soak")


def test_mixed_requests_have_no_internal_error(client, caplog):
    drawn = soak.requests(Random(0))
    for _ in range(60):
        method, path, body, content_type = next(drawn)
        headers = {"Content-Type": content_type} if body is not None else {}
        response = client.request(method, path, content=body, headers=headers)
        assert response.status_code < 500, (method, path, body)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_malformed_origins_are_refused(client):
    for origin in ("http://[::1", "http://[x]:y", "\\", "null"):
        response = client.post("/v1/match", json={"queries": ["a"]}, headers={"Origin": origin})
        assert response.status_code == 403


def test_hostile_requests_are_bytes_of_many_kinds():
    made = [fuzz_api.hostile_request(Random(seed)) for seed in range(300)]
    assert len(set(made)) > 250
    assert sum(each.startswith((b"GET /", b"POST /")) for each in made) > 150
