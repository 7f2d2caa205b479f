"""The answers of the API: those of the command line, over HTTP."""

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


def test_suggestions_are_those_of_the_library(client, library):
    answer = client.get("/v1/suggest", params={"q": "  Space  exploration", "k": 3})
    assert answer.status_code == 200
    assert answer.json() == suggestions_json(library.suggest("Space exploration", 3))
    assert len(answer.json()["suggestions"]) == 3


def test_a_threshold_leaves_out_what_scores_less(client):
    found = client.get("/v1/suggest", params={"q": "NASA", "k": 20}).json()["suggestions"]
    least = found[1]["score"] - 1e-6  # as it is rounded
    kept = client.get("/v1/suggest", params={"q": "NASA", "k": 20, "threshold": least}).json()["suggestions"]
    assert kept == found[:2]


@pytest.mark.parametrize("query", ["", " ", "\0", "😀", "\x7f\x1b[31m", "qwqwqw"])
def test_a_query_nobody_knows_is_not_covered(client, query):
    answer = client.get("/v1/suggest", params={"q": query})
    assert answer.status_code == 200
    assert (answer.json()["covered"], answer.json()["suggestions"]) == (False, [])


def test_similarity_is_that_of_the_command_line(client, library):
    pairs = [{"a": "NASA", "b": "space exploration"}, {"a": "qwqw", "b": "NASA"}]
    found = client.post("/v1/similarity", json={"pairs": pairs, "measures": ["web-kernel", "jaccard"]}).json()
    for pair, each in zip(pairs, found, strict=True):
        scores = {name: library.similarity(pair["a"], pair["b"], name) for name in ("web-kernel", "jaccard")}
        assert each == similarity_json(pair["a"], pair["b"], scores)
    assert found[1]["scores"] == {"web-kernel": None, "jaccard": 0.0}


def test_without_measures_all_that_are_ready_answer(client):
    (found,) = client.post("/v1/similarity", json={"pairs": [{"a": "NASA", "b": "ESA"}]}).json()
    assert {"web-kernel", "jaccard", "edit", "backoff"} <= set(found["scores"])
    assert not {"distributional", "latent"} & set(found["scores"])  # whose counts are not there


def test_explanations_are_those_of_the_command_line(client, library):
    pair = {"a": "NASA", "b": "space exploration"}
    found = client.post("/v1/explain", json={"pairs": [pair]}).json()
    assert found == json.loads(json.dumps([explanation_json(library.explain("NASA", "space exploration"))]))
    assert sum(part["share"] for part in found[0]["contributions"]) == pytest.approx(found[0]["score"])


def test_every_measure_that_is_ready_explains_itself(client):
    measures = client.app.state.service.snapshot.measures
    body = {"pairs": [{"a": "NASA", "b": "space exploration"}, {"a": "", "b": "\0"}], "measures": measures}
    answer = client.post("/v1/explain", json=body)
    assert answer.status_code == 200
    assert [each["measure"] for each in answer.json()] == measures * 2


def test_matches_are_those_of_the_library(client, library):
    body = {"queries": ["NASA", "java  island", "qwqw"], "k": 4}
    found = client.post("/v1/match", json=body).json()
    assert found == [suggestions_json(each) for each in library.match(["NASA", "java island", "qwqw"], 4)]


def test_a_judgement_is_kept_and_comes_back(client):
    body = {"query": "NASA", "candidate": "ESA", "grade": 3, "rater": "Ann", "task": "free"}
    answer = client.post("/v1/judgements", json=body)
    assert answer.status_code == 201
    assert {name: answer.json()[name] for name in body} == body
    (kept,) = client.app.state.service.judgements.given("free")
    assert (kept.query, kept.candidate, kept.grade, kept.rater) == ("NASA", "ESA", 3.0, "Ann")


def test_a_measure_without_an_index_is_a_conflict_that_names_the_cure(client):
    answer = client.get("/v1/suggest", params={"q": "NASA", "measure": "dice"})
    assert answer.status_code == 409
    assert "querykin build --measures dice" in answer.json()["detail"]
    assert not (client.app.state.service.workspace.path / "index" / "words").exists()


