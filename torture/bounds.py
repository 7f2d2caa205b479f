"""The tests of everything compiled, with bounds checks on: an index outside of its array is an error.

Without them a compiled loop reads or writes whatever memory is there. Code is compiled into a folder of its own:
numba's cache does not tell code with the checks from code without.
"""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

from torture.figures import Figures

ROOT = Path(__file__).parent.parent
PACKAGES = (
    "clustering", "compute", "cooccurrence", "corpus", "embeddings", "evaluation", "index", "learning", "logs",
    "measures", "querylog", "retrieval", "search", "spelling", "storage", "test_vectors.py", "text", "weighting",
)  # fmt: skip
KILLED = ROOT / "tests" / "index" / "test_build_killed.py"  # minutes of kills, which are a part of their own
_SELF_TEST = """
import numpy as np
from querykin.compute.jit import njit

@njit
def beyond(values):
    return values[len(values)]

try:
    beyond(np.zeros(3))
except IndexError:
    print("checked")
"""


def run(scale: float, seed: int) -> Figures:
    """Tests with bounds checks; a scale below 1 is a share of the packages."""
    figures = Figures()
    with TemporaryDirectory(prefix="querykin-bounds-") as folder:
        environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(Path(folder, "code"))}
        if not checks_bounds(environment):
            figures.record("the switch", "wrong", "NUMBA_BOUNDSCHECK=1 does not reach compiled code")
            return figures
        report = Path(folder, "report.xml")
        tests = [str(ROOT / "tests" / name) for name in PACKAGES[: max(1, round(scale * len(PACKAGES)))]]
        command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--ignore", str(KILLED)]
        subprocess.run(
            [*command, f"--junitxml={report}", *tests],
            env=environment,
            cwd=ROOT,
            check=False,
            stdout=subprocess.DEVNULL,
        )
        for case in ElementTree.parse(report).iter("testcase"):
            name, outcome, detail = f"{case.get('classname')}::{case.get('name')}", "passed", ""
            for child in case:
                if child.tag in ("failure", "error"):
                    outcome, detail = "wrong", str(child.get("message"))[:300]
                elif child.tag == "skipped":
                    outcome = "skipped"
            figures.record(name, outcome, detail)
    return figures


def checks_bounds(environment: dict[str, str]) -> bool:
    """Whether an index outside of an array is an error in code compiled as this program's is."""
    with TemporaryDirectory() as folder:
        script = Path(folder, "beyond.py")
        script.write_text(_SELF_TEST, "utf-8")
        done = subprocess.run(
            [sys.executable, str(script)], env=environment, capture_output=True, text=True, check=True
        )
    return done.stdout.strip() == "checked"
