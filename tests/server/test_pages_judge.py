"""Judging without scripts: forms and links create a task, grade, undo, skip and export."""

import pytest

from grading_form import fields
from querykin.io import read_judged_pairs
from querykin.server.judgement_store import JudgementStore

TASK = {
    "name": "spring",
    "queries": "space exploration\njava island\n",
    "measures": ["web-kernel"],
    "k": "3",
    "scale": "quality",
}


@pytest.fixture
def task_client(make_client):
    with make_client() as client:
        created = client.post("/judge", data=TASK)
        assert created.status_code == 303, created.text
        yield client


def grade(client, value, rater="Ann", task="spring"):
    page = client.get("/judge/rate", params={"task": task, "rater": rater}).text
    form = fields(page)
    response = client.post("/judge/rate", data={**form, "grade": value})
    assert response.status_code == 303, response.text
    return form


def test_a_task_pools_suggestions_and_hides_their_measures(task_client):
    page = task_client.get("/judge/rate", params={"task": "spring", "rater": "Ann"}).text
    assert "0 of 6 judged" in page
    assert "web-kernel" not in page
    assert page.count('name="grade"') == 5  # of the scale, and "cannot judge"


def test_the_order_is_shuffled_but_equal_for_all_raters(task_client, workspace_copy):
    items = JudgementStore(workspace_copy).items("spring")
    ranks = [item.proposals[0].rank for item in items]
    assert sorted(ranks) == [1, 1, 2, 2, 3, 3]
    assert ranks != [1, 2, 3, 1, 2, 3]
    shown = [
        task_client.get("/judge/rate", params={"task": "spring", "rater": name}).text
        for name in ("Ann", "Ben")
    ]
    assert fields(shown[0])["candidate"] == fields(shown[1])["candidate"] == items[0].candidate


def test_a_pair_suggested_by_two_measures_is_judged_once(task_client, workspace_copy):
    task_client.post("/judge", data={**TASK, "name": "both", "measures": ["web-kernel", "edit"]})
    items = JudgementStore(workspace_copy).items("both")
    assert len({(item.query, item.candidate) for item in items}) == len(items)
    assert {proposal.measure for item in items for proposal in item.proposals} == {"web-kernel", "edit"}


def test_grading_continues_until_all_pairs_are_judged(task_client):
    for value in ("3", "2", "1", "0", "3", "2"):
        grade(task_client, value)
    page = task_client.get("/judge/rate", params={"task": "spring", "rater": "Ann"}).text
    assert "All 6 judged. Thank you" in page
    assert "6 of 6" in task_client.get("/judge").text


def test_undo_returns_to_the_last_pair(task_client):
    grade(task_client, "3")
    second = grade(task_client, "0")
    previous = task_client.post(
        "/judge/undo", data={"task": "spring", "rater": "Ann"}, follow_redirects=True
    ).text
    assert fields(previous)["candidate"] == second["candidate"]
    assert "1 of 6 judged" in previous


def test_skip_shows_another_pair(task_client):
    first = fields(task_client.get("/judge/rate", params={"task": "spring", "rater": "Ann"}).text)
    skipped = task_client.get(
        "/judge/rate", params={"task": "spring", "rater": "Ann", "after": first["after"]}
    ).text
    assert fields(skipped)["candidate"] != first["candidate"]


def test_exports_are_readable_by_evaluate_and_train(task_client, tmp_path):
    for rater in ("Ann", "Ben"):
        for value in ("3", "2", "1", "0", "3", "2"):
            grade(task_client, value, rater)
    for form in ("tsv", "csv", "jsonl"):
        response = task_client.get("/judge/export", params={"task": "spring", "form": form})
        assert f'filename="judgements.{form}"' in response.headers["Content-Disposition"]
        (tmp_path / f"judged.{form}").write_text(response.text)
        judged = read_judged_pairs(str(tmp_path / f"judged.{form}"))
        assert len(judged) == 6
        assert set(judged.queries) == {"space exploration", "java island"}


def test_agreement_is_shown_with_two_raters(task_client):
    grade(task_client, "3")
    assert "Appears as soon as two people" in task_client.get("/judge/task", params={"name": "spring"}).text
    grade(task_client, "3", "Ben")
    page = task_client.get("/judge/task", params={"name": "spring"}).text
    assert "the same grade 100% of the time" in page
    assert "mean grade" in page


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": " "}, "A task needs a name"),
        ({"name": "spring"}, "There is a task &#39;spring&#39; already"),
        ({"measures": []}, "Choose at least one measure"),
        ({"measures": ["backoff"]}, "querykin build --measures backoff"),
        ({"queries": "\n".join(map(str, range(101)))}, "A task may have 100 queries, got 101"),
        ({"queries": "qwxyz"}, "no measure suggests anything"),
        ({"scale": "stars"}, "Unknown scale &#39;stars&#39;"),
        ({"k": "0"}, "from 1 to 50"),
    ],
)
def test_an_invalid_task_is_an_error_and_the_form_keeps_its_values(task_client, change, message):
    response = task_client.post("/judge", data={**TASK, "name": "other", **change})
    assert response.status_code in (409, 422)
    assert message in response.text
    assert change.get("queries", "space exploration\njava island\n").splitlines()[0] in response.text


def test_the_most_frequent_queries_are_the_default(task_client, workspace_copy):
    task_client.post("/judge", data={**TASK, "name": "frequent", "queries": "", "count": "5"})
    assert len({item.query for item in JudgementStore(workspace_copy).items("frequent")}) <= 5


def test_an_invalid_grade_is_an_error(task_client):
    form = fields(task_client.get("/judge/rate", params={"task": "spring", "rater": "Ann"}).text)
    invalid = [
        ({"grade": "9"}, "3 (Excellent)"),
        ({"grade": ""}, "No grade was given"),
        ({"grade": "1", "candidate": "else"}, "does not contain"),
        ({"grade": "1", "rater": ""}, "rater needs"),
    ]
    for change, message in invalid:
        response = task_client.post("/judge/rate", data={**form, **change})
        assert response.status_code == 422
        assert message in response.text
    assert task_client.get("/judge/task", params={"name": "winter"}).status_code == 404
    assert task_client.get("/judge/export", params={"task": "spring"}).status_code == 422


def test_a_cross_site_grade_is_rejected(task_client):
    form = fields(task_client.get("/judge/rate", params={"task": "spring", "rater": "Ann"}).text)
    response = task_client.post(
        "/judge/rate", data={**form, "grade": "3"}, headers={"Origin": "https://evil.example"}
    )
    assert response.status_code == 403
    assert "0 of 6" in task_client.get("/judge/rate", params={"task": "spring", "rater": "Ann"}).text


def test_judgements_sent_by_programs_create_a_task(task_client):
    body = {"query": "a", "candidate": "b", "grade": 0.5, "rater": "shop", "task": "thumbs"}
    assert task_client.post("/v1/judgements", json=body).status_code == 201
    assert "sent by other programs" in task_client.get("/judge").text
    page = task_client.get("/judge/task", params={"name": "thumbs"}).text
    assert "POST /v1/judgements" in page
    assert (
        task_client.get("/judge/export", params={"task": "thumbs"}).text.splitlines()[1]
        == "a\tb\tshop\t0.5\t\t"
    )
