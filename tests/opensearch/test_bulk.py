"""Back-pressure: what a busy cluster rejects is sent again, later and in smaller requests."""

import json

import pytest

from querykin.errors import InputError
from querykin.opensearch import bulk
from querykin.opensearch.bulk import delete_action, index_action, send_bulk
from querykin.opensearch.connection import Connection, Overloaded
from querykin.opensearch.settings import OpenSearchSettings
from replaying_node import BUSY, refused, replaying_node


@pytest.fixture(autouse=True)
def slept(monkeypatch):
    waited = []
    monkeypatch.setattr(bulk.time, "sleep", waited.append)
    return waited


class Store:
    """Stores documents like an index; at most `room` actions of a request."""

    def __init__(self, room=10**9):
        self.room, self.sizes, self.documents = room, [], {}

    def __call__(self, body):
        lines = [json.loads(line) for line in body.splitlines()]
        items = []
        while lines:
            ((kind, target),) = lines.pop(0).items()
            document = lines.pop(0) if kind == "index" else None
            identity = target["_id"]
            if len(items) >= self.room:
                result = {"status": 429, "error": BUSY}
            elif kind == "delete":
                known = self.documents.pop(identity, None)
                result = {"status": 200 if known else 404, "result": "deleted" if known else "not_found"}
            elif "bad" in document:
                result = {"status": 400, "error": {"type": "x", "reason": "strict mapping"}}
            else:
                self.documents[identity] = document
                result = {"status": 201, "result": "created"}
            items.append({kind: {"_id": identity, **result}})
        self.sizes.append(len(items))
        errors = any(next(iter(item.values()))["status"] >= 400 for item in items)
        return 200, {"errors": errors, "items": items}


def send(store, actions, retries=8):
    advanced = []
    with replaying_node({"POST /x/_bulk": store}) as node:
        connection = Connection(OpenSearchSettings(hosts=(node.url,), retries=retries))
        send_bulk(connection, "x", actions, advanced.append)
    return sum(advanced)


def test_everything_arrives_in_requests_of_bounded_size(monkeypatch):
    monkeypatch.setattr(bulk, "MAX_ACTIONS", 30)
    store = Store()
    assert send(store, [index_action(n, {"number": n}) for n in range(100)]) == 100
    assert store.sizes == [30, 30, 30, 10]
    assert store.documents["99"] == {"number": 99}


def test_requests_are_bounded_in_bytes(monkeypatch):
    monkeypatch.setattr(bulk, "MAX_BYTES", 1000)
    store = Store()
    send(store, [index_action(n, {"text": "x" * 400}) for n in range(9)])
    assert store.sizes == [3, 3, 3]


def test_rejected_actions_are_sent_again_in_smaller_requests(monkeypatch, slept):
    monkeypatch.setattr(bulk, "MAX_ACTIONS", 64)
    store = Store(room=20)
    assert send(store, [index_action(n, {"number": n}) for n in range(150)]) == 150
    assert len(store.documents) == 150
    assert store.sizes[:3] == [64, 32, 16]
    assert slept


def test_a_request_that_is_rejected_as_a_whole_is_halved(monkeypatch, slept):
    monkeypatch.setattr(bulk, "MAX_ACTIONS", 64)
    store, refusals = Store(), [refused(429, BUSY)] * 2
    assert send(lambda body: refusals.pop() if refusals else store(body), map(delete_action, range(64))) == 64
    assert store.sizes == [16, 32, 16]
    assert len(slept) == 2


def test_a_cluster_that_takes_nothing_is_an_error_after_some_attempts(slept):
    with pytest.raises(
        Overloaded, match=r"still refuses to write to x \(rejected execution.*try again later"
    ):
        send(Store(room=0), [index_action(1, {})], retries=3)
    assert len(slept) == 3


def test_a_document_that_cannot_be_stored_is_named():
    with pytest.raises(InputError, match="cannot store document 7 in x: strict mapping"):
        send(Store(), [index_action(7, {"bad": 1})])


def test_deleting_what_is_gone_is_no_error():
    store = Store()
    assert send(store, [index_action(1, {"a": 1}), delete_action(1), delete_action(2)]) == 3
    assert not store.documents
