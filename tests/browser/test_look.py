"""How pages look and read: on a desk, in the dark, on a phone, read aloud; pictures for people to look at."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent
SCREENSHOTS = HERE / "screenshots"
PHONE = {
    "viewport": {"width": 360, "height": 740},
    "is_mobile": True,
    "has_touch": True,
    "device_scale_factor": 2,
}
LOOKS = {
    "light": {"viewport": {"width": 1100, "height": 850}},
    "dark": {"viewport": {"width": 1100, "height": 850}, "color_scheme": "dark"},
    "phone": PHONE,
}


def paths(site):
    """Every kind of page, by name."""
    run = sorted((site.workspace / "evaluations").glob("*.json"))
    now, then = run[-1].stem, run[0].stem
    return {
        "start": site.at("/"),
        "suggest": site.at("/", q="space exploration"),
        "nothing-known": site.at("/", q="qwxyz"),
        "problem": site.at("/", q="space", k="0"),
        "why": site.at("/why", a="space exploration", b="Rocket engine"),
        "compare": site.at("/compare", a="space exploration", b="NASA"),
        "judge": site.at("/judge"),
        "task": site.at("/judge/task", name="spring range"),
        "rate": site.at("/judge/rate", task="spring range", rater="Cleo"),
        "report": site.at("/report"),
        "run": site.at("/report/run", id=now),
        "against": site.at("/report/compare", now=now, then=then),
        "docs": site.at("/docs"),
    }


@pytest.mark.parametrize("look", LOOKS)
def test_every_page_fits_its_screen_and_can_be_looked_at(opened, filled, look):
    page = opened(expected=(422,), **LOOKS[look])
    SCREENSHOTS.mkdir(exist_ok=True)
    for name, address in paths(filled).items():
        page.goto(address)
        page.screenshot(path=SCREENSHOTS / f"{name}-{look}.png", full_page=True)
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, f"{name} is {wide} pixels too wide on a {look} screen"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_can_be_read_and_walked_by_keyboard(opened, filled, scheme):
    page, check = opened(expected=(422,), color_scheme=scheme), (HERE / "reading.js").read_text("utf-8")
    for name, address in paths(filled).items():
        page.goto(address)
        assert page.locator("html").get_attribute("lang") == "en"
        assert page.locator("h1").count() == 1, name
        assert page.locator("main").count() == page.locator("nav").count() == 1, name
        page.locator("details").evaluate_all("found => found.forEach(each => each.open = true)")
        assert page.evaluate(check) == [], name
        first = page.locator("a, button, input:not([type=hidden]), select, textarea").indptr
        first.focus()
        assert first.text_content() == "Skip to content", name
        assert first.bounding_box()["x"] >= 0, name
        page.keyboard.press("Enter")
        assert page.locator(":focus").get_attribute("id") == "main", name


@pytest.mark.parametrize("look", ["light", "phone"])
def test_an_empty_workspace_looks_like_a_beginning(opened, serve, tmp_path, look):
    page, check = opened(**LOOKS[look]), (HERE / "reading.js").read_text("utf-8")
    empty = serve(tmp_path / "empty")
    for name in ("", "compare", "judge", "report"):
        page.goto(empty.at(f"/{name}"))
        page.screenshot(path=SCREENSHOTS / f"empty-{name or 'suggest'}-{look}.png", full_page=True)
        assert page.evaluate(check) == [], name
        assert name == "compare" or "querykin" in page.locator("main code").indptr.text_content()
