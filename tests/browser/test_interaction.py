"""Suggestions while typing, explanations, copy and export; hostile texts are escaped."""

import json

from odd_inputs import IMAGE, SCRIPT


def test_suggestions_appear_while_typing_and_are_explained(page, site):
    page.goto(site.url("/"))
    page.locator("#q").press_sequentially("space explor", delay=20)
    page.locator(".suggestions li").first.wait_for()
    assert "related queries by hybrid" in page.locator("#status").text_content()
    assert "q=space+explor" in page.url
    page.locator("#q").fill("java island")
    page.locator(".suggestions a.query", has_text="Bali").wait_for()
    why = page.locator("a.why").first
    why.click()
    page.locator(".suggestions .terms").wait_for()
    assert page.locator(".suggestions mark").count() > 0
    assert (
        page.locator(".suggestions figcaption a")
        .first.get_attribute("href")
        .startswith("https://example.org/")
    )
    assert why.get_attribute("aria-expanded") == "true"
    why.click()
    page.locator(".suggestions .terms").wait_for(state="hidden")
    assert why.get_attribute("aria-expanded") == "false"


def test_form_controls_update_the_results(page, site):
    page.goto(site.url("/", q="java island"))
    page.locator("#k").fill("2")
    page.locator("#results:has(li:nth-child(2)):not(:has(li:nth-child(3)))").wait_for()
    page.locator("#measure").select_option("edit")
    page.locator("#status", has_text="by edit").wait_for()
    page.locator("#threshold").fill("0.99")
    page.locator("#status", has_text="No query is close enough").wait_for()
    page.reload()
    assert page.locator("#k").input_value() == "2"
    assert page.locator("#measure").input_value() == "edit"
    assert page.locator("#threshold").input_value() == "0.99"


def test_suggestions_are_copied_and_exported(open_page, site):
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(site.url("/", q="space exploration", k="3"))
    shown = page.locator(".suggestions .query").all_text_contents()
    page.locator("#copy").click()
    page.locator("#status", has_text="3 queries copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").split("\n") == shown
    with page.expect_download() as download:
        page.get_by_role("link", name="Export JSON").click()
    (exported,) = json.loads(download.value.path().read_text("utf-8"))
    assert [each["query"] for each in exported["suggestions"]] == shown


def test_a_failed_request_is_shown(open_page, site):
    page = open_page(expected_statuses=(429,))
    page.goto(site.url("/"))
    response = {
        "status": 429,
        "content_type": "application/problem+json",
        "body": '{"detail": "too many requests"}',
    }
    page.route("**/?q=*", lambda route: route.fulfill(**response))
    page.locator("#q").fill("space")
    page.locator(".problem", has_text="too many requests").wait_for()


def test_scripts_in_queries_documents_titles_and_urls_are_escaped(open_page, site):
    page = open_page(expected_statuses=(404, 422))
    hostile = f"volcano {SCRIPT} {IMAGE}"
    for url in (
        site.url("/", q=hostile),
        site.url("/", q="volcano island"),
        site.url("/", q="volcano", measure=SCRIPT),
        site.url("/why", a="volcano", b=f"volcanoes of Indonesia {SCRIPT}"),
        site.url("/compare", a="volcano island", b=f"volcano {IMAGE}"),
        site.url("/judge/task", name=SCRIPT),
        site.url("/judge/rate", task=SCRIPT, rater=IMAGE),
        site.url("/report/run", id=SCRIPT),
        site.url("/clusters", list=SCRIPT, find=IMAGE),
        site.url("/model", name=SCRIPT),
    ):
        page.goto(url)
        page.wait_for_load_state("networkidle")
        assert "taken" not in page.title() or "<" in page.title()
        assert page.locator("main script, main img").count() == 0
        assert page.locator("a[href^='javascript' i]").count() == 0
    page.goto(site.url("/", q="volcano"))
    assert IMAGE in page.locator(".suggestions").text_content()
    page.locator("li", has_text=IMAGE).locator("a.why").click()
    page.locator(".explained blockquote", has_text=SCRIPT).first.wait_for()
    assert page.locator("main script, main img").count() == 0
    assert "javascript:" in page.locator(".explained").text_content()


def test_pages_work_without_scripts(open_page, judged_site):
    page = open_page(java_script_enabled=False)
    page.goto(judged_site.url("/"))
    page.locator("#q").fill("space exploration")
    page.get_by_role("button", name="Suggest").click()
    assert page.locator(".suggestions li").count() > 3
    assert page.locator("#copy").is_hidden()
    page.locator("a.why").first.click()
    assert "share" in page.locator("#why").text_content()
    page.get_by_role("link", name="Compare", exact=True).click()
    page.get_by_label("First text").fill("java")
    page.get_by_label("Second text").fill("bali")
    page.get_by_role("button", name="Compare").click()
    assert page.locator(".comparison tr[data-row]").count() > 3
    page.get_by_role("link", name="Score").click()
    assert page.locator("th[aria-sort=descending]").inner_text() == "Score"
    page.get_by_role("link", name="by edit").click()
    assert "share" in page.locator("#why").text_content()
    page.get_by_role("link", name="Judge", exact=True).click()
    page.get_by_role("link", name="spring range").click()
    page.get_by_label("Your name").fill("Dora")
    page.get_by_role("button", name="Start or continue").click()
    page.get_by_role("button", name="Good").click()
    page.get_by_role("button", name="Bad").click()
    assert "2 of" in page.locator(".progress").text_content()
    page.get_by_role("button", name="Undo").click()
    assert "1 of" in page.locator(".progress").text_content()
    page.get_by_role("link", name="Report", exact=True).click()
    page.locator(".runs a").first.click()
    assert page.locator(".report svg").count() > 2


def test_filter_and_minimum_count_update_the_results(page, site):
    page.goto(site.url("/", q="space exploration"))
    page.locator("#filter").select_option("none")
    page.locator(".suggestions a.query", has_text="Space exploration").wait_for()
    page.locator("#min_count").fill("6")  # more than the count of that query
    page.wait_for_url("**min_count=6*")
    assert page.locator(".suggestions a.query", has_text="Space exploration").count() == 0
    page.reload()
    assert page.locator("#filter").input_value() == "none"
    assert page.locator("#min_count").input_value() == "6"


def test_a_minimum_probability_shortens_the_list(page, site):
    page.goto(site.url("/", q="space exploration"))
    shown = page.locator(".suggestions .likely")
    likely = [text for text in shown.all_text_contents() if int(text.split("%")[0]) > 50]
    assert 0 < len(likely) < shown.count()
    page.get_by_label("Minimum probability").fill("0.505")
    page.wait_for_url("**min_probability=0.505*")
    assert shown.all_text_contents() == likely


def test_documents_are_found_without_scripts(open_page, site):
    page = open_page(java_script_enabled=False)
    page.goto(site.url("/"))
    page.get_by_role("navigation").get_by_role("link", name="Search").click()
    page.locator("#q").fill("space exploration")
    page.locator("#q").press("Enter")
    page.locator(".documents li").first.wait_for()
    assert page.locator(".documents mark").count() > 0
    assert "q=space+exploration" in page.url
