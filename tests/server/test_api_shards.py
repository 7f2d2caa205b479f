"""A router over shards: the answers of one service; what is missing is named; versions are never mixed."""

import re
import shutil
import socket
import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from querykin import Workspace
from querykin.errors import InputError
from querykin.server import replicas
from querykin.server.app import create_app
from querykin.server.shard_router import parse_shard_urls
from querykin.server.workspace_version import workspace_version
from querykin.settings_sections import ServerSettings
from querykin.storage.store import Store
from shard_servers import shard_servers
from topics import FACTS

# FastAPI builds routes on the first request and ignores this warning meanwhile; threads undo that for others.
pytestmark = pytest.mark.filterwarnings("ignore::pydantic.warnings.UnsupportedFieldAttributeWarning")
QUERIES = ["space exploration", "NASA", "java", "baseball team", "qwrtp vvwx", "rice terrasses of java"]


@contextmanager
def router_of(path: Path, urls, **settings):
    options = ServerSettings(**{"rate": 0.0, "cache": 0, **settings})
    with TestClient(create_app(Workspace.open(path), options, urls)) as client:
        yield client


@pytest.fixture(scope="module")
def path(built_workspace, tmp_path_factory) -> Path:
    return Path(shutil.copytree(built_workspace, tmp_path_factory.mktemp("sharded") / "workspace"))


@pytest.fixture(scope="module")
def servers(path):
    with shard_servers(path, 3) as found:
        yield found


@pytest.fixture(scope="module")
def router(path, servers):
    with router_of(path, [[server.url] for server in servers]) as client:
        yield client


def answers(client, query: str) -> list:
    found = [
        client.get("/v1/suggest", params={"q": query, "k": 7}),
        client.get("/v1/suggest", params={"q": query, "explain": True, "filter": "none", "measure": "edit"}),
        client.post("/v1/match", json={"queries": [query, "java"], "k": 20}),
    ]
    assert all(each.status_code == 200 for each in found)
    assert not any("missing-shards" in each.headers for each in found)
    return [each.json() for each in found]


def test_a_router_answers_as_a_single_service(router, client):
    for query in QUERIES:
        assert answers(router, query) == answers(client, query)
    assert router.get("/v1/search", params={"q": "java"}).json()
    assert router.get("/readyz").json() == {"status": "ready", "missing_shards": []}
    assert "does not answer" not in router.get("/", params={"q": "java"}).text


