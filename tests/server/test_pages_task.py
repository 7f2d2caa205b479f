"""Pages about one task: needs, notes, past grades, disagreements, rename, remove."""

import json
import re

import pytest

from grading_form import fields

NEEDS = "space exploration\tnews of missions, not their history\njava island\n"


@pytest.fixture
def task_client(client):
    """The client of the module, with a new task."""
    data = {"name": "spring", "queries": NEEDS, "measures": ["web-kernel"], "k": "3"}
    assert client.post("/judge", data=data).status_code == 303
    yield client
    store = client.app.state.service.judgements
    for task in store.tasks():
        store.remove(task.name)


def rate(client, grade, rater="Ann", **change):
    form = fields(client.get("/judge/rate", params={"task": "spring", "rater": rater}).text)
    response = client.post("/judge/rate", data={**form, "grade": grade, **change})
    assert response.status_code == 303, response.text
    return form


def exported(client, task="spring"):
    text = client.get("/judge/export", params={"task": task, "form": "jsonl"}).text
    return [json.loads(line) for line in text.splitlines()]


def test_raters_see_the_information_need_and_exports_have_it(task_client):
    page = task_client.get("/judge/rate", params={"task": "spring", "rater": "Ann"}).text
    assert "news of missions, not their history" in page
    rated = rate(task_client, "2", note="both  are\nmissions")
    (row,) = exported(task_client)
    assert list(row) == ["query", "candidate", "rater", "grade", "need", "note"]
    assert (row["query"], row["need"]) == (rated["query"], "news of missions, not their history")
    assert (row["grade"], row["note"]) == (2, "both are missions")


def test_information_needs_are_edited(task_client):
    page = task_client.get("/judge/needs", params={"task": "spring"}).text
    assert page.count('name="need"') == 2
    changed = {
        "task": "spring",
        "query": ["space exploration", "java island"],
        "need": ["", "a holiday there"],
    }
    assert task_client.post("/judge/needs", data=changed).status_code == 303
    page = task_client.get("/judge/needs", params={"task": "spring"}).text
    assert "a holiday there" in page
    assert "news of missions" not in page
    too_long = {**changed, "need": ["", "x" * 1001]}
    response = task_client.post("/judge/needs", data=too_long)
    assert response.status_code == 422
    assert "may have 1,000 characters, got 1,001" in response.text


def test_what_cannot_be_judged_is_counted_and_left_out(task_client):
    first = rate(task_client, "cannot-judge", note="no idea")
    second = rate(task_client, "3")
    assert first["candidate"] != second["candidate"]
    assert [row["candidate"] for row in exported(task_client)] == [second["candidate"]]
    page = task_client.get("/judge/task", params={"name": "spring"}).text
    assert "2 of 6, 1 could not be judged" in page
    assert "1 judgement “cannot judge”" in page
    assert "no idea" in page


def test_past_grades_are_listed_and_changed(task_client):
    first, second = rate(task_client, "0"), rate(task_client, "1", note="why not")
    page = task_client.get("/judge/mine", params={"task": "spring", "rater": "ANN"}).text
    assert "Judgements of <bdi>Ann</bdi>" in page
    assert page.index(second["candidate"]) < page.index(first["candidate"])
    assert "item=1" in page
    page = task_client.get("/judge/rate", params={"task": "spring", "rater": "Ann", "item": "1"}).text
    assert "Your judgement: <strong>Bad</strong>" in page
    form = fields(page)
    assert form["candidate"] == first["candidate"]
    changed = task_client.post("/judge/rate", data={**form, "grade": "3"})
    assert changed.headers["location"] == "/judge/mine?task=spring&rater=Ann"
    grades = {row["candidate"]: row["grade"] for row in exported(task_client)}
    assert grades == {first["candidate"]: 3, second["candidate"]: 1}
    missing = task_client.get("/judge/rate", params={"task": "spring", "rater": "Ann", "item": "99"})
    assert missing.status_code == 404


