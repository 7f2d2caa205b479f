"""A large search log: adding clicks, deriving the graph and comparing texts by it: `python -m bench log [EDGES]`.

Edges are synthetic: pairs of a query and a page, nearly all different, with queries of three words and 3 to 9 clicks each. The memory is the peak of a
process that does one step only, less what the imports take; pages of mapped files that the system may drop are part of it.
"""

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import workload
from bench.result import Result

EDGES = 10_000_000
TEXTS = 2_000

# Each step runs in a process of its own.
_STEPS = """
import json, sys, time
from bench.peak_memory import peak_megabytes
from querykin import Workspace
from querykin.io.log_files import LogRecord
from querykin.measures.co_click import CoClick
step, path, count, texts = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
def query(n):
    mixed = n * 2654435761 % 4294967296
    return f"w{mixed % 997} v{mixed // 997 % 19937} {n % 100003:x}"
def records():
    queries = max(1, count // 5)
    for n in range(count):
        yield LogRecord(query(n % queries), url=f"/p/{n * 2654435761 // 1024 % max(1, count // 10)}", count=3 + n % 7)
workspace = Workspace.open(path)
before, start = peak_megabytes(), time.process_time()
if step == "add":
    workspace.log.add(records())
elif step == "see":
    assert sum(1 for _ in workspace.log.seen_queries())
elif step == "derive":
    workspace.measure("co-click")
else:
    measure = workspace.measure("co-click")
    given = [f"{query(n * 7919)} more" for n in range(texts)]
    measure.encode_queries(given[:64])
    start = time.process_time()
    rows = measure.encode_queries(given)
    assert rows.covered.any()
print(json.dumps([time.process_time() - start, peak_megabytes() - before]))
"""


def run() -> Result:
    """Seconds and memory of each step."""
    count = next((int(each) for each in sys.argv[1:] if each.isdecimal()), EDGES)
    with TemporaryDirectory() as folder:
        path = str(Path(folder) / "workspace")
        steps = {
            f"add {count:,} edges": _step("add", path, count),
            "find the queries of enough sessions": _step("see", path, count),
            "derive the graph of clicks": _step("derive", path, count),
            f"rows of {TEXTS:,} texts that are not in the log": _step("encode", path, count),
        }
        sizes = {name: _megabytes(Path(path) / name) for name in ("log", "log-graphs")}
    rows = [[name, f"{seconds:.1f}", f"{memory:,.0f}"] for name, (seconds, memory) in steps.items()]
    text = (
        f"{count:,} synthetic edges between {count // 5:,} queries and {count // 10:,} pages; {sizes['log']:,.0f} MB of counts and "
        f"{sizes['log-graphs']:,.0f} MB of graph on disk."
    )
    figures = {
        f"{name} {what}": value
        for name, found in steps.items()
        for what, value in zip(("s", "MB"), found, strict=True)
    }
    return Result("log", "A large search log", text, ["", "processor seconds", "memory, MB"], rows, figures)


def _step(name: str, path: str, count: int) -> tuple[float, float]:
    done = subprocess.run(
        [sys.executable, "-c", _STEPS, name, path, str(count), str(TEXTS)],
        capture_output=True,
        text=True,
        check=True,
        cwd=workload.ROOT,
    )
    seconds, memory = json.loads(done.stdout.splitlines()[-1])
    return seconds, memory


def _megabytes(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


if __name__ == "__main__":
    print(run().markdown())
