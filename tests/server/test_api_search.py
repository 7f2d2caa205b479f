"""Search, steering of suggestions and refusal of unknown parameters over HTTP."""

import pytest

from querykin import Workspace
from querykin.retrieval.suggester import suggestions_json
from querykin.search.document_search import hits_json
from querykin.types import explanation_json


@pytest.fixture(scope="module")
def library(client):
    return client.app.state.service.workspace.reopen()


def suggested(client, **parameters) -> list[str]:
    response = client.get("/v1/suggest", params={"q": "space exploration", "k": 20, **parameters})
    assert response.status_code == 200, response.text
    return [each["query"] for each in response.json()["suggestions"]]


def test_search_equals_the_library(client, library):
    response = client.get("/v1/search", params={"q": " space  exploration", "k": 3})
    assert response.status_code == 200
    assert response.json() == hits_json(library.search("space exploration", 3))
    assert len(response.json()) == 3
    assert len(client.get("/v1/search", params={"q": "space"}).json()) == len(library.search("space").hits)


@pytest.mark.parametrize("query", ["", "\0", "😀", "qwqwqw"])
def test_a_query_that_is_not_covered_has_no_documents(client, query):
    response = client.get("/v1/search", params={"q": query})
    assert (response.status_code, response.json()) == (200, [])


@pytest.mark.parametrize(
    "parameters",
    [{}, {"q": "a", "k": 0}, {"q": "a", "k": 201}, {"q": "a", "k": "many"}, {"q": "a" * 1001}],
)
def test_invalid_searches_are_refused(client, parameters):
    response = client.get("/v1/search", params=parameters)
    assert response.status_code == 422
    assert response.headers["Content-Type"] == "application/problem+json"


def test_search_counts_coverage_and_needs_documents(make_client, tmp_path):
    with make_client() as client:
        for query in ("NASA", "qwqw"):
            client.get("/v1/search", params={"q": query})
        metrics = client.get("/metrics").text
        for covered in ("yes", "no"):
            assert f'querykin_texts_total{{covered="{covered}",measure="search"}} 1.0' in metrics
        assert 'querykin_request_seconds_count{measure="search",route="/v1/search"} 2.0' in metrics
    with make_client(tmp_path / "empty") as client:
        response = client.get("/v1/search", params={"q": "NASA"})
        assert response.status_code == 409
        assert "next: querykin corpus add FILE" in response.json()["detail"]


@pytest.mark.parametrize("filter", ["diverse", "paper", "none"])
def test_filter_and_minimum_count_equal_the_library(client, library, filter):
    parameters = {"q": "space exploration", "k": 30, "filter": filter, "min_count": 4}
    found = client.get("/v1/suggest", params=parameters).json()
    assert found == suggestions_json(library.suggest("space exploration", 30, filter=filter, min_count=4))
    assert found["suggestions"]
    assert all(each["count"] >= 4 for each in found["suggestions"])


def test_requests_with_different_minimum_counts_do_not_mix(client):
    everything = suggested(client, k=100, filter="none")
    frequent = suggested(client, k=100, filter="none", min_count=6)
    assert frequent
    assert set(frequent) < set(everything)
    assert suggested(client, k=99, filter="none") == everything[:99]


def test_suggestions_are_explained_on_request(client, library):
    parameters = {"q": "NASA", "k": 2, "explain": "true"}
    for each in client.get("/v1/suggest", params=parameters).json()["suggestions"]:
        expected = explanation_json(library.explain("NASA", each["query"]))
        assert each["explanation"]["contributions"] == list(expected["contributions"])
    plain = client.get("/v1/suggest", params={"q": "NASA", "k": 2}).json()["suggestions"]
    assert all("explanation" not in each for each in plain)


def test_an_unknown_filter_suggests_the_nearest(client):
    response = client.get("/v1/suggest", params={"q": "NASA", "filter": "divers"})
    assert response.status_code == 422
    assert "did you mean 'diverse'?" in response.json()["detail"]
    assert client.get("/v1/suggest", params={"q": "NASA", "min_count": -1}).status_code == 422


def test_a_running_service_honours_a_change_of_the_block_list(make_client, workspace_copy):
    with make_client() as client:
        assert "Space travel" in suggested(client, filter="none")
        workspace = Workspace.open(workspace_copy)
        workspace.block_list.add(["space travels", "nasa"], ["mars *"])
        client.app.state.service.refresh()
        assert not {"Space travel", "NASA", "Mars rover"} & set(suggested(client, filter="none"))
        assert not {"Space travel", "NASA", "Mars rover"} & set(suggested(client))
        page = client.get("/", params={"q": "space exploration", "k": "20"}).text
        assert "Space station" in page
        assert "Space travel" not in page
        workspace.block_list.remove(["space travel"])
        client.app.state.service.refresh()
        assert "Space travel" in suggested(client, filter="none")


@pytest.mark.parametrize(
    ("path", "parameters", "message"),
    [
        ("suggest", {"q": "a", "mesure": "edit"}, "unknown parameter 'mesure'; did you mean 'measure'?"),
        ("suggest", {"q": "a", "min-count": "2"}, "did you mean 'min_count'?"),
        ("suggest", {"query": "a"}, "query.query: unknown parameter 'query'"),
        ("search", {"q": "a", "limit": "5"}, "unknown parameter 'limit'. Known: exact, k, q"),
        ("search", {"q": ["a", "b"]}, "query.q: given 2 times; give it once"),
    ],
)
def test_unknown_and_repeated_parameters_are_refused(client, path, parameters, message):
    response = client.get(f"/v1/{path}", params=parameters)
    assert response.status_code == 422
    assert response.headers["Content-Type"] == "application/problem+json"
    assert message in response.json()["detail"]


@pytest.mark.parametrize("path", ["similarity", "explain", "match", "judgements"])
def test_routes_with_a_body_have_no_query_parameters(client, path):
    response = client.post(f"/v1/{path}?k=5", json={})
    assert response.status_code == 422
    assert "unknown parameter 'k'" in response.json()["detail"]


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        ("match", {"queries": ["a"], "kk": 5}, "unknown field 'kk'; did you mean 'k'?"),
        ("similarity", {"pairs": [{"a": "x", "b": "y"}], "measure": ["edit"]}, "did you mean 'measures'?"),
        ("explain", {"pairs": [{"a": "x", "b": "y", "c": "z"}]}, "body.pairs.0: unknown field 'c'"),
    ],
)
def test_unknown_fields_of_a_body_are_refused(client, path, body, message):
    response = client.post(f"/v1/{path}", json=body)
    assert response.status_code == 422
    assert message in response.json()["detail"]
