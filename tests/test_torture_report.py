"""The page on reliability shows the figures of the committed results, failures included."""

import json

import pytest
from torture.__main__ import RESULTS
from torture.bounds import PACKAGES
from torture.report import PAGE, table, with_table


def test_the_page_has_the_figures_of_the_committed_results():
    page = PAGE.read_text("utf-8")
    assert with_table(page, table(RESULTS)) == page, "next: python -m torture.report"


def test_failures_have_a_column_of_their_own(tmp_path):
    outcomes = {"after": 1200, "before": 30, "lost": 2}
    found = {
        "attempts": 1232,
        "outcomes": outcomes,
        "failures": ["a", "b"],
        "seconds": 600,
        "processor_seconds": 900,
        "scale": 0.5,
        "seed": 0,
    }
    (tmp_path / "kills.json").write_text(json.dumps(found))
    row, total = table(tmp_path).splitlines()[-2:]
    assert row == "| `kills` | 0.5 | 1,232 | 1,200 after, 30 before | 2 lost | 10 | 15 |"
    assert total == "| all | | 1,232 | | | 10 | 15 |"
    (tmp_path / "kills.json").write_text(json.dumps({**found, "outcomes": {"after": 1232}}))
    assert table(tmp_path).splitlines()[-2] == "| `kills` | 0.5 | 1,232 | 1,232 after | 0 | 10 | 15 |"


def test_a_page_without_marks_is_not_overwritten():
    with pytest.raises(ValueError, match="the page has no"):
        with_table("text", "table")


def test_bounds_are_checked_in_every_package_with_kernels():
    source = PAGE.parents[2] / "src" / "querykin"
    files = (path for path in source.rglob("*.py") if "@njit" in path.read_text("utf-8"))
    compiled = {path.relative_to(source).parts[0].removesuffix(".py") for path in files}
    assert compiled <= {name.removeprefix("test_").removesuffix(".py") for name in PACKAGES}
