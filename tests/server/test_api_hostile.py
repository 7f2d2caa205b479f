"""Invalid and hostile requests get problem details."""

import json
import math
import time

import pytest

from querykin.server.problems import PROBLEM_TYPES, HTTPProblem
from querykin.server.rate_limiter import RateLimiter
from querykin.settings_sections import ServerSettings

JSON = {"Content-Type": "application/json"}
PAIR = {"pairs": [{"a": "NASA", "b": "ESA"}]}


def problem(response, status):
    """Problem details of a response, checked for the members of RFC 9457."""
    assert response.status_code == status, response.text
    assert response.headers["Content-Type"] == "application/problem+json"
    details = response.json()
    assert details["status"] == status
    assert details["title"]
    assert details["detail"]
    assert details["type"] == "about:blank" or details["type"].removeprefix("/docs#") in PROBLEM_TYPES
    return details


def test_an_unknown_path_and_an_unknown_method_are_problems(client):
    problem(client.get("/v2/nothing"), 404)
    response = client.delete("/v1/suggest")
    problem(response, 405)
    assert response.headers["Allow"] == "GET"


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"q": "a", "k": 0},
        {"q": "a", "k": 10**30},
        {"q": "a", "k": 1001},
        {"q": "a", "k": "many"},
        {"q": "a", "threshold": "nan"},
        {"q": "a", "threshold": "inf"},
        {"q": "a", "threshold": "1e999"},
        {"q": "a" * 1001},
        {"q": "a", "measure": "x" * 1000},
        {"q": "a", "measure": "../../corpus"},
    ],
)
def test_invalid_parameters_are_rejected(client, parameters):
    problem(client.get("/v1/suggest", params=parameters), 422)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'"text"',
        b"{}",
        b'{"pairs": []}',
        b'{"pairs": [{"a": "x"}]}',
        b"\xff\xfe{}",
        b'{"pairs": [{"a": 1, "b": 2}]}',
        b'{"pairs": [{"a": "\\ud800", "b": "x"}]}',
        b'{"pairs": NaN}',
        b'{"pairs": [{"a": "x", "b": "y"}], "measures": ["\\ud800"]}',
        b'{"\\ud800": 1}',
        b'{"pairs": [{"a": "x", "b": "y", "c": "z"}]}',
        b'{"pairs": [{"a": "x", "b": "y"}], "measures": null}',
        b'{"pairs": {"a": "x"}, "pairs": 1}',
        b"1" * 5000,
    ],
)
def test_an_invalid_body_is_rejected(client, body):
    for path in ("similarity", "explain"):
        response = client.post(f"/v1/{path}", content=body, headers=JSON)
        assert response.status_code in (400, 422)
        problem(response, response.status_code)


def test_deeply_nested_json_does_not_exhaust_the_stack(client):
    response = client.post("/v1/similarity", content=b"[" * 500_000, headers=JSON)
    problem(response, 400 if response.status_code == 400 else 422)


@pytest.mark.parametrize("grade", ["NaN", "Infinity", "-Infinity", "1e400", '"good"', "null", "true" * 2])
def test_a_grade_that_is_not_a_finite_number_is_rejected(client, grade):
    body = f'{{"query": "a", "candidate": "b", "grade": {grade}, "rater": "Ann", "task": "t"}}'
    problem(client.post("/v1/judgements", content=body, headers=JSON), 422)


@pytest.mark.parametrize("name", ["rater", "task", "query", "candidate"])
def test_a_judgement_with_an_empty_field_is_rejected(client, name):
    body = {"query": "a", "candidate": "b", "grade": 1, "rater": "Ann", "task": "t", name: " "}
    problem(client.post("/v1/judgements", json=body), 422)


def test_problem_details_do_not_repeat_the_input(client):
    secret = "s3cret" * 200
    response = client.post("/v1/similarity", json={"pairs": [{"a": secret, "b": [secret]}], "measures": [3]})
    problem(response, 422)
    assert "s3cret" not in response.text


def test_other_media_types_are_rejected(client):
    for media_type in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        response = client.post(
            "/v1/similarity", content=json.dumps(PAIR), headers={"Content-Type": media_type}
        )
        problem(response, 415)


