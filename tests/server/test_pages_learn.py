"""From a task's judgements to an evaluation and a trained measure, through the forms of the pages."""

import time

import pytest

from querykin.server.pages_learn import JudgementCounts

QUERIES = ["space exploration", "java island", "baseball pitcher", "volcano", "apple pie"]


@pytest.fixture(scope="module")
def judged(client):
    """A client with a judged task; the tests of this module share it."""
    data = {"name": "spring", "queries": "\n".join(QUERIES), "measures": ["web-kernel"], "k": "6"}
    assert client.post("/judge", data=data).status_code == 303
    store = client.app.state.service.judgements
    for item in store.items("spring"):
        store.record(item.query, item.candidate, len(item.candidate) % 4, "Ann", "spring")
    return client


def finish(client, response, seconds=120):
    """Where the page of a started job leads when it is done."""
    assert response.status_code == 303, response.text
    path = response.headers["location"]
    deadline = time.monotonic() + seconds
    while (progress := client.get(f"{path}/progress").json())["state"] in ("queued", "running"):
        assert time.monotonic() < deadline, progress
        time.sleep(0.1)
    assert progress["state"] == "done", progress
    return client.get(path).headers["location"]


def test_a_combination_is_trained_evaluated_and_served(judged):
    form = {
        "task": "spring",
        "measures": ["web-kernel", "jaccard-stems"],
        "learner": "logistic",
        "name": "mine",
    }
    page = judged.get(finish(judged, judged.post("/judge/train", data=form))).text
    assert "A combination of web-kernel, jaccard-stems, trained on" in page
    assert "Quality on held-out queries" in page
    assert "(5 folds)" in page
    deadline = time.monotonic() + 60
    while "is loading it" in judged.get("/model", params={"name": "mine"}).text:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert ">mine</option>" in judged.get("/").text
    suggested = judged.get("/v1/suggest", params={"q": "space exploration", "measure": "mine"})
    assert suggested.json()["suggestions"]
    evaluation = {"task": "spring", "measures": ["web-kernel", "mine"]}
    where = finish(judged, judged.post("/judge/evaluate", data=evaluation))
    assert where.startswith("/report/run?id=")
    report = judged.get(where).text
    assert "<bdi>spring</bdi>" in report
    assert "do not generalize" not in report  # cross-validated
    assert "spring" in judged.get("/report").text


def test_a_name_that_is_taken_fails_with_the_reason(judged):
    form = {"task": "spring", "measures": ["edit"], "name": "edit"}
    response = judged.post("/judge/train", data=form)
    assert response.status_code == 422
    assert "is a measure already" in response.text


def test_forms_that_cannot_be_used_are_refused(judged):
    refused = [
        ("evaluate", {}, 422, "Choose at least one measure"),
        ("evaluate", {"measures": ["webkernel"]}, 422, "did you mean"),
        ("evaluate", {"measures": ["edit"], "task": "winter"}, 404, "Unknown task"),
        ("train", {"measures": ["edit"], "name": "No Name"}, 422, "a model&#39;s name is".capitalize()),
        ("train", {"measures": ["edit"], "name": "mine", "learner": "magic"}, 422, "Unknown learner"),
        ("train", {"name": "mine"}, 422, "Choose at least one measure"),
    ]
    for path, change, status, message in refused:
        response = judged.post(f"/judge/{path}", data={"task": "spring", **change})
        assert (response.status_code, message in response.text) == (status, True), (path, change)
    judged.post("/judge", data={"name": "new", "queries": "volcano", "measures": ["web-kernel"]})
    response = judged.post("/judge/evaluate", data={"task": "new", "measures": ["edit"]})
    assert (response.status_code, "Nothing is judged" in response.text) == (422, True)
    assert judged.get("/model", params={"name": "nothing"}).status_code == 404


def test_the_task_page_warns_of_too_few_judgements(judged):
    page = judged.get("/judge/task", params={"name": "spring"}).text
    assert "judged pairs of 5 queries: too few to tell" in page
    assert JudgementCounts(49, 10, 0).warning
    assert JudgementCounts(50, 9, 0).warning
    assert not JudgementCounts(50, 10, 0).warning
