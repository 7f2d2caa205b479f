"""The Java runtime that Spark is started with."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from querykin.errors import QuerykinError

OLDEST = 17
_NEXT = (
    "next: apt install openjdk-17-jre-headless, or brew install openjdk@17; "
    "JAVA_HOME chooses among several installations"
)


class MissingJava(QuerykinError):
    """Java is not installed, or too old for Spark 4."""


def check_java() -> None:
    """Raise an error unless a Java runtime that Spark 4 can use is found where Spark looks for it."""
    home = os.environ.get("JAVA_HOME")
    program = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if program is None or not Path(program).exists():
        raise MissingJava(f"Spark needs Java {OLDEST} or newer, found none{_in(home)}; {_NEXT}")
    answer = subprocess.run([program, "-version"], capture_output=True, text=True, check=False)
    version = java_version(answer.stderr)
    if version < OLDEST:
        raise MissingJava(f"Spark needs Java {OLDEST} or newer, got {version} from {program}; {_NEXT}")


def _in(home: str | None) -> str:
    return f" in JAVA_HOME={home}" if home else ""


def java_version(answer: str) -> int:
    """The major version in the answer of `java -version`; 0 if there is none.

    >>> java_version('openjdk version "17.0.15" 2025-04-15'), java_version('java version "1.8.0_292"')
    (17, 8)
    """
    found = re.search(r'version "(?:1\.)?(\d+)', answer)
    return int(found[1]) if found else 0
