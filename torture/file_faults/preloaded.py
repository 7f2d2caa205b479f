"""Processes that have the fault-injection library loaded, one for each processor, and their figures together."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from torture.figures import Figures
from torture.file_faults.commands import COMMANDS
from torture.file_faults.shim import compile_shim, missing_requirement

ROOT = Path(__file__).parent.parent.parent


def run_preloaded(parts: Sequence[str], scale: float, seed: int, names: Sequence[str] = ()) -> Figures:
    """The figures of `attempts` of some modules, on the commands of these names; on all if there are none."""
    figures = Figures()
    if reason := missing_requirement():
        print(f"{', '.join(parts)}: skipped: {reason}")
        return figures
    selected = list(names) or [command.name for command in COMMANDS]
    count = min(os.cpu_count() or 1, len(selected))
    shares = [selected[n::count] for n in range(count)]
    with TemporaryDirectory(prefix="querykin-faults-") as folder:
        library = Path(folder, "shim.so")
        compile_shim(library)
        # One thread for BLAS: its threads do not survive the fork for an attempt.
        environment = {**os.environ, "LD_PRELOAD": str(library), "OMP_NUM_THREADS": "1", "NO_COLOR": "1"}
        results = [Path(folder, f"figures-{n}.json") for n in range(len(shares))]
        requests = [json.dumps([list(parts), scale, seed, share]) for share in shares]
        commands = [
            [sys.executable, "-m", "torture.file_faults", request, str(result)]
            for request, result in zip(requests, results, strict=True)
        ]
        processes = [subprocess.Popen(command, env=environment, cwd=ROOT) for command in commands]
        if any([process.wait() for process in processes]):
            raise RuntimeError("a process with the fault-injection library failed; see above")
        for result in results:
            figures.add(Figures.from_json(json.loads(result.read_text("utf-8"))))
    return figures
