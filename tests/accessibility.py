"""Accessibility of a page in the browser, by axe-core."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

# Rules that axe leaves out by default: targets of 24 pixels (WCAG 2.2), ids that occur once.
OPTIONS = {
    "resultTypes": ["violations"],
    "rules": {"target-size": {"enabled": True}, "duplicate-id": {"enabled": True}},
}


def assert_accessible(page: "Page", state: str = "") -> None:
    """Fail with the elements that violate a rule of axe-core (WCAG 2.2 A and AA, best practices)."""
    from axe_playwright_python.sync_playwright import Axe

    results = Axe().run(page, options=OPTIONS)
    violations = [
        f"{violation['id']}: {node['html'][:200]}\n    {node['failureSummary']}"
        for violation in results.response["violations"]
        for node in violation["nodes"]
    ]
    assert not violations, f"{state or page.url}\n" + "\n".join(violations)
