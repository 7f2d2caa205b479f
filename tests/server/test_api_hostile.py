"""Requests that should never have been sent, and the problem details that answer them."""

import json
import math
import time

import pytest

from querykin.server.limits import Rates
from querykin.server.problems import MEANINGS, HTTPProblem
from querykin.server.settings import Settings

JSON = {"Content-Type": "application/json"}
PAIR = {"pairs": [{"a": "NASA", "b": "ESA"}]}


def problem(answer, status):
    """The problem that an answer tells; it has everything that RFC 9457 asks for."""
    assert answer.status_code == status, answer.text
    assert answer.headers["Content-Type"] == "application/problem+json"
    found = answer.json()
    assert found["status"] == status
    assert found["title"]
    assert found["detail"]
    assert found["type"] == "about:blank" or found["type"].removeprefix("/docs#") in MEANINGS
    return found


def test_an_unknown_path_and_an_unknown_method_are_problems(client):
    problem(client.get("/v2/nothing"), 404)
    answer = client.delete("/v1/suggest")
    problem(answer, 405)
    assert answer.headers["Allow"] == "GET"


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
def test_a_question_that_cannot_be_asked_is_refused(client, parameters):
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
def test_a_body_that_does_not_fit_is_refused(client, body):
    for path in ("similarity", "explain"):
        answer = client.post(f"/v1/{path}", content=body, headers=JSON)
        assert answer.status_code in (400, 422)
        problem(answer, answer.status_code)


def test_a_body_of_brackets_does_not_exhaust_the_stack(client):
    answer = client.post("/v1/similarity", content=b"[" * 500_000, headers=JSON)
    problem(answer, 400 if answer.status_code == 400 else 422)


@pytest.mark.parametrize("grade", ["NaN", "Infinity", "-Infinity", "1e400", '"good"', "null", "true" * 2])
def test_a_grade_that_is_no_number_is_refused(client, grade):
    body = f'{{"query": "a", "candidate": "b", "grade": {grade}, "rater": "Ann", "task": "t"}}'
    problem(client.post("/v1/judgements", content=body, headers=JSON), 422)


@pytest.mark.parametrize("name", ["rater", "task", "query", "candidate"])
def test_a_judgement_without_a_name_or_text_is_refused(client, name):
    body = {"query": "a", "candidate": "b", "grade": 1, "rater": "Ann", "task": "t", name: " "}
    problem(client.post("/v1/judgements", json=body), 422)


def test_what_was_sent_is_not_repeated(client):
    secret = "s3cret" * 200
    found = client.post("/v1/similarity", json={"pairs": [{"a": secret, "b": [secret]}], "measures": [3]})
    problem(found, 422)
    assert "s3cret" not in found.text


def test_another_kind_of_body_is_refused(client):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        answer = client.post("/v1/similarity", content=json.dumps(PAIR), headers={"Content-Type": kind})
        problem(answer, 415)


def test_ten_megabytes_are_refused_whether_announced_or_not(client):
    body = b'{"pairs": [{"a": "' + b"x" * 10_000_000 + b'", "b": "y"}]}'
    assert (
        problem(client.post("/v1/similarity", content=body, headers=JSON), 413)["type"] == "/docs#too-large"
    )
    read = []

    def pieces():
        for begin in range(0, len(body), 100_000):
            read.append(begin)
            yield body[begin : begin + 100_000]

    problem(client.post("/v1/similarity", content=pieces(), headers=JSON), 413)


def test_too_many_comparisons_are_refused_by_their_product(client):
    body = {"pairs": PAIR["pairs"] * 501, "measures": ["jaccard", "dice"]}
    detail = problem(client.post("/v1/similarity", json=body), 422)["detail"]
    assert "at most 1000 comparisons, got 501 pairs by 2 measures" in detail
    body["pairs"].pop()
    assert client.post("/v1/similarity", json=body).status_code == 200
    problem(client.post("/v1/match", json={"queries": ["a"] * 101}), 422)
    problem(client.post("/v1/match", json={"queries": ["a" * 1001]}), 422)
    problem(client.post("/v1/match", json={"queries": ["a"], "k": 1001}), 422)


def test_texts_of_all_kinds_get_an_answer(client):
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
    found = client.post("/v1/similarity", json={"pairs": pairs, "measures": ["web-kernel"]})
    assert [(each["a"], each["b"]) for each in found.json()] == [(pair["a"], pair["b"]) for pair in pairs]
    assert client.post("/v1/match", json={"queries": texts, "k": 1000}).status_code == 200


def test_a_client_that_asks_too_often_must_wait(serving):
    with serving(rate=0.5, burst=3) as client:
        answers = [client.get("/v1/suggest", params={"q": "NASA"}) for _ in range(6)]
        assert [answer.status_code for answer in answers[:3]] == [200] * 3
        problem(answers[-1], 429)
        assert 1 <= int(answers[-1].headers["Retry-After"]) <= 4
        assert client.get("/healthz").status_code == 200


def test_a_rate_holds_for_all_workers_together(tmp_path):
    workers = [Rates(Settings(rate=0.01, burst=20), str(tmp_path)) for _ in range(2)]
    for number in range(21):  # the burst, and the one that the rate allows
        workers[number % 2].admit("2001:db8::1")
    for worker in workers:
        with pytest.raises(HTTPProblem, match="try again in"):
            worker.admit("2001:db8::2")  # the same network
    workers[0].admit("192.0.2.1")


def test_more_requests_than_threads_can_take_are_turned_away(serving):
    with serving(threads=1, concurrency=1, timeout=0.05) as client:
        service = client.app.state.service
        service.snapshot.suggest = lambda *_: time.sleep(1)
        problem(client.get("/v1/suggest", params={"q": "NASA"}), 504)
        answer = client.get("/v1/suggest", params={"q": "NASA"})  # the thread is still at work
        assert problem(answer, 503)["type"] == "/docs#busy"
        assert answer.headers["Retry-After"] == "1"


def test_a_fault_is_a_problem_without_its_words(serving, caplog):
    def fail(*_):
        raise RuntimeError("NASA is secret")

    with serving() as client:
        client.app.state.service.snapshot.suggest = fail
        answer = client.get("/v1/suggest", params={"q": "NASA"})
        found = problem(answer, 500)
        assert found["request"] == answer.headers["X-Request-ID"]
        assert "secret" not in answer.text


def test_numbers_that_json_does_not_know_never_leave(client):
    measures = client.app.state.service.snapshot.measures
    pairs = [{"a": a, "b": b} for a, b in (("", ""), ("NASA", ""), ("qwqw", "NASA"))]
    found = client.post("/v1/similarity", json={"pairs": pairs, "measures": measures})
    scores = [score for each in found.json() for score in each["scores"].values()]
    assert all(score is None or math.isfinite(score) for score in scores)