def test_disagreements_are_listed_the_largest_first(task_client):
    pairs = [rate(task_client, grade) for grade in "320"]
    for grade in "100":
        rate(task_client, grade, rater="Ben")
    page = task_client.get("/judge/task", params={"name": "spring"}).text
    assert "2 disagreements" in page
    page = task_client.get("/judge/disagreements", params={"task": "spring"}).text
    assert "2 pairs with different grades" in page
    assert [candidate for candidate in re.findall(r"<bdi>([^<]*)</bdi></a></th>", page)] == [
        pairs[0]["candidate"],
        pairs[1]["candidate"],
    ]
    assert pairs[2]["candidate"] not in page
    assert "/judge/rate?task=spring&amp;rater=Ben&amp;item=1" in page
    assert "/compare?a=" in page


def test_a_task_is_renamed_with_everything_that_belongs_to_it(task_client):
    rate(task_client, "2", note="kept")
    before = exported(task_client)
    renamed = task_client.post("/judge/rename", data={"task": "spring", "name": " the  summer "})
    assert renamed.headers["location"] == "/judge/task?name=the+summer"
    assert exported(task_client, "the summer") == before
    assert task_client.get("/judge/task", params={"name": "spring"}).status_code == 404
    taken = task_client.post("/judge/rename", data={"task": "spring", "name": "x"})
    assert taken.status_code == 404
    empty = task_client.post("/judge/rename", data={"task": "the summer", "name": " "})
    assert empty.status_code == 422


def test_a_task_is_removed_after_a_confirmation_that_names_what_is_lost(task_client):
    rate(task_client, "2")
    rate(task_client, "cannot-judge")
    page = task_client.get("/judge/remove", params={"task": "spring"}).text
    assert "2 judgements would be lost" in page
    assert "/judge/export?task=spring&amp;form=csv" in page
    assert task_client.post("/judge/remove", data={"task": "spring"}).headers["location"] == "/judge"
    assert task_client.get("/judge/task", params={"name": "spring"}).status_code == 404
    assert "<bdi>spring</bdi>" not in task_client.get("/judge").text


def test_passages_about_both_texts_are_shown_on_demand(task_client):
    parameters = {"query": "space exploration", "candidate": "qwxyz"}
    page = task_client.get("/judge/passages", params=parameters).text
    assert page.count("<blockquote>") >= 1
    assert "<mark>" in page
    assert "too little" in page
    assert task_client.get("/judge/passages", params={"query": "x" * 1001}).status_code == 422


@pytest.mark.parametrize(
    "path",
    [
        "needs?task=winter",
        "mine?task=winter&rater=Ann",
        "disagreements?task=winter",
        "remove?task=winter",
        "rate?task=winter&rater=Ann",
        "task?name=winter",
        "export?task=winter",
    ],
)
def test_an_unknown_task_is_a_page_with_status_404(task_client, path):
    response = task_client.get(f"/judge/{path}")
    assert response.status_code == 404
    assert response.headers["content-type"].startswith("text/html")
    assert "Unknown task" in response.text


def test_programs_may_send_notes_needs_and_no_grade(task_client):
    body = {"query": "a", "candidate": "b", "rater": "Shop", "task": "sent", "note": "odd"}
    sent = task_client.post("/v1/judgements", json={**body, "cannot_judge": True})
    assert (sent.status_code, sent.json()["grade"], sent.json()["note"]) == (201, None, "odd")
    other = {"query": "a", "candidate": "c", "grade": 0.5, "rater": "shop", "task": "sent", "need": "to buy"}
    assert task_client.post("/v1/judgements", json=other).json()["rater"] == "Shop"
    (row,) = exported(task_client, "sent")
    assert (row["candidate"], row["rater"], row["need"]) == ("c", "Shop", "to buy")
    for wrong in ({}, {"grade": None}, {"grade": 1, "cannot_judge": True}, {"cannot_judge": False}):
        refused = task_client.post("/v1/judgements", json={**body, **wrong})
        assert refused.status_code == 422, wrong
        assert "either a grade" in refused.json()["detail"]