def test_a_measure_whose_counts_are_missing_is_a_conflict_and_nothing_is_counted(client):
    for measure in ("distributional", "latent", "tweak"):
        body = {"pairs": [{"a": "NASA", "b": "ESA"}], "measures": [measure]}
        answer = client.post("/v1/similarity", json=body)
        assert answer.status_code == 409, answer.text
        assert f"querykin build --measures {measure}" in answer.json()["detail"]
    assert not (client.app.state.service.workspace.path / "cooccurrence").exists()


def test_an_unknown_measure_names_the_nearest(client):
    answer = client.get("/v1/suggest", params={"q": "NASA", "measure": "web-kernal"})
    assert answer.status_code == 422
    assert "did you mean 'web-kernel'?" in answer.json()["detail"]


def test_an_empty_workspace_answers_what_to_do(serving, tmp_path):
    with serving(tmp_path / "empty") as client:
        answer = client.get("/v1/suggest", params={"q": "NASA"})
        assert answer.status_code == 409
        assert "querykin corpus add FILE" in answer.json()["detail"]
        assert str(tmp_path) not in answer.text
        assert client.get("/readyz").status_code == 200


def test_an_answer_is_kept_until_something_new_is_built(serving, own):
    with serving() as client:
        service = client.app.state.service
        before = client.get("/v1/suggest", params={"q": "NASA"}).json()
        assert client.get("/v1/suggest", params={"q": "NASA"}).json() == before
        assert _counted(client, 'querykin_cache_total{result="hit"}') == 1
        Workspace.open(own).repository.remove([before["suggestions"][0]["query"]])
        service.refresh()
        after = client.get("/v1/suggest", params={"q": "NASA"}).json()
        assert after["suggestions"][0] != before["suggestions"][0]
        assert _counted(client, 'querykin_cache_total{result="hit"}') == 1


def test_a_state_that_cannot_be_opened_leaves_the_last_good_one(serving, own):
    with serving() as client:
        manifest = own / "repository" / "manifest.json"
        parse_int = manifest.read_bytes()
        manifest.write_bytes(parse_int[:40])
        with pytest.raises(WorkspaceError, match="damaged"):
            client.app.state.service.refresh()
        assert client.get("/v1/suggest", params={"q": "NASA"}).json()["suggestions"]
        manifest.write_bytes(parse_int)
        client.app.state.service.refresh()
        assert client.get("/v1/suggest", params={"q": "NASA"}).json()["suggestions"]


def test_a_request_that_meets_a_snapshot_left_behind_is_tried_again(serving, own):
    with serving() as client:
        service = client.app.state.service
        Workspace.open(own).build("dice")
        answer = client.get("/v1/suggest", params={"q": "NASA", "measure": "dice"})
        assert answer.status_code == 200  # at once: the index is there, though nobody had looked yet
        assert service.snapshot.searches("dice")


def test_work_of_a_build_under_way_is_no_new_state(own):
    before, stamps = state_of(own), modification_stamps(own)
    index = Workspace.open(own).index()
    index.commit(index.committed, index.committed)
    assert modification_stamps(own) != stamps
    assert state_of(own) == before


def test_many_threads_get_the_answers_of_one(own):
    titles = [title for facts in FACTS.values() for title, _ in facts]
    pairs = [(a, b) for a in titles[::7] for b in titles[::8]]
    measures = "web-kernel", "backoff", "sparse-prob", "set-overlap"
    alone, shared = (Snapshot.open(Workspace.open(own)) for _ in range(2))

    def work(snapshot, pair):
        found = snapshot.suggest(" ".join(pair)), snapshot.score([pair], measures), snapshot.explain(*pair)
        return repr((*found, snapshot.match(pair, 5)))

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda pair: work(shared, pair), pairs))
    assert found == [work(alone, pair) for pair in pairs]


def _counted(client, name):
    lines = dict(line.rsplit(" ", 1) for line in client.get("/metrics").text.splitlines() if line[0] != "#")
    return float(lines[name])


def test_metrics_tell_time_coverage_and_status(serving):
    with serving() as client:
        for query in ("NASA", "ESA", "qwqw"):
            client.get("/v1/suggest", params={"q": query})
        client.get("/nothing/here")
        assert _counted(client, 'querykin_texts_total{covered="yes",measure="web-kernel"}') == 2
        assert _counted(client, 'querykin_texts_total{covered="no",measure="web-kernel"}') == 1
        count = 'querykin_request_seconds_count{measure="web-kernel",route="/v1/suggest"}'
        assert _counted(client, count) == 3
        assert _counted(client, 'querykin_requests_total{route="none",status="404"}') == 1