def test_a_large_body_is_rejected_with_and_without_content_length(client):
    body = b'{"pairs": [{"a": "' + b"x" * 10_000_000 + b'", "b": "y"}]}'
    assert (
        problem(client.post("/v1/similarity", content=body, headers=JSON), 413)["type"] == "/docs#too-large"
    )

    def chunks():
        for begin in range(0, len(body), 100_000):
            yield body[begin : begin + 100_000]

    problem(client.post("/v1/similarity", content=chunks(), headers=JSON), 413)


def test_pairs_times_measures_are_limited(client):
    body = {"pairs": PAIR["pairs"] * 501, "measures": ["jaccard", "dice"]}
    detail = problem(client.post("/v1/similarity", json=body), 422)["detail"]
    assert "at most 1000 comparisons, got 501 pairs by 2 measures" in detail
    body["pairs"].pop()
    assert client.post("/v1/similarity", json=body).status_code == 200
    problem(client.post("/v1/match", json={"queries": ["a"] * 101}), 422)
    problem(client.post("/v1/match", json={"queries": ["a" * 1001]}), 422)
    problem(client.post("/v1/match", json={"queries": ["a"], "k": 1001}), 422)


def test_unusual_texts_get_a_response(client):
    texts = [
        "",
        "😀 👩‍🚀",
        "\0",
        "a\u202eb",
        "<script>alert(1)</script>",
        "' OR 1=1 --",
        "é" * 1000,
        "שלום",
        "\ufeff",
    ]
    pairs = [{"a": a, "b": b} for a in texts for b in texts]
    response = client.post("/v1/similarity", json={"pairs": pairs, "measures": ["web-kernel"]})
    assert [(each["a"], each["b"]) for each in response.json()] == [(pair["a"], pair["b"]) for pair in pairs]
    assert client.post("/v1/match", json={"queries": texts, "k": 1000}).status_code == 200


def test_a_client_over_its_rate_must_wait(make_client):
    with make_client(rate=0.5, burst=3) as client:
        responses = [client.get("/v1/suggest", params={"q": "NASA"}) for _ in range(6)]
        assert [response.status_code for response in responses[:3]] == [200] * 3
        problem(responses[-1], 429)
        assert 1 <= int(responses[-1].headers["Retry-After"]) <= 4
        assert client.get("/healthz").status_code == 200


def test_workers_share_the_rate_limit(tmp_path):
    workers = [RateLimiter(ServerSettings(rate=0.01, burst=20), str(tmp_path)) for _ in range(2)]
    for number in range(21):  # the burst, and one request at the rate
        workers[number % 2].admit("2001:db8::1")
    for worker in workers:
        with pytest.raises(HTTPProblem, match="try again in"):
            worker.admit("2001:db8::2")  # same /64 network
    workers[0].admit("192.0.2.1")


def test_requests_over_the_concurrency_limit_are_rejected(make_client):
    with make_client(threads=1, concurrency=1, timeout=0.05) as client:
        service = client.app.state.service
        service.snapshot.suggest = lambda *_, **__: time.sleep(1)
        problem(client.get("/v1/suggest", params={"q": "NASA"}), 504)
        response = client.get("/v1/suggest", params={"q": "NASA"})  # the thread is still busy
        assert problem(response, 503)["type"] == "/docs#busy"
        assert response.headers["Retry-After"] == "1"


def test_an_internal_error_does_not_reveal_the_exception_message(make_client, caplog):
    def fail(*_, **__):
        raise RuntimeError("NASA is secret")

    with make_client() as client:
        client.app.state.service.snapshot.suggest = fail
        response = client.get("/v1/suggest", params={"q": "NASA"})
        assert problem(response, 500)["request"] == response.headers["X-Request-ID"]
        assert "secret" not in response.text


def test_scores_are_finite_or_null(client):
    measures = client.app.state.service.snapshot.measures
    pairs = [{"a": a, "b": b} for a, b in (("", ""), ("NASA", ""), ("qwqw", "NASA"))]
    response = client.post("/v1/similarity", json={"pairs": pairs, "measures": measures})
    scores = [score for each in response.json() for score in each["scores"].values()]
    assert all(score is None or math.isfinite(score) for score in scores)
