"""Size of an index, time to open it, and memory of a serving process: `python -m bench.size`."""

import json
import subprocess
import sys
import time
from pathlib import Path

from bench import workload
from bench.result import Result
from bench.timing import seconds
from querykin.index.index import Index

# Runs in a separate process, so that memory of other code does not count. Queries are answered one by one.
_SERVING = """
import json, resource, sys, time
from querykin import Workspace
from bench import workload
def resident():
    lines = open("/proc/self/status").read().splitlines()
    return {line.split(":")[0]: int(line.split()[1]) / 1024 for line in lines if line.startswith("Rss")}
start = time.perf_counter()
workspace = Workspace.open(sys.argv[1])
opened = time.perf_counter() - start
suggester = workspace.suggester("web-kernel")
first = time.perf_counter()
suggester.suggest(["seattle mariners"], 5)
first = time.perf_counter() - first
for query in workload.unseen_queries():
    suggester.suggest([query], 5)
print(json.dumps({"opened_ms": 1000 * opened, "first_ms": 1000 * first, **resident()}))
"""


def run() -> Result:
    """Bytes per candidate, times to open, and memory."""
    opened = workload.workspace(workload.rows_wanted())
    index = opened.index("web-kernel")
    rows = sum(map(len, index.segments))
    open_ms = 1000 * seconds(lambda: Index(index.store.path), repeats=20)
    parts = _parts([index.store.part(name) for name in (index.committed.segments if index.committed else [])])
    served = _served(str(opened.path))
    private = served["RssAnon"]
    table = [
        ["rows, terms each", f"{rows:,}, {index.terms:.0f}"],
        ["bytes per candidate, including provenance", f"{index.bytes / rows:.0f}"],
        *[[f"  {name}", f"{size / rows:.0f}"] for name, size in parts.items()],
        ["opening the index, ms (median of 20)", f"{open_ms:.1f}"],
        ["opening the workspace in a new process, ms", f"{served['opened_ms']:.1f}"],
        [
            "first suggestions in a new process, ms (compiled code is read from disk)",
            f"{served['first_ms']:.0f}",
        ],
        ["private memory after 300 queries, MB", f"{private:.0f}"],
        [
            "mapped files in memory after 300 queries, MB (shared by all processes)",
            f"{served['RssFile']:.0f}",
        ],
    ]
    text = f"The index of web-kernel over {rows:,} queries ({workload.described()})."
    figures = {
        "bytes a candidate": index.bytes / rows,
        "open ms": open_ms,
        "own memory MB": private,
        "first suggestions ms": served["first_ms"],
    }
    ratios = {"bytes_per_candidate": index.bytes / rows, "open_ms": open_ms}
    return Result("size", "Size and start", text, ["", ""], table, figures, ratios)


def _parts(folders: list[Path]) -> dict[str, int]:
    """Bytes by kind of file, the largest first."""
    sizes: dict[str, int] = {}
    for file in (file for folder in folders for file in folder.iterdir()):
        sizes[file.stem] = sizes.get(file.stem, 0) + file.stat().st_size
    return dict(sorted(sizes.items(), key=lambda entry: -entry[1])[:6])


def _served(path: str) -> dict[str, float]:
    """Figures of the second process, which finds compiled code on disk."""
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", _SERVING, path],
            capture_output=True,
            text=True,
            check=True,
            cwd=workload.ROOT,
        )
        time.sleep(0.1)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    print(run().markdown())
