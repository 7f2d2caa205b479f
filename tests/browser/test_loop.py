"""The whole loop in a browser: judge, evaluate, train, suggest with the new measure."""

import re

import pytest

from querykin.server.judgement_store import JudgementStore

QUERIES = "space exploration\tnews of missions\njava island\nbaseball pitcher\nvolcano\napple pie"


@pytest.fixture
def task(open_page, site, request):
    """Name of a new task, created through the form."""
    page, name = open_page(), request.node.name.removeprefix("test_")
    page.goto(site.url("/judge"))
    page.locator("details.new").evaluate("each => each.open = true")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Queries, one per line").fill(QUERIES)
    page.get_by_label("jaccard-stems").check()
    page.get_by_role("button", name="Create the task").click()
    page.get_by_label("Your name").wait_for()
    return name


@pytest.fixture
def judged_task(site, task):
    """A task that Ann and Ben have judged."""
    store = JudgementStore(site.workspace)
    for number, item in enumerate(store.items(task)):
        store.record(item.query, item.candidate, number % 4, "Ann", task)
        store.record(item.query, item.candidate, (number + number % 2) % 4, "Ben", task)
    store.close()
    return task


def start_judging(page, site, task, rater):
    page.goto(site.url("/judge/task", name=task))
    page.get_by_label("Your name").fill(rater)
    page.get_by_role("button", name="Start or continue").click()
    page.locator("#keys").wait_for()


def press(page, key, done):
    page.keyboard.press(key)
    page.locator(f'#rate[data-done="{done}"]').wait_for()


def test_a_query_is_judged_with_need_note_and_passages_by_keyboard(page, site, task):
    start_judging(page, site, task, "Ann")
    assert "news of missions" in page.locator(".need").text_content()
    page.keyboard.press("p")
    page.locator("#passages mark").first.wait_for()
    page.keyboard.press("p")
    page.locator("#passages").wait_for(state="detached")
    page.keyboard.press("n")
    page.keyboard.type("good enough")  # typed, although G and E are keys of grades
    page.keyboard.press("Enter")
    assert page.locator("#rate").get_attribute("data-done") == "0"
    press(page, "g", 1)
    assert page.locator("#note").input_value() == ""
    press(page, "c", 2)
    assert "left out" in page.locator(".after").text_content()
    store = JudgementStore(site.workspace)
    assert [(each.grade, each.note) for each in store.judgements(task)] == [(2, "good enough"), (None, "")]
    store.close()


def test_past_grades_and_disagreements_are_revisited(page, site, judged_task):
    page.goto(site.url("/judge/task", name=judged_task))
    page.get_by_role("link", name="Judgements of Ann").click()
    row = page.locator("tbody tr").last
    candidate = row.locator("th").text_content()
    assert "Bad" in row.text_content()
    row.get_by_role("link", name="change it").click()
    page.locator("#keys").wait_for()
    assert candidate in page.locator("#candidate").text_content()
    page.keyboard.press("e")
    page.wait_for_url("**/judge/mine**")
    assert candidate in page.locator("tbody tr").first.text_content()
    assert "Excellent" in page.locator("tbody tr").first.text_content()
    page.goto(site.url("/judge/task", name=judged_task))
    page.get_by_role("link", name=re.compile("disagreements?$")).click()
    first = page.locator("tbody tr").first
    differences = [float(each) for each in page.locator("tbody td:last-child").all_text_contents()]
    assert differences == sorted(differences, reverse=True)
    first.get_by_role("link", name="Ben").click()
    page.get_by_role("button", name="Fair").click()
    page.wait_for_url("**/judge/mine**")


def test_a_task_is_renamed_and_removed(page, site, judged_task):
    page.goto(site.url("/judge/task", name=judged_task))
    page.get_by_text("Information needs, rename, remove").click()
    page.get_by_role("link", name="Information needs of the queries").click()
    page.get_by_label("volcano").fill("which one erupts now")
    page.keyboard.press("Enter")
    page.get_by_text("Information needs, rename, remove").click()
    page.get_by_label("New name").fill("autumn")
    page.get_by_role("button", name="Rename").click()
    page.locator("h1", has_text="autumn").wait_for()
    page.get_by_text("Information needs, rename, remove").click()
    page.get_by_role("link", name="Remove the task").click()
    button = page.get_by_role("button", name=re.compile(r"Remove the task and \d+ judgements"))
    button.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/judge")
    assert page.get_by_role("link", name="autumn").count() == 0


def test_the_loop_from_judgements_to_suggestions_by_a_trained_measure(page, site, judged_task):
    page.goto(site.url("/judge/task", name=judged_task))
    page.get_by_role("button", name="Evaluate").click()
    page.locator("#job").wait_for()
    page.wait_for_url("**/report/run**")
    assert re.match("Not told apart|.* is best", page.locator(".verdict").text_content())
    page.get_by_text("All columns").click()
    page.locator(".report a[href*='compare']").first.click()
    page.wait_for_url("**/compare**")
    page.goto(site.url("/judge/task", name=judged_task))
    page.get_by_label("Name of the new measure").fill("mine")
    page.keyboard.press("Enter")
    page.wait_for_url("**/model**")
    assert "held-out queries" in page.locator("main").text_content()
    page.get_by_role("link", name="Suggest with mine").click()
    page.locator("#q").fill("space exploration")
    page.keyboard.press("Enter")
    page.locator("#status", has_text="by mine").wait_for()
    assert page.locator(".suggestions li").count() > 0
    page.goto(site.url("/judge/task", name=judged_task))
    page.locator("form[action$=evaluate]").get_by_text("More measures").click()
    page.locator("form[action$=evaluate]").get_by_label("mine", exact=True).check()
    page.get_by_role("button", name="Evaluate").click()
    page.wait_for_url("**/report/run**")
    page.get_by_role("link", name="Better than before?").click()
    page.locator("table.figures", has_text="hybrid").wait_for()


def test_a_job_is_cancelled_by_keyboard_and_run_again(page, site, judged_task):
    page.goto(site.url("/judge/task", name=judged_task))
    page.get_by_role("button", name="Evaluate").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Cancel").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Run again").wait_for()
    assert "Cancelled" in page.locator("main").text_content()
    page.get_by_role("button", name="Run again").click()
    page.wait_for_url("**/report/run**")
    page.goto(site.url("/jobs"))
    states = page.locator("tbody td:last-child").all_text_contents()
    assert states[:2] == ["done", "cancelled"]


def test_the_loop_works_without_scripts(open_page, site, judged_task):
    page = open_page(java_script_enabled=False)
    page.goto(site.url("/judge/task", name=judged_task))
    page.get_by_role("button", name="Evaluate").click()
    page.wait_for_url("**/report/run**")
    page.goto(site.url("/judge/rate", task=judged_task, rater="Cleo"))
    page.get_by_label("Note, saved with the grade").fill("slow but sure")
    page.get_by_role("button", name="Cannot judge").click()
    page.get_by_role("link", name="my judgements").click()
    assert "slow but sure" in page.locator("tbody").text_content()
