"""Judging without scripts: forms and links alone make a task, grade, take back, go on, export."""

import re
from html import unescape

import pytest

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
def judging(serving):
    with serving() as client:
        made = client.post("/judge", data=TASK)
        assert made.status_code == 303, made.text
        yield client


def fields(page):
    """The hidden fields of the form that grades."""
    form = page[page.index('action="/judge/rate"') :]
    form = form[: form.index("</form>")]
    found = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form))
    return {name: unescape(value) for name, value in found.items()}


def grade(client, value, rater="Ann", task="spring"):
    page = client.get("/judge/rate", params={"task": task, "rater": rater}).text
    given = fields(page)
    answer = client.post("/judge/rate", data={**given, "grade": value})
    assert answer.status_code == 303, answer.text
    return given


def test_a_task_pools_suggestions_and_hides_who_made_them(judging):
    page = judging.get("/judge/rate", params={"task": "spring", "rater": "Ann"}).text
    assert "0 of 6 judged" in page
    assert "web-kernel" not in page
    assert page.count('name="grade"') == 4


def test_the_order_is_shuffled_and_the_same_for_all_raters(judging, own):
    items = JudgementStore(own).items("spring")
    ranks = [item.proposals[0].rank for item in items]
    assert sorted(ranks) == [1, 1, 2, 2, 3, 3]
    assert ranks != [1, 2, 3, 1, 2, 3]
    shown = [
        judging.get("/judge/rate", params={"task": "spring", "rater": name}).text for name in ("Ann", "Ben")
    ]
    assert fields(shown[0])["candidate"] == fields(shown[1])["candidate"] == items[0].candidate


def test_measures_that_offer_the_same_are_judged_once(judging, own):
    judging.post("/judge", data={**TASK, "name": "both", "measures": ["web-kernel", "edit"]})
    items = JudgementStore(own).items("both")
    assert len({(item.query, item.candidate) for item in items}) == len(items)
    assert {proposal.measure for item in items for proposal in item.proposals} == {"web-kernel", "edit"}


def test_grades_go_on_to_the_next_until_all_are_judged(judging):
    for value in ("3", "2", "1", "0", "3", "2"):
        grade(judging, value)
    page = judging.get("/judge/rate", params={"task": "spring", "rater": "Ann"}).text
    assert "All 6 judged. Thank you" in page
    assert "6 of 6" in judging.get("/judge").text


def test_undo_brings_the_last_pair_back(judging):
    grade(judging, "3")
    second = grade(judging, "0")
    back = judging.post("/judge/undo", data={"task": "spring", "rater": "Ann"}, follow_redirects=True).text
    assert fields(back)["candidate"] == second["candidate"]
    assert "1 of 6 judged" in back


def test_a_skipped_pair_comes_back_at_the_end(judging):
    first = fields(judging.get("/judge/rate", params={"task": "spring", "rater": "Ann"}).text)
    skipped = judging.get(
        "/judge/rate", params={"task": "spring", "rater": "Ann", "after": first["after"]}
    ).text
    assert fields(skipped)["candidate"] != first["candidate"]


def test_what_is_exported_can_be_evaluated_and_trained_on(judging, tmp_path):
    for rater in ("Ann", "Ben"):
        for value in ("3", "2", "1", "0", "3", "2"):
            grade(judging, value, rater)
    for form in ("tsv", "csv", "jsonl"):
        answer = judging.get("/judge/export", params={"task": "spring", "form": form})
        assert f'filename="judgements.{form}"' in answer.headers["Content-Disposition"]
        (tmp_path / f"judged.{form}").write_text(answer.text)
        judged = read_judged_pairs(str(tmp_path / f"judged.{form}"))
        assert len(judged) == 6
        assert set(judged.queries) == {"space exploration", "java island"}


def test_agreement_appears_with_the_second_rater(judging):
    grade(judging, "3")
    assert "Appears as soon as two people" in judging.get("/judge/task", params={"name": "spring"}).text
    grade(judging, "3", "Ben")
    page = judging.get("/judge/task", params={"name": "spring"}).text
    assert "the same grade 100% of the time" in page
    assert "mean grade" in page


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": " "}, "A task needs a name"),
        ({"name": "spring"}, "There is a task &#39;spring&#39; already"),
        ({"measures": []}, "Choose at least one measure"),
        ({"measures": ["backoff"]}, "querykin build --measures backoff"),
        ({"queries": "\n".join(map(str, range(101)))}, "A task may have 100 queries, got 101"),
        ({"queries": "qwxyz"}, "no measure offers anything"),
        ({"scale": "stars"}, "Unknown scale &#39;stars&#39;"),
        ({"k": "0"}, "from 1 to 50"),
    ],
)
def test_a_task_that_cannot_be_made_is_told_and_the_form_keeps_what_was_typed(judging, change, said):
    answer = judging.post("/judge", data={**TASK, "name": "other", **change})
    assert answer.status_code in (409, 422)
    assert said in answer.text
    assert change.get("queries", "space exploration\njava island\n").splitlines()[0] in answer.text


def test_without_queries_the_most_frequent_are_taken(judging, own):
    judging.post("/judge", data={**TASK, "name": "frequent", "queries": "", "count": "5"})
    assert len({item.query for item in JudgementStore(own).items("frequent")}) <= 5


def test_what_cannot_be_graded_is_told(judging):
    given = fields(judging.get("/judge/rate", params={"task": "spring", "rater": "Ann"}).text)
    wrong = [
        ({"grade": "9"}, "3 (Excellent)"),
        ({"grade": ""}, "No grade was given"),
        ({"grade": "1", "candidate": "else"}, "does not hold"),
        ({"grade": "1", "rater": ""}, "rater needs"),
    ]
    for change, said in wrong:
        answer = judging.post("/judge/rate", data={**given, **change})
        assert answer.status_code == 422
        assert said in answer.text
    assert judging.get("/judge/task", params={"name": "winter"}).status_code == 422
    assert judging.get("/judge/export", params={"task": "spring"}).status_code == 422


def test_another_site_cannot_click_for_somebody(judging):
    given = fields(judging.get("/judge/rate", params={"task": "spring", "rater": "Ann"}).text)
    answer = judging.post(
        "/judge/rate", data={**given, "grade": "3"}, headers={"Origin": "https://evil.example"}
    )
    assert answer.status_code == 403
    assert "0 of 6" in judging.get("/judge/rate", params={"task": "spring", "rater": "Ann"}).text


def test_judgements_sent_by_programs_are_a_task_of_their_own(judging):
    body = {"query": "a", "candidate": "b", "grade": 0.5, "rater": "shop", "task": "thumbs"}
    assert judging.post("/v1/judgements", json=body).status_code == 201
    assert "sent by other programs" in judging.get("/judge").text
    page = judging.get("/judge/task", params={"name": "thumbs"}).text
    assert "POST /v1/judgements" in page
    assert judging.get("/judge/export", params={"task": "thumbs"}).text.splitlines()[1] == "a\tb\tshop\t0.5"
