"""What a number of past queries costs: processor time and peak memory of their build and of serving, bytes on disk.

Each step runs in a process of its own. Figures of a size are kept beside its workspace: a size that was measured is not
measured again, and one whose build was interrupted has no figures of its build.
"""

import json
import subprocess
import sys
from pathlib import Path

from bench import workload

_STEPS = """
import json, sys, time
from bench import workload
from bench.peak_memory import peak_megabytes
step, size = sys.argv[1], int(sys.argv[2])
if step == "queries":
    workload.filled(workload.named_workspace(str(size)), size, ())
elif step == "build":
    workload.workspace(size)
else:
    suggester = workload.workspace(size).suggester("web-kernel")
    for query in workload.unseen_queries():
        suggester.suggest([query], 5)
print(json.dumps([time.process_time(), peak_megabytes()]))
"""


def costs(size: int) -> dict[str, float]:
    """Processor seconds, peak megabytes and bytes a query; built first where that was not done."""
    home = workload.home(str(size))
    kept = home / "costs.json"
    if kept.exists():
        return dict(json.loads(kept.read_text("utf-8")))
    steps = ("serve",) if (home / "index").exists() else ("queries", "build", "serve")
    found = dict[str, float]()
    for step in steps:
        seconds, megabytes = _step(step, size)
        found |= {f"{step} s": seconds, f"{step} MB": megabytes}
    found |= {f"{name} bytes": _bytes(home / name) / size for name in ("repository", "index")}
    kept.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    return found


def _step(step: str, size: int) -> tuple[float, float]:
    print(f"  {size:,} queries: {step}", flush=True)
    command = [sys.executable, "-c", _STEPS, step, str(size)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=workload.ROOT)
    seconds, megabytes = json.loads(done.stdout.splitlines()[-1])
    return seconds, megabytes


def _bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
