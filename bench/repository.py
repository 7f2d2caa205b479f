"""A large repository: adding, opening, looking up and extending it: `python -m bench repository [QUERIES]`.

Queries are synthetic: two to five words of a vocabulary with Zipfian frequencies and a number, all different. The memory is
the peak of a process that does one step only, less what the imports take.
"""

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import workload
from bench.result import Result

QUERIES = 10_000_000
MORE = 10  # a tenth as many are added to it, half of them known

# Each step runs in a process of its own.
_STEPS = """
import json, sys, time
from pathlib import Path
import numpy as np
from bench.peak_memory import peak_megabytes
from querykin.querylog.counted_queries import CountedQueries
from querykin.querylog.repository import Repository
from querykin.index.index import Index
step, path, count, first = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
def queries(begin, end):
    words = [f"w{n:x}" for n in range(50_000)]
    for number in range(begin, end):
        rng = number * 2654435761 % 4294967296
        yield f"{words[rng % 1000]} {words[rng // 1000 % 50_000]} {number}", 1 + rng % 7
before, start = peak_megabytes(), time.perf_counter()
repository = Repository(path)
opened = time.perf_counter() - start
start = time.perf_counter()
if step == "add":
    repository.add(queries(first, first + count), source=str(first))
elif step == "look up":
    found = repository.ids_of(text for text, _ in queries(first, first + count))
    assert (found == np.arange(first, first + count)).all()
elif step == "missing":
    assert len(Index(path.parent / "index").missing(repository)) == count
elif step == "list":
    for number, each in zip(range(1000), repository.by_count()):
        pass
elif step == "read":
    assert sum(1 for _ in repository.all_queries()) == count
print(json.dumps([opened, time.perf_counter() - start, peak_megabytes() - before]))
"""


def run() -> Result:
    """Seconds and memory of each step."""
    count = next((int(each) for each in sys.argv[1:] if each.isdecimal()), QUERIES)
    more = count // MORE
    with TemporaryDirectory() as folder:
        path = str(Path(folder) / "repository")
        steps = {
            f"add {count:,} queries": _step("add", path, count, 0),
            "open, and look up 10,000 queries": _step("look up", path, min(10_000, count), 0),
            "find those without a row in an empty index": _step("missing", path, count, 0),
            "list the 1,000 most frequent": _step("list", path, count, 0),
            "read all": _step("read", path, count, 0),
            f"add {more:,} more, half of them known": _step("add", path, more, count - more // 2),
        }
        size = sum(file.stat().st_size for file in Path(path).rglob("*") if file.is_file()) / 1e6
    rows = [[name, f"{seconds:.1f}", f"{memory:,.0f}"] for name, (_, seconds, memory) in steps.items()]
    opened_ms = 1000 * next(iter(list(steps.values())[1:]))[0]
    text = f"{count:,} synthetic queries; {size:,.0f} MB on disk after the last step; opened in {opened_ms:.1f} ms."
    figures = {
        f"{name} {what}": value
        for name, found in steps.items()
        for what, value in zip(("s", "MB"), found[1:], strict=True)
    }
    return Result("repository", "A large repository", text, ["", "seconds", "memory, MB"], rows, figures)


def _step(name: str, path: str, count: int, first: int) -> tuple[float, float, float]:
    done = subprocess.run(
        [sys.executable, "-c", _STEPS, name, path, str(count), str(first)],
        capture_output=True,
        text=True,
        check=True,
        cwd=workload.ROOT,
    )
    opened, seconds, memory = json.loads(done.stdout.splitlines()[-1])
    return opened, seconds, memory


if __name__ == "__main__":
    print(run().markdown())
