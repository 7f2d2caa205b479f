"""The service over a workspace on an engine elsewhere: when it answers, is down, and may not be asked."""

import pytest
from fastapi.testclient import TestClient

from querykin import Workspace
from querykin.engine_setup import engine_sections, initialize
from querykin.server.app import create_app
from querykin.settings_sections import ServerSettings
from search_server import search_server

MEASURE = "web-kernel"
PEOPLE = {"accept": "text/html"}


@pytest.fixture
def engine():
    with search_server() as running:
        yield running


@pytest.fixture
def workspace(engine, tmp_path):
    given = {"url": engine.api, "private_hosts": ["localhost"], "rate": 1000.0}
    made = initialize(str(tmp_path / "workspace"), engine_sections("mediawiki", given, language="en"))
    made.repository.add([("space travel", 3), ("nasa", 2), ("apple pie", 1)])
    made.build(MEASURE)
    made.similarity("moon landing", "nasa", MEASURE)
    engine.requests.clear()
    return made.path


@pytest.fixture
def client(workspace):
    with TestClient(create_app(Workspace.open(workspace), ServerSettings(rate=0.0))) as opened:
        yield opened


@pytest.fixture
def with_settings(workspace):
    """Clients of services whose workspace has more settings of its engine."""
    file = workspace / "settings.toml"
    content = file.read_text()

    def start(line):
        file.write_text(content.replace("[engine]", f"[engine]\n{line}"))
        return TestClient(create_app(Workspace.open(workspace), ServerSettings(rate=0.0)))

    return start


def suggest(client, query, **headers):
    return client.get("/v1/suggest", params={"q": query, "measure": MEASURE}, headers=headers)


def similarity(client, a, b):
    return client.post("/v1/similarity", json={"pairs": [{"a": a, "b": b}], "measures": [MEASURE]})


def down(asked):
    return 503, b"maintenance", {}


def test_stored_replies_are_answered_and_new_queries_asked_once(client, engine, workspace):
    assert client.get("/readyz").json() == {"status": "ready"}
    assert suggest(client, "moon landing").json()["covered"]
    assert engine.requests == []
    generation = Workspace.open(workspace).corpus.generation
    for _ in range(2):
        found = suggest(client, "rockets orbit").json()
        assert found["covered"]
        assert found["suggestions"][0]["query"] in ("space travel", "nasa")
    assert engine.queries == ["rockets orbit"]
    scores = similarity(client, "rockets orbit", "space travel").json()[0]["scores"]
    assert scores[MEASURE] > 0.3
    assert len(engine.requests) == 1
    assert Workspace.open(workspace).corpus.generation == generation


def test_explanations_and_pages_link_to_the_engine(client, engine):
    pairs = {"pairs": [{"a": "nasa", "b": "space travel"}], "measures": [MEASURE]}
    explained = client.post("/v1/explain", json=pairs).json()[0]
    assert all(each["url"].startswith(f"{engine.url}/index.php?curid=") for each in explained["passages"])
    asked = {"q": "space travel", "measure": MEASURE}
    page = client.get("/", params=asked, headers=PEOPLE)
    assert page.status_code == 200
    assert "nasa" in page.text
    compared = client.get(
        "/compare/why", params={"a": "nasa", "b": "space travel", "measure": MEASURE}, headers=PEOPLE
    )
    assert f"{engine.url}/index.php?curid=" in compared.text


def test_an_engine_that_is_down_is_a_503_for_new_queries_only(client, engine):
    engine.answer = down
    for response in (suggest(client, "rockets orbit"), similarity(client, "rockets orbit", "nasa")):
        assert response.status_code == 503
        problem = response.json()
        assert problem["type"] == "/docs#unavailable"
        assert "cannot answer now (503: maintenance)" in problem["detail"]
    assert engine.queries == ["rockets orbit"] * 2  # a client waits: nothing is sent again
    page = client.get("/", params={"q": "rockets orbit", "measure": MEASURE}, headers=PEOPLE)
    assert page.status_code == 503
    assert "<html" in page.text
    assert suggest(client, "moon landing").json()["covered"]
    assert client.get("/readyz").json() == {"status": "ready"}
    engine.answer = engine.search
    assert suggest(client, "rockets orbit").json()["covered"]


def test_a_spent_budget_is_a_503_for_new_queries_only(with_settings, engine):
    with with_settings("max_requests = 1") as client:
        assert suggest(client, "rockets orbit").json()["covered"]
        response = suggest(client, "baseball umpire")
        assert response.status_code == 503
        assert "the budget of 1 request is spent" in response.json()["detail"]
        assert suggest(client, "rockets orbit").json()["covered"]
        assert client.get("/readyz").status_code == 200
    assert engine.queries == ["rockets orbit"]


def test_offline_nothing_is_asked_and_new_queries_are_not_covered(with_settings, engine):
    with with_settings("offline = true") as client:
        assert suggest(client, "moon landing").json()["covered"]
        found = suggest(client, "rockets orbit")
        assert found.status_code == 200
        assert (found.json()["covered"], found.json()["suggestions"]) == (False, [])
        assert similarity(client, "rockets orbit", "nasa").json()[0]["scores"][MEASURE] is None
        assert client.get("/readyz").json() == {"status": "ready"}
    assert engine.requests == []
