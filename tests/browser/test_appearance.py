"""Layout and accessibility of every page: desktop, dark mode, phone; writes screenshots for review."""

from pathlib import Path

import pytest

from accessibility import assert_accessible
from querykin.server.jobs.record import records

SCREENSHOTS = Path(__file__).parent / "screenshots"
PHONE = {
    "viewport": {"width": 360, "height": 740},
    "is_mobile": True,
    "has_touch": True,
    "device_scale_factor": 2,
}
SCREENS = {
    "light": {"viewport": {"width": 1100, "height": 850}},
    "dark": {"viewport": {"width": 1100, "height": 850}, "color_scheme": "dark"},
    "phone": PHONE,
    "phone-dark": {**PHONE, "color_scheme": "dark"},
}


def page_urls(site, keyword_list):
    """URL of every kind of page, by name."""
    runs = sorted((site.workspace / "evaluations").glob("*.json"))
    now, then = runs[-1].stem, runs[0].stem
    return {
        "start": site.url("/"),
        "suggest": site.url("/", q="space exploration"),
        "not-covered": site.url("/", q="qwxyz"),
        "problem": site.url("/", q="space", k="0"),
        "why": site.url("/why", a="space exploration", b="Rocket engine"),
        "search": site.url("/search", q="space exploration"),
        "as-typed": site.url("/", q="space exploraton", exact="true"),
        "side-by-side": site.url("/", q="space exploration", versus="edit"),
        "not-found": site.url("/nowhere"),
        "login": site.url("/login"),
        "clusters-start": site.url("/clusters"),
        "clusters": site.url("/clusters", list=keyword_list, measure="static"),
        "clusters-moving": site.url("/clusters", list=keyword_list, measure="static", moving="garden hoses"),
        "compare-start": site.url("/compare"),
        "compare-why": site.url("/compare/why", a="space exploration", b="Space travel", measure="jaccard"),
        "compare": site.url("/compare", a="space exploration", b="NASA"),
        "judge": site.url("/judge"),
        "task": site.url("/judge/task", name="spring range"),
        "rate": site.url("/judge/rate", task="spring range", rater="Cleo"),
        "revisit": site.url("/judge/rate", task="spring range", rater="Ann", item="1"),
        "mine": site.url("/judge/mine", task="spring range", rater="Ann"),
        "disagreements": site.url("/judge/disagreements", task="spring range"),
        "needs": site.url("/judge/needs", task="spring range"),
        "remove": site.url("/judge/remove", task="spring range"),
        "passages": site.url("/judge/passages", query="space exploration", candidate="NASA"),
        "jobs": site.url("/jobs"),
        "job": site.url(f"/jobs/{records(site.workspace / 'jobs')[0].id}"),
        "model": site.url("/model", name="trained"),
        "report": site.url("/report"),
        "run": site.url("/report/run", id=now),
        "report-compare": site.url("/report/compare", now=now, then=then),
        "docs": site.url("/docs"),
    }


@pytest.mark.parametrize("screen", SCREENS)
def test_every_page_fits_the_screen(open_page, judged_site, keyword_list, screen):
    page = open_page(expected_statuses=(404, 422), **SCREENS[screen])
    SCREENSHOTS.mkdir(exist_ok=True)
    for name, url in page_urls(judged_site, keyword_list).items():
        page.goto(url)
        page.screenshot(path=SCREENSHOTS / f"{name}-{screen}.png", full_page=True)
        overflow = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert overflow <= 0, f"{name} is {overflow} pixels too wide on a {screen} screen"


@pytest.mark.parametrize("screen", SCREENS)
def test_every_page_is_accessible(open_page, judged_site, keyword_list, screen):
    page = open_page(expected_statuses=(404, 422), **SCREENS[screen])
    for name, url in page_urls(judged_site, keyword_list).items():
        page.goto(url)
        assert page.locator("h1").count() == 1, name
        assert page.locator("main").count() == page.locator("nav").count() == 1, name
        page.locator("details").evaluate_all("all => all.forEach(each => each.open = true)")
        assert_accessible(page, f"{name}, {screen}")
        first = page.locator("a, button, input:not([type=hidden]), select, textarea").first
        first.focus()
        assert first.text_content() == "Skip to content", name
        assert first.bounding_box()["x"] >= 0, name
        page.keyboard.press("Enter")
        assert page.locator(":focus").get_attribute("id") == "main", name


@pytest.mark.parametrize("screen", ["light", "phone"])
def test_an_empty_workspace_shows_the_first_steps(open_page, start_service, tmp_path, screen):
    page = open_page(**SCREENS[screen])
    empty = start_service(tmp_path / "empty")
    for name in ("", "clusters", "compare", "judge", "report"):
        page.goto(empty.url(f"/{name}"))
        page.screenshot(path=SCREENSHOTS / f"empty-{name or 'suggest'}-{screen}.png", full_page=True)
        assert_accessible(page, f"empty {name}, {screen}")
        assert name in ("clusters", "compare") or "querykin" in page.locator("main code").first.text_content()