def test_a_shard_tells_which_it_is_and_answers_from_its_own_rows(servers, path):
    titles = [title for facts in FACTS.values() for title, _ in facts]
    shard = TestClient(servers[1].app)
    assert shard.get("/readyz").json() == {"status": "ready", "shard": "2/3"}
    (found,) = shard.post("/v1/match", json={"queries": ["space exploration"], "k": 1000}).json()
    assert {each["query"] for each in found["suggestions"]} <= set(
        titles[len(titles) // 3 : 2 * len(titles) // 3]
    )
    assert (found["partial"], found["missing_shards"]) == (True, ["1/3", "3/3"])


def test_a_missing_shard_is_told_and_comes_back(router, servers):
    whole = router.get("/v1/suggest", params={"q": "space exploration"}).json()
    servers[0].stop()
    try:
        found = router.get("/v1/suggest", params={"q": "space exploration"})
        assert found.status_code == 200
        assert found.json()["partial"] is True
        assert found.json()["missing_shards"] == ["1/3"]
        assert found.headers["missing-shards"] == "1/3"
        matched = router.post("/v1/match", json={"queries": ["java", "NASA"]})
        assert [each["missing_shards"] for each in matched.json()] == [["1/3"], ["1/3"]]
        assert matched.headers["missing-shards"] == "1/3"
        page = router.get("/", params={"q": "java"}).text
        assert "This list is not whole: shard 1/3 does not answer." in page
        export = router.get("/suggestions.tsv", params={"q": "java"})
        assert export.headers["missing-shards"] == "1/3"
        assert router.get("/readyz").json() == {"status": "ready", "missing_shards": ["1/3"]}
        assert 'outcome="missing",shard="1/3"' in router.get("/metrics").text
    finally:
        servers[0].start()
    assert router.get("/v1/suggest", params={"q": "space exploration"}).json() == whole


def test_partial_answers_are_not_cached(path, servers):
    with router_of(path, [[server.url] for server in servers], cache=100) as client:
        servers[2].stop()
        try:
            assert client.get("/v1/suggest", params={"q": "java"}).json()["partial"]
        finally:
            servers[2].start()
        assert "partial" not in client.get("/v1/suggest", params={"q": "java"}).json()


def test_without_any_shard_there_is_a_problem(path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with router_of(path, [[url], [url + "/other"]]) as client:
        found = client.get("/v1/suggest", params={"q": "java"})
        assert found.status_code == 503
        assert found.headers["content-type"] == "application/problem+json"
        assert found.headers["retry-after"] == "1"
        assert found.json()["type"] == "/docs#shards"
        assert "1/2" in found.json()["detail"]
        assert client.get("/readyz").status_code == 503
        assert client.get("/", params={"q": "java"}).status_code == 503
        pair = {"pairs": [{"a": "java", "b": "island"}], "measures": ["edit"]}
        assert client.post("/v1/similarity", json=pair).status_code == 200


def test_shards_in_another_order_are_refused(path, servers):
    with router_of(path, [[servers[number].url] for number in (0, 2, 1)]) as client:
        found = client.get("/v1/suggest", params={"q": "java"}).json()
        assert found["missing_shards"] == ["2/3", "3/3"]


def test_shards_of_another_version_are_refused(path, servers, tmp_path):
    other = Path(shutil.copytree(path, tmp_path / "workspace"))
    Workspace.open(other).repository.add([("a new query", 3)])
    with router_of(other, [[server.url] for server in servers]) as client:
        found = client.get("/v1/suggest", params={"q": "java"})
        assert found.status_code == 503
        assert "versions" in found.json()["detail"]


def test_a_router_takes_a_new_state_when_all_shards_have_it(built_workspace, tmp_path):
    path = Path(shutil.copytree(built_workspace, tmp_path / "workspace"))
    with shard_servers(path, 2) as servers, router_of(path, [[each.url] for each in servers]) as client:
        before = client.get("/v1/suggest", params={"q": "space telescope", "filter": "none"}).json()
        workspace = Workspace.open(path)
        workspace.repository.add([("space telescopes", 30)])
        workspace.reopen().build()
        deadline = time.monotonic() + 60
        while (
            found := client.get("/v1/suggest", params={"q": "space telescope", "filter": "none"}).json()
        ) == before:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert "partial" not in found
        assert "space telescopes" in [each["query"] for each in found["suggestions"]]


def test_a_slow_replica_is_hedged_and_a_dead_one_replaced(path, servers):
    def urls(first: str):
        return [[first, servers[0].url], [servers[1].url], [servers[2].url]]

    silent = socket.create_server(("127.0.0.1", 0))  # accepts connections and never answers
    with router_of(path, urls(f"http://127.0.0.1:{silent.getsockname()[1]}"), shard_timeout=20) as client:
        start = time.monotonic()
        for _ in range(2):  # each replica is the first once
            assert "partial" not in client.get("/v1/suggest", params={"q": "java"}).json()
        assert time.monotonic() - start < 15
        assert 'outcome="hedged",shard="1/3"' in client.get("/metrics").text
        silent.close()  # ends the request that waits for it
    with socket.create_server(("127.0.0.1", 0)) as free:
        dead = f"http://127.0.0.1:{free.getsockname()[1]}"
    with router_of(path, urls(dead)) as client:
        for _ in range(2):
            assert "partial" not in client.get("/v1/suggest", params={"q": "java"}).json()


def test_a_shard_that_hangs_delays_few_answers(path, servers):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        hanging = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with router_of(path, [[hanging], [servers[1].url], [servers[2].url]], shard_timeout=0.3) as client:
            for _ in range(3):
                found = client.get("/v1/suggest", params={"q": "java"}).json()
                assert found["missing_shards"] == ["1/3"]


def test_tokens_are_sent_to_shards(path):
    token = "a-token-of-the-service"
    headers = {"Authorization": f"Bearer {token}"}
    with shard_servers(path, 1, tokens=(token,)) as (server,):
        with router_of(path, [[server.url]], tokens=(token,)) as client:
            found = client.get("/v1/suggest", params={"q": "java"}, headers=headers)
            assert found.status_code == 200
            assert "partial" not in found.json()
        with router_of(path, [[server.url]]) as client:
            assert client.get("/v1/suggest", params={"q": "java"}).status_code == 503


def test_a_second_request_is_sent_after_the_95th_percentile():
    group = replicas.Replicas(None, ["a", "b"])
    kind = ("hybrid", 1)
    assert group.hedge_after(kind) == 0.05
    for number in range(100):
        group.answered(kind, number / 1000)
    assert group.hedge_after(kind) == 0.095
    assert group.hedge_after(("edit", 1)) == 0.05
    assert {group.in_order()[0] for _ in range(2)} == {"a", "b"}


def test_a_replica_that_timed_out_is_asked_again_when_it_answers_a_probe(monkeypatch):
    group = replicas.Replicas(None, ["a", "b"])
    group.suspend("a")
    assert group.in_order() == group.in_order() == ["b"]
    assert group.due_for_probe() == []
    monkeypatch.setattr(replicas, "_PROBE", 0.0)
    assert group.due_for_probe() == ["a"]
    group.resume("a")
    assert {group.in_order()[0] for _ in range(2)} == {"a", "b"}


@pytest.mark.parametrize(
    "text",
    [
        "localhost:8000",
        "ftp://a",
        "http://",
        "http://a?b=1",
        "http://a:99999",
        "http://[::1",
        "http://a,,http://b",
        "http://a|http://a",
    ],
)
def test_other_texts_are_no_urls_of_shards(text):
    with pytest.raises(InputError, match="shard"):
        parse_shard_urls(text)


def test_a_shard_refuses_rows_that_do_not_fit_the_queries(servers):
    shard = TestClient(servers[0].app)
    (version, *_) = shard.get("/v1/shard").json()["versions"]
    body = {"version": version, "measure": "hybrid", "queries": ["java"], "k": 3}
    whole = shard.post("/v1/shard/search", json=body)
    assert whole.status_code == 200  # without rows the shard encodes the query
    rows = {"space": "x", "indptr": "AAAA", "features": "", "weights": ""}
    for wrong, message in (
        ([rows], "indexes, got rows for 1"),
        ([rows] * 4, "one for each|arrays in Base64"),
        ([{**rows, "indptr": "!"}] * 4, "arrays in Base64"),
    ):
        found = shard.post("/v1/shard/search", json={**body, "rows": wrong})
        assert found.status_code == 422
        assert re.search(message, found.json()["detail"])
    found = shard.post("/v1/shard/search", json={**body, "version": "another"})
    assert (found.status_code, found.json()["type"]) == (409, "/docs#version")


def test_the_version_of_a_workspace_is_without_what_was_only_begun(path, tmp_path):
    copy, settings = Path(shutil.copytree(path, tmp_path / "workspace")), Workspace.open(path).settings
    for store in (Store(copy / "latent", "latent"), Store(copy / "index" / "begun", "index")):
        if not store.manifest().generation:
            with store.writing():
                pass
            assert store.manifest().store_id
    assert workspace_version(copy, settings) == workspace_version(path, settings)


def test_a_second_list_that_is_not_whole_is_told(path, servers, monkeypatch):
    with router_of(path, [[server.url] for server in servers]) as client:
        whole = client.app.state.service.snapshot.suggest

        def suggest(query, measure="hybrid", **arguments):
            found = whole(query, measure=measure, **arguments)
            return replace(found, missing_shards=("2/3",)) if measure == "edit" else found

        monkeypatch.setattr(client.app.state.service.snapshot, "suggest", suggest)
        page = client.get("/", params={"q": "java", "versus": "edit"}).text
        assert "This list is not whole: shard 2/3 does not answer." in page
