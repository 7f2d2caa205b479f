"""Judging in a browser: by keyboard, across reloads, by two raters at once."""

import json
from urllib.request import urlopen

import pytest

QUERIES = "space exploration\njava island\nbaseball pitcher\nvolcano\napple pie"


@pytest.fixture
def task(open_page, site, request):
    """Name of a new task with at least 20 suggestions, created through the form."""
    page, name = open_page(), request.node.name
    page.goto(site.url("/judge"))
    page.locator("details.new").evaluate("each => each.open = true")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Queries, one per line").fill(QUERIES)
    page.get_by_label("jaccard-stems").check()
    page.get_by_role("button", name="Create the task").click()
    page.get_by_label("Your name").wait_for()
    return name


def start(page, site, task, rater):
    """Open the task and start as a rater."""
    page.goto(site.url("/judge/task", name=task))
    page.get_by_label("Your name").fill(rater)
    page.get_by_role("button", name="Start or continue").click()
    page.locator("#candidate").wait_for()
    page.locator("#keys").wait_for()  # made visible by the script that handles keys


def press(page, key, done):
    """Press a key and wait until the number of judged pairs is shown."""
    page.keyboard.press(key)
    page.locator(f'#rate[data-done="{done}"]').wait_for()


def exported(site, task):
    """Exported judgements as (rater, candidate, grade)."""
    with urlopen(site.url("/judge/export", task=task, form="jsonl")) as response:
        rows = [json.loads(line) for line in response.read().decode().splitlines()]
    return [(row["rater"], row["candidate"], row["grade"]) for row in rows]


def test_twenty_suggestions_are_judged_by_keyboard(page, site, task):
    start(page, site, task, "Ann")
    given = []
    for number in range(20):
        key, grade = [("e", 3), ("g", 2), ("f", 1), ("b", 0)][number % 4]
        given.append(("Ann", page.locator("#candidate bdi").text_content(), grade))
        press(page, key, number + 1)
        assert page.locator("#candidate").evaluate("each => each === document.activeElement")
    assert exported(site, task) == given


def test_a_reload_loses_no_judgements(page, site, task):
    start(page, site, task, "Ann")
    for done in range(1, 6):
        press(page, "g", done)
    shown = page.locator("#candidate").text_content()
    page.reload()
    page.locator("#keys").wait_for()
    assert page.locator("#candidate").text_content() == shown
    assert page.locator("#rate").get_attribute("data-done") == "5"
    press(page, "b", 6)
    assert len(exported(site, task)) == 6
    start(page, site, task, "Ann")  # from the task page, under the same name
    assert page.locator("#rate").get_attribute("data-done") == "6"


def test_the_rater_name_is_remembered_in_the_browser(page, site, task):
    start(page, site, task, "Ann")
    page.goto(site.url("/judge/task", name=task))
    assert page.get_by_label("Your name").input_value() == "Ann"


def test_two_raters_judge_independently(open_page, site, task):
    ann, ben = open_page(), open_page()
    start(ann, site, task, "Ann")
    start(ben, site, task, "Ben")
    for done in range(1, 9):
        press(ann, "e", done)
        press(ben, "eb"[done % 2], done)
    grades = exported(site, task)
    assert [grade for rater, _, grade in grades if rater == "Ann"] == [3] * 8
    assert [grade for rater, _, grade in grades if rater == "Ben"] == [0, 3] * 4
    ann.goto(site.url("/judge/task", name=task))
    assert "the same grade 50% of the time" in ann.locator("main").text_content()


def test_the_progress_of_a_task_is_updated_live(open_page, site, task):
    ann, viewer = open_page(), open_page()
    viewer.goto(site.url("/judge/task", name=task))
    assert "No judgements yet" in viewer.locator("#task-progress").text_content()
    start(ann, site, task, "Ann")
    press(ann, "e", 1)
    viewer.locator("#task-progress .progress", has_text="Ann 1 of").wait_for()


def test_undo_and_skip_have_keys(page, site, task):
    start(page, site, task, "Ann")
    first = page.locator("#candidate").text_content()
    press(page, "e", 1)
    press(page, "u", 0)
    assert page.locator("#candidate").text_content() == first
    page.keyboard.press("s")
    page.locator("#candidate").filter(has_not_text=first).wait_for()
    press(page, "b", 1)
    assert exported(site, task)[0][2] == 0
    assert all(candidate not in first for _, candidate, _ in exported(site, task))


def test_a_failed_request_is_shown_and_can_be_repeated(open_page, site, task):
    page = open_page(expected_statuses=(503,))
    start(page, site, task, "Ann")
    shown = page.locator("#candidate").text_content()
    response = {"status": 503, "content_type": "application/problem+json", "body": '{"detail": "try again"}'}
    page.route("**/judge/rate", lambda route: route.fulfill(**response))
    page.keyboard.press("g")
    page.locator("#error", has_text="Not saved. try again").wait_for()
    assert page.locator("#candidate").text_content() == shown
    page.unroute("**/judge/rate")
    press(page, "g", 1)
    assert page.locator("#error").text_content() == ""
    assert len(exported(site, task)) == 1


def test_keys_can_be_disabled(page, site, task):
    start(page, site, task, "Ann")
    page.get_by_label("Grade with the keys shown").uncheck()
    page.keyboard.press("e")
    page.reload()
    page.locator("#keys").wait_for()
    assert not page.get_by_label("Grade with the keys shown").is_checked()
    page.get_by_role("button", name="Good").click()
    page.locator('#rate[data-done="1"]').wait_for()
    assert [grade for *_, grade in exported(site, task)] == [2]


def test_every_scale_has_keys_and_an_end_message(page, site):
    for scale, keys in (("1 to 5, as a next query", "51"), ("0 to 4, how closely related", "40")):
        page.goto(site.url("/judge"))
        page.locator("details.new").evaluate("each => each.open = true")
        page.get_by_label("Name").fill(scale)
        page.get_by_label("Queries, one per line").fill("space exploration")
        page.get_by_label("Suggestions of each measure").fill("2")
        page.get_by_label(scale).check()
        page.get_by_role("button", name="Create the task").click()
        page.get_by_label("Your name").fill("Ann")
        page.get_by_role("button", name="Start or continue").click()
        page.locator("#keys").wait_for()
        for done, key in enumerate(keys, start=1):
            press(page, key, done)
        assert "All 2 judged. Thank you, Ann" in page.locator("h1").text_content()
        assert [grade for *_, grade in exported(site, scale)] == [int(key) for key in keys]
