"""Ask for known vulnerabilities of everything that the lock files pin: `make audit`.

pip-audit asks the package index for each version. It takes a version that the index knows nothing of as audited, and
so reports success without an answer, for example behind a mirror; here that is a failure of its own.
"""

import json
import re
import subprocess
import sys
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

PIN = re.compile(r"^([A-Za-z0-9][\w.-]*)==([^\s;\\]+)", re.M)


def pins(folder: Path) -> dict[str, list[str]]:
    """Distribution → versions in any lock file; more than one where they depend on the version of Python."""
    found: dict[str, set[str]] = {}
    for path in sorted(folder.glob("*.txt")):
        for name, version in PIN.findall(path.read_text("utf-8")):
            found.setdefault(name, set()).add(version)
    return {name: sorted(versions) for name, versions in sorted(found.items())}


def summary(answers: list[dict[str, Any]]) -> tuple[str, int]:
    """What pip-audit's answers come to, and the exit code: 1 for a vulnerability, 2 if anything was not audited.

    >>> summary([{"name": "a", "version": "1", "vulns": []}])
    ('distributions audited: 1; known vulnerabilities: 0', 0)
    >>> summary([{"name": "a", "skip_reason": "Dependency not found"}])[1]
    2
    """
    skipped = [each["name"] for each in answers if "skip_reason" in each]
    if len(skipped) == len(answers):
        return (
            "not audited: the advisories of the package index are not reachable from here (mirrors lack them)",
            2,
        )
    vulnerable = [
        f"{each['name']} {each['version']}: {', '.join([found['id'], *found['aliases']])}; "
        f"fixed in {', '.join(found['fix_versions']) or 'no version'}"
        for each in answers
        for found in each.get("vulns", [])
    ]
    unknown = [f"not audited, unknown to the package index: {', '.join(skipped)}"] if skipped else []
    total = f"distributions audited: {len(answers) - len(skipped)}; known vulnerabilities: {len(vulnerable)}"
    return "\n".join([*vulnerable, *unknown, total]), 1 if vulnerable else 2 if skipped else 0


def main() -> int:
    """Audit each version once; pip-audit refuses two versions of a distribution in one run."""
    answers: list[dict[str, Any]] = []
    versions = pins(Path(__file__).parent)
    for column in zip_longest(*versions.values()):
        with TemporaryDirectory() as folder:
            pinned = Path(folder) / "pinned.txt"
            lines = [
                f"{name}=={version}\n" for name, version in zip(versions, column, strict=True) if version
            ]
            pinned.write_text("".join(lines), "utf-8")
            command = [sys.executable, "-m", "pip_audit", "--format", "json", "--progress-spinner", "off"]
            command += ["--disable-pip", "--no-deps", "--requirement", str(pinned)]
            done = subprocess.run(command, capture_output=True, text=True)
        if not done.stdout:  # no connection at all
            print(f"not audited: {done.stderr.strip().splitlines()[-1]}")
            return 2
        answers += json.loads(done.stdout)["dependencies"]
    message, code = summary(answers)
    print(message)
    return code


if __name__ == "__main__":
    sys.exit(main())
