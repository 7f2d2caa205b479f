"""Judging in a browser: by keyboard, through reloads, by two people at once."""

import json
from urllib.request import urlopen

import pytest

QUERIES = "space exploration\njava island\nbaseball pitcher\nvolcano\napple pie"


@pytest.fixture
def task(opened, site, request):
    """A new task of at least 20 suggestions, made through the form."""
    page, name = opened(), request.node.name
    page.goto(site.at("/judge"))
    page.locator("details.new").evaluate("each => each.open = true")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Queries, one a line").fill(QUERIES)
    page.get_by_label("jaccard-stems").check()
    page.get_by_role("button", name="Make the task").click()
    page.get_by_label("Your name").wait_for()
    return name


def begin(page, site, task, rater):
    """Open the task and start under a name."""
    page.goto(site.at("/judge/task", name=task))
    page.get_by_label("Your name").fill(rater)
    page.get_by_role("button", name="Start or go on").click()
    page.locator("#candidate").wait_for()
    page.locator("#keys").wait_for()  # shown by the script that listens to keys


def press(page, key, done):
    """Press a key and wait until so many are judged."""
    page.keyboard.press(key)
    page.locator(f'#rate[data-done="{done}"]').wait_for()


def kept(site, task):
    """What the service exports, as (rater, candidate, grade)."""
    with urlopen(site.at("/judge/export", task=task, form="jsonl")) as answer:
        rows = [json.loads(line) for line in answer.read().decode().splitlines()]
    return [(row["rater"], row["candidate"], row["grade"]) for row in rows]


def test_twenty_suggestions_are_judged_by_keyboard_alone(page, site, task):
    begin(page, site, task, "Ann")
    given = []
    for number in range(20):
        key, grade = [("e", 3), ("g", 2), ("f", 1), ("b", 0)][number % 4]
        given.append(("Ann", page.locator("#candidate bdi").text_content(), grade))
        press(page, key, number + 1)
        assert page.locator("#candidate").evaluate("each => each === document.activeElement")
    assert kept(site, task) == given


def test_a_reload_in_the_middle_loses_nothing(page, site, task):
    begin(page, site, task, "Ann")
    for done in range(1, 6):
        press(page, "g", done)
    coming = page.locator("#candidate").text_content()
    page.reload()
    page.locator("#keys").wait_for()
    assert page.locator("#candidate").text_content() == coming
    assert page.locator("#rate").get_attribute("data-done") == "5"
    press(page, "b", 6)
    assert len(kept(site, task)) == 6
    begin(page, site, task, "Ann")  # from the start page, under the same name
    assert page.locator("#rate").get_attribute("data-done") == "6"


def test_the_name_is_remembered_on_this_machine(page, site, task):
    begin(page, site, task, "Ann")
    page.goto(site.at("/judge/task", name=task))
    assert page.get_by_label("Your name").input_value() == "Ann"


def test_two_raters_at_once_do_not_disturb_each_other(opened, site, task):
    ann, ben = opened(), opened()
    begin(ann, site, task, "Ann")
    begin(ben, site, task, "Ben")
    for done in range(1, 9):
        press(ann, "e", done)
        press(ben, "eb"[done % 2], done)
    grades = kept(site, task)
    assert [grade for rater, _, grade in grades if rater == "Ann"] == [3] * 8
    assert [grade for rater, _, grade in grades if rater == "Ben"] == [0, 3] * 4
    ann.goto(site.at("/judge/task", name=task))
    assert "the same grade 50% of the time" in ann.locator("main").text_content()


def test_the_standing_of_a_task_is_live(opened, site, task):
    ann, watching = opened(), opened()
    watching.goto(site.at("/judge/task", name=task))
    assert "Nobody has begun" in watching.locator("#standing").text_content()
    begin(ann, site, task, "Ann")
    press(ann, "e", 1)
    watching.locator("#standing .progress", has_text="Ann 1 of").wait_for()


def test_undo_and_skip_have_keys_too(page, site, task):
    begin(page, site, task, "Ann")
    first = page.locator("#candidate").text_content()
    press(page, "e", 1)
    press(page, "u", 0)
    assert page.locator("#candidate").text_content() == first
    page.keyboard.press("s")
    page.locator("#candidate").filter(has_not_text=first).wait_for()
    press(page, "b", 1)
    assert kept(site, task)[0][2] == 0
    assert all(candidate not in first for _, candidate, _ in kept(site, task))


def test_a_grade_that_could_not_be_sent_is_told_and_can_be_given_again(opened, site, task):
    page = opened(expected=(503,))
    begin(page, site, task, "Ann")
    shown = page.locator("#candidate").text_content()
    answer = {"status": 503, "content_type": "application/problem+json", "body": '{"detail": "try again"}'}
    page.route("**/judge/rate", lambda route: route.fulfill(**answer))
    page.keyboard.press("g")
    page.locator("#trouble", has_text="Not kept. try again").wait_for()
    assert page.locator("#candidate").text_content() == shown
    page.unroute("**/judge/rate")
    press(page, "g", 1)
    assert page.locator("#trouble").text_content() == ""
    assert len(kept(site, task)) == 1


def test_keys_can_be_turned_off(page, site, task):
    begin(page, site, task, "Ann")
    page.get_by_label("Grade with the keys shown").uncheck()
    page.keyboard.press("e")
    page.reload()
    page.locator("#keys").wait_for()
    assert not page.get_by_label("Grade with the keys shown").is_checked()
    page.get_by_role("button", name="Good").click()
    page.locator('#rate[data-done="1"]').wait_for()
    assert [grade for *_, grade in kept(site, task)] == [2]


def test_all_scales_can_be_used_and_the_end_is_told(page, site):
    for scale, keys in (("1 to 5, as a next query", "51"), ("0 to 4, how closely related", "40")):
        page.goto(site.at("/judge"))
        page.locator("details.new").evaluate("each => each.open = true")
        page.get_by_label("Name").fill(scale)
        page.get_by_label("Queries, one a line").fill("space exploration")
        page.get_by_label("Suggestions of each measure").fill("2")
        page.get_by_label(scale).check()
        page.get_by_role("button", name="Make the task").click()
        page.get_by_label("Your name").fill("Ann")
        page.get_by_role("button", name="Start or go on").click()
        page.locator("#keys").wait_for()
        for done, key in enumerate(keys, start=1):
            press(page, key, done)
        assert "All 2 judged. Thank you, Ann" in page.locator("h1").text_content()
        assert [grade for *_, grade in kept(site, scale)] == [int(key) for key in keys]
