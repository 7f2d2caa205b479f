"""Everything that the lock files pin has a license that allows its use, and stands in the committed list."""

from importlib.metadata import PackageNotFoundError, distribution

import pytest
from requirements.licenses import EXCEPTIONS, PAGE, is_allowed, pinned, stated_license


@pytest.fixture(scope="module")
def listed():
    """Distribution → license, of the page."""
    rows = [line.split(" | ") for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| ")]
    return {row[0].removeprefix("| "): row[1] for row in rows[1:]}


def test_the_list_has_all_that_is_pinned(listed):
    assert list(listed) == list(pinned()), "next: make licenses"


def test_all_licenses_of_the_list_are_allowed(listed):
    assert [name for name, license in listed.items() if not is_allowed(name, license)] == []
    assert set(EXCEPTIONS) <= set(listed)


def test_what_is_installed_has_the_license_of_the_list(listed):
    found = {}
    for name in listed:
        try:
            found[name] = stated_license(distribution(name))
        except PackageNotFoundError:
            continue  # of a lock file that is installed on demand
    assert len(found) > 100
    assert found == {name: listed[name] for name in found}, "next: make licenses"


@pytest.mark.parametrize("license", ["GPL-3.0-only", "not stated", "MIT AND GPL-3.0-only", "Proprietary"])
def test_other_licenses_are_refused(license):
    assert not is_allowed("numpy", license)
