"""Jars of Maven Central, downloaded once into a cache."""

import os
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
MISSING = "" if shutil.which("java") and shutil.which("mvn") else "Java 17 or Maven is not installed"
_CACHE = Path(os.environ.get("QUERYKIN_TEST_CACHE", Path.home() / ".cache" / "querykin-tests"))


def jars(pom: str, name: str) -> Path:
    """The folder of the jars that a file of Maven names, downloaded if it is not there."""
    folder = _CACHE / name
    if folder.is_dir():
        return folder
    draft = folder.with_name(f".{folder.name}-{os.getpid()}")
    command = ["mvn", "-q", "-B", "-f", str(HERE / pom), "dependency:copy-dependencies"]
    subprocess.run([*command, f"-DoutputDirectory={draft}"], check=True, cwd="/")
    try:
        draft.rename(folder)
    except OSError:  # another process was faster
        shutil.rmtree(draft)
    return folder
