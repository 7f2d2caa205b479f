"""API responses equal the results of the library and the command line."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from querykin import Workspace, WorkspaceError
from querykin.measures.batch_scorer import similarity_json
from querykin.retrieval.suggester import suggestions_json
from querykin.server.snapshot import Snapshot, modification_stamps, state_of
from querykin.types import explanation_json
from topics import FACTS


@pytest.fixture(scope="module")
def library(client):
    return client.app.state.service.workspace.reopen()


def test_suggest_equals_the_library(client, library):
    response = client.get("/v1/suggest", params={"q": "  Space  exploration", "k": 3})
    assert response.status_code == 200
    assert response.json() == suggestions_json(library.suggest("Space exploration", 3))
    assert len(response.json()["suggestions"]) == 3


def test_a_threshold_excludes_lower_scores(client):
    parameters = {"q": "NASA", "k": 20}
    suggestions = client.get("/v1/suggest", params=parameters).json()["suggestions"]
    parameters["threshold"] = suggestions[1]["score"] - 1e-6  # scores in responses are rounded
    assert client.get("/v1/suggest", params=parameters).json()["suggestions"] == suggestions[:2]


@pytest.mark.parametrize("query", ["", " ", "\0", "😀", "\x7f\x1b[31m", "qwqwqw"])
def test_an_unknown_query_is_not_covered(client, query):
    response = client.get("/v1/suggest", params={"q": query})
    assert response.status_code == 200
    assert (response.json()["covered"], response.json()["suggestions"]) == (False, [])


def test_similarity_equals_the_command_line(client, library):
    pairs = [{"a": "NASA", "b": "space exploration"}, {"a": "qwqw", "b": "NASA"}]
    results = client.post(
        "/v1/similarity", json={"pairs": pairs, "measures": ["web-kernel", "jaccard"]}
    ).json()
    for pair, each in zip(pairs, results, strict=True):
        scores = {name: library.similarity(pair["a"], pair["b"], name) for name in ("web-kernel", "jaccard")}
        assert each == similarity_json(pair["a"], pair["b"], scores, {"web-kernel": None, "jaccard": None})
    assert results[1]["scores"] == {"web-kernel": None, "jaccard": 0.0}


def test_scores_of_a_built_measure_have_percentiles(client, library):
    pair = {"a": "NASA", "b": "space exploration"}
    expected = round(library.percentile(library.similarity(**pair)), 3)
    assert 50 < expected < 100
    body = {"pairs": [pair], "measures": ["hybrid", "edit"]}
    (scored,) = client.post("/v1/similarity", json=body).json()
    assert scored["percentiles"] == {"hybrid": expected, "edit": None}
    explained = client.post("/v1/explain", json=body).json()
    assert [each["percentile"] for each in explained] == [expected, None]


def test_a_sample_that_is_stored_later_is_served(make_client, workspace_copy):
    with make_client() as client:
        parameters = {"q": "NASA", "measure": "edit"}
        assert client.get("/v1/suggest", params=parameters).json()["suggestions"][0]["percentile"] is None
        Workspace.open(workspace_copy).build("edit")
        assert client.app.state.service.refresh()
        assert client.get("/v1/suggest", params=parameters).json()["suggestions"][0]["percentile"] > 0


def test_similarity_uses_all_ready_measures_by_default(client):
    (result,) = client.post("/v1/similarity", json={"pairs": [{"a": "NASA", "b": "ESA"}]}).json()
    assert {"web-kernel", "jaccard", "edit", "backoff"} <= set(result["scores"])
    assert not {"distributional", "latent"} & set(result["scores"])  # their counts are not built


def test_explanations_equal_the_command_line(client, library):
    pair = {"a": "NASA", "b": "space exploration"}
    results = client.post("/v1/explain", json={"pairs": [pair]}).json()
    assert results == json.loads(json.dumps([explanation_json(library.explain("NASA", "space exploration"))]))
    assert sum(part["share"] for part in results[0]["contributions"]) == pytest.approx(results[0]["score"])


def test_every_ready_measure_explains_its_scores(client):
    measures = client.app.state.service.snapshot.measures
    body = {"pairs": [{"a": "NASA", "b": "space exploration"}, {"a": "", "b": "\0"}], "measures": measures}
    response = client.post("/v1/explain", json=body)
    assert response.status_code == 200
    assert [each["measure"] for each in response.json()] == measures * 2


def test_match_equals_the_library(client, library):
    body = {"queries": ["NASA", "java  island", "qwqw"], "k": 4}
    results = client.post("/v1/match", json=body).json()
    assert results == [suggestions_json(each) for each in library.match(["NASA", "java island", "qwqw"], 4)]


def test_a_judgement_is_stored_and_returned(client):
    body = {"query": "NASA", "candidate": "ESA", "grade": 3, "rater": "Ann", "task": "free"}
    response = client.post("/v1/judgements", json=body)
    assert response.status_code == 201
    assert {name: response.json()[name] for name in body} == body
    (stored,) = client.app.state.service.judgements.given("free")
    assert (stored.query, stored.candidate, stored.grade, stored.rater) == ("NASA", "ESA", 3.0, "Ann")


def test_a_measure_without_an_index_is_a_conflict_that_names_the_command(client):
    response = client.get("/v1/suggest", params={"q": "NASA", "measure": "dice"})
    assert response.status_code == 409
    assert "querykin build --measures dice" in response.json()["detail"]
    assert not (client.app.state.service.workspace.path / "index" / "words").exists()


def test_a_measure_without_counts_is_a_conflict_and_builds_nothing(client):
    for measure in ("distributional", "latent", "tweak"):
        body = {"pairs": [{"a": "NASA", "b": "ESA"}], "measures": [measure]}
        response = client.post("/v1/similarity", json=body)
        assert response.status_code == 409, response.text
        assert f"querykin build --measures {measure}" in response.json()["detail"]
    assert not (client.app.state.service.workspace.path / "cooccurrence").exists()


def test_an_unknown_measure_suggests_the_nearest_name(client):
    response = client.get("/v1/suggest", params={"q": "NASA", "measure": "web-kernal"})
    assert response.status_code == 422
    assert "did you mean 'web-kernel'?" in response.json()["detail"]


def test_an_empty_workspace_names_the_next_command(make_client, tmp_path):
    with make_client(tmp_path / "empty") as client:
        response = client.get("/v1/suggest", params={"q": "NASA"})
        assert response.status_code == 409
        assert "querykin corpus add FILE" in response.json()["detail"]
        assert str(tmp_path) not in response.text
        assert client.get("/readyz").status_code == 200


def test_a_response_is_cached_until_the_workspace_changes(make_client, workspace_copy):
    with make_client() as client:
        service = client.app.state.service
        before = client.get("/v1/suggest", params={"q": "NASA"}).json()
        assert client.get("/v1/suggest", params={"q": "NASA"}).json() == before
        assert _metric(client, 'querykin_cache_total{result="hit"}') == 1
        Workspace.open(workspace_copy).repository.remove([before["suggestions"][0]["query"]])
        service.refresh()
        after = client.get("/v1/suggest", params={"q": "NASA"}).json()
        assert after["suggestions"][0] != before["suggestions"][0]
        assert _metric(client, 'querykin_cache_total{result="hit"}') == 1


def test_a_corrupted_state_leaves_the_last_good_snapshot(make_client, workspace_copy):
    with make_client() as client:
        manifest = workspace_copy / "repository" / "manifest.json"
        intact = manifest.read_bytes()
        manifest.write_bytes(intact[:40])
        with pytest.raises(WorkspaceError, match="damaged"):
            client.app.state.service.refresh()
        assert client.get("/v1/suggest", params={"q": "NASA"}).json()["suggestions"]
        manifest.write_bytes(intact)
        client.app.state.service.refresh()
        assert client.get("/v1/suggest", params={"q": "NASA"}).json()["suggestions"]


def test_a_request_on_a_stale_snapshot_is_retried(make_client, workspace_copy):
    with make_client() as client:
        service = client.app.state.service
        Workspace.open(workspace_copy).build("dice")
        response = client.get("/v1/suggest", params={"q": "NASA", "measure": "dice"})
        assert response.status_code == 200  # without waiting for the next poll
        assert service.snapshot.searches("dice")


def test_a_build_in_progress_is_not_a_new_state(workspace_copy):
    before, stamps = state_of(workspace_copy), modification_stamps(workspace_copy)
    workspace = Workspace.open(workspace_copy)
    index = workspace.indexes.index(workspace.measure("web-kernel"))
    index.commit(index.committed, index.committed)
    assert modification_stamps(workspace_copy) != stamps
    assert state_of(workspace_copy) == before


def test_concurrent_threads_get_the_results_of_one_thread(workspace_copy):
    titles = [title for facts in FACTS.values() for title, _ in facts]
    pairs = [(a, b) for a in titles[::7] for b in titles[::8]]
    measures = "web-kernel", "backoff", "sparse-prob", "set-overlap"
    single, shared = (Snapshot.open(Workspace.open(workspace_copy)) for _ in range(2))

    def work(snapshot, pair):
        results = snapshot.suggest(" ".join(pair)), snapshot.score([pair], measures), snapshot.explain(*pair)
        return repr((*results, snapshot.match(pair, 5)))

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda pair: work(shared, pair), pairs))
    assert results == [work(single, pair) for pair in pairs]


def _metric(client, name):
    lines = dict(line.rsplit(" ", 1) for line in client.get("/metrics").text.splitlines() if line[0] != "#")
    return float(lines[name])


def test_metrics_count_latency_coverage_and_status(make_client):
    with make_client() as client:
        for query in ("NASA", "ESA", "qwqw"):
            client.get("/v1/suggest", params={"q": query})
        client.get("/nothing/here")
        assert _metric(client, 'querykin_texts_total{covered="yes",measure="hybrid"}') == 2
        assert _metric(client, 'querykin_texts_total{covered="no",measure="hybrid"}') == 1
        count = 'querykin_request_seconds_count{measure="hybrid",route="/v1/suggest"}'
        assert _metric(client, count) == 3
        assert _metric(client, 'querykin_requests_total{route="none",status="404"}') == 1
