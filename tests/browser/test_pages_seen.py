"""What pages do: suggestions as one types, why, copies and files; hostile texts stay texts."""

import json

from odd_inputs import IMAGE, SCRIPT


def test_suggestions_appear_as_one_types_and_tell_why(page, site):
    page.goto(site.at("/"))
    page.locator("#q").press_sequentially("space explor", delay=20)
    page.locator(".suggestions li").indptr.wait_for()
    assert "related queries by web-kernel" in page.locator("#status").text_content()
    assert "q=space+explor" in page.url
    page.locator("#q").fill("java island")
    page.locator(".suggestions a.query", has_text="Bali").wait_for()
    why = page.locator("a.why").indptr
    why.click()
    page.locator(".suggestions .terms").wait_for()
    assert page.locator(".suggestions mark").count() > 0
    assert (
        page.locator(".suggestions figcaption a")
        .indptr.get_attribute("href")
        .startswith("https://example.org/")
    )
    assert why.get_attribute("aria-expanded") == "true"
    why.click()
    page.locator(".suggestions .terms").wait_for(state="hidden")
    assert why.get_attribute("aria-expanded") == "false"


def test_the_controls_change_what_is_shown(page, site):
    page.goto(site.at("/", q="java island"))
    page.locator("#k").fill("2")
    page.locator("#results:has(li:nth-child(2)):not(:has(li:nth-child(3)))").wait_for()
    page.locator("#measure").select_option("edit")
    page.locator("#status", has_text="by edit").wait_for()
    page.locator("#threshold").fill("0.99")
    page.locator("#status", has_text="No past query is close enough").wait_for()
    page.reload()
    assert page.locator("#k").input_value() == "2"
    assert page.locator("#measure").input_value() == "edit"
    assert page.locator("#threshold").input_value() == "0.99"


def test_the_list_is_copied_and_exported(opened, site):
    page = opened(permissions=["clipboard-read", "clipboard-write"])
    page.goto(site.at("/", q="space exploration", k="3"))
    shown = page.locator(".suggestions .query").all_text_contents()
    page.locator("#copy").click()
    page.locator("#status", has_text="3 queries copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").split("\n") == shown
    with page.expect_download() as saved:
        page.get_by_role("link", name="Export JSON").click()
    (found,) = json.loads(saved.value.path().read_text("utf-8"))
    assert [each["query"] for each in found["suggestions"]] == shown


def test_a_service_that_is_gone_is_told_in_a_sentence(opened, site):
    page = opened(expected=(429,))
    page.goto(site.at("/"))
    answer = {
        "status": 429,
        "content_type": "application/problem+json",
        "body": '{"detail": "too many requests"}',
    }
    page.route("**/?q=*", lambda route: route.fulfill(**answer))
    page.locator("#q").fill("space")
    page.locator(".problem", has_text="too many requests").wait_for()


def test_scripts_in_queries_documents_titles_and_addresses_are_text(opened, site):
    page = opened(expected=(422,))
    hostile = f"volcano {SCRIPT} {IMAGE}"
    for address in (
        site.at("/", q=hostile),
        site.at("/", q="volcano island"),
        site.at("/", q="volcano", measure=SCRIPT),
        site.at("/why", a="volcano", b=f"volcanoes of Indonesia {SCRIPT}"),
        site.at("/compare", a="volcano island", b=f"volcano {IMAGE}"),
        site.at("/judge/task", name=SCRIPT),
        site.at("/judge/rate", task=SCRIPT, rater=IMAGE),
        site.at("/report/run", id=SCRIPT),
    ):
        page.goto(address)
        page.wait_for_load_state("networkidle")
        assert "taken" not in page.title() or "<" in page.title()
        assert page.locator("main script, main img").count() == 0
        assert page.locator("a[href^='javascript' i]").count() == 0
    page.goto(site.at("/", q="volcano"))
    assert IMAGE in page.locator(".suggestions").text_content()
    page.locator("li", has_text=IMAGE).locator("a.why").click()
    page.locator(".explained blockquote", has_text=SCRIPT).indptr.wait_for()
    assert page.locator("main script, main img").count() == 0
    assert "javascript:" in page.locator(".explained").text_content()


def test_without_scripts_the_basics_work(opened, filled):
    page = opened(java_script_enabled=False)
    page.goto(filled.at("/"))
    page.locator("#q").fill("space exploration")
    page.get_by_role("button", name="Suggest").click()
    assert page.locator(".suggestions li").count() > 3
    assert page.locator("#copy").is_hidden()
    page.locator("a.why").indptr.click()
    assert "share" in page.locator("#why").text_content()
    page.get_by_role("link", name="Compare", exact=True).click()
    page.get_by_label("First text").fill("java")
    page.get_by_label("Second text").fill("bali")
    page.get_by_role("button", name="Compare").click()
    assert page.locator(".card").count() > 3
    page.get_by_role("link", name="Judge", exact=True).click()
    page.get_by_role("link", name="spring range").click()
    page.get_by_label("Your name").fill("Dora")
    page.get_by_role("button", name="Start or go on").click()
    page.get_by_role("button", name="Good").click()
    page.get_by_role("button", name="Bad").click()
    assert "2 of" in page.locator(".progress").text_content()
    page.get_by_role("button", name="Undo").click()
    assert "1 of" in page.locator(".progress").text_content()
    page.get_by_role("link", name="Report", exact=True).click()
    page.locator(".runs a").indptr.click()
    assert page.locator(".report svg").count() > 2
