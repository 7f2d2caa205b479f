"""Write the lock files of this folder: `make lock`, or `make lock LOCK=--upgrade` for the newest versions.

Each file pins all that pip installs for its purpose, with the hashes of the files for every platform and every Python
that the project supports. Versions are those of `development.txt` wherever both name a distribution. Needs uv, which
`audit.txt` pins.
"""

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
PROJECT: dict[str, Any] = tomllib.loads((FOLDER.parent / "pyproject.toml").read_text("utf-8"))

BUILD = "the build backend"
BASE = "the project's own dependencies"
# What is installed by each file: extras, and the two above. `development` comes first: the others follow its versions.
LOCKS = {
    "development": (BUILD, BASE, "demo", "dev", "dense", "server", "web"),
    "image": (BASE, "server", "dense"),
    "build": (BUILD,),
    "cluster": ("spark", "opensearch", "objects"),
    "browser": ("browser",),
    "docs": ("docs",),
    "reproduce": ("reproduce",),
    "bench": ("bench",),
    "audit": ("audit",),
}
# torch is gigabytes, different for every kind of processor; arrow is in dev.
NOT_LOCKED = {"sentence-transformers", "arrow"}


def requirements(lock: str) -> list[str]:
    """What pyproject.toml asks for in the environment of a lock file."""
    given = {BUILD: PROJECT["build-system"]["requires"], BASE: PROJECT["project"]["dependencies"]}
    given |= PROJECT["project"]["optional-dependencies"]
    return [requirement for each in LOCKS[lock] for requirement in given[each]]


def main() -> None:
    """Resolve each file; what it already pins is kept unless it no longer satisfies pyproject.toml."""
    python = PROJECT["project"]["requires-python"].removeprefix(">=")
    for lock in LOCKS:
        command = [
            sys.executable,
            "-m",
            "uv",
            "pip",
            "compile",
            "--quiet",
            "--universal",
            "--generate-hashes",
        ]
        command += ["--python-version", python, "--no-emit-index-url", "--no-emit-find-links"]
        command += ["--custom-compile-command", "make lock", "--output-file", f"{lock}.txt", *sys.argv[1:]]
        if lock != "development":
            command += ["--constraints", "development.txt"]
        subprocess.run(
            [*command, "-"], cwd=FOLDER, check=True, text=True, input="\n".join(requirements(lock))
        )


if __name__ == "__main__":
    main()
