"""The lock files and pyproject.toml agree; nothing is installed from elsewhere."""

import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from requirements.audit import summary
from requirements.lock import BASE, BUILD, LOCKS, NOT_LOCKED, PROJECT, requirements

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "requirements"


def pinned(lock):
    """Distribution → its requirements with hashes, of one lock file."""
    found = {}
    for block in re.sub(r"^ *#.*\n", "", (FOLDER / f"{lock}.txt").read_text(), flags=re.M).split("\n"):
        if block and not block.startswith(" "):
            requirement = Requirement(block.rstrip("\\ "))
            found.setdefault(canonicalize_name(requirement.name), []).append(requirement)
    return found


@pytest.mark.parametrize("lock", LOCKS)
def test_every_requirement_is_pinned_within_its_bounds(lock):
    found = pinned(lock)
    for wanted in map(Requirement, requirements(lock)):
        versions = [str(each.specifier).removeprefix("==") for each in found[canonicalize_name(wanted.name)]]
        assert all(wanted.specifier.contains(version, prereleases=True) for version in versions), wanted


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_has_hashes_and_no_file_names_a_host(lock):
    text = (FOLDER / f"{lock}.txt").read_text()
    blocks = re.split(r"^(?=[A-Za-z0-9])", text, flags=re.M)[1:]
    assert blocks
    assert all(re.match(r"[\w.-]+==.* \\\n    --hash=sha256:[0-9a-f]{64}", block) for block in blocks)
    assert not re.search(r"://|^ *-", text.replace("    --hash=", ""), re.M)


def test_versions_of_other_files_are_those_of_development():
    versions = {
        name: {str(each.specifier) for each in found} for name, found in pinned("development").items()
    }
    for lock in LOCKS:
        for name, found in pinned(lock).items():
            assert {str(each.specifier) for each in found} <= versions.get(
                name, {str(each.specifier) for each in found}
            ), (lock, name)


def test_every_extra_is_in_a_lock_file():
    extras = set(PROJECT["project"]["optional-dependencies"])
    assert {each for parts in LOCKS.values() for each in parts} - {BASE, BUILD} == extras - NOT_LOCKED
    assert {f"{lock}.txt" for lock in LOCKS} == {path.name for path in FOLDER.glob("*.txt")}
    of_arrow = set(PROJECT["project"]["optional-dependencies"]["arrow"])
    assert of_arrow <= set(PROJECT["project"]["optional-dependencies"]["dev"])


@pytest.mark.parametrize("path", ["Makefile", "Dockerfile", "deploy/cluster/Dockerfile"])
def test_dependencies_are_installed_with_hashes_only(path):
    text = (ROOT / path).read_text().replace("\\\n", " ").replace("$(INSTALL)", "install --require-hashes")
    installs = re.findall(r"pip (?:\S+ )*?(?:install|wheel) [^\n;&]*", text)
    assert len(installs) >= 2
    for command in installs:
        assert "--require-hashes" in command or "--no-deps" in command, command


def test_an_audit_without_answers_is_no_success():
    clean = {"name": "a", "version": "1", "vulns": []}
    vulnerability = {"id": "PYSEC-1", "aliases": ["CVE-1"], "fix_versions": ["2"]}
    skipped = {"name": "b", "skip_reason": "Dependency not found on PyPI"}
    assert summary([skipped, skipped])[0].startswith("not audited: the advisories")
    codes = [
        summary(answers)[1]
        for answers in ([clean], [clean | {"vulns": [vulnerability]}, skipped], [clean, skipped])
    ]
    assert codes == [0, 1, 2]
    assert "a 1: PYSEC-1, CVE-1; fixed in 2" in summary([clean | {"vulns": [vulnerability]}])[0]
