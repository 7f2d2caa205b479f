"""The machine of a run: hardware, versions, commit, and the share of the cores that was available."""

import os
import platform
import subprocess
import threading
import time
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import numpy as np

from querykin import __version__
from querykin.compute.arrays import Int64Array
from querykin.compute.jit import njit

PACKAGES = (
    "numpy",
    "scipy",
    "numba",
    "scikit-learn",
    "tantivy",
    "sparse_dot_topn",
    "qdrant-edge-py",
    "faiss-cpu",
    "bm25s",
    "onnxruntime",
)


def machine() -> dict[str, object]:
    """What must be known to interpret a figure."""
    return {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "querykin": __version__,
        "commit": _commit(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "cores obtained": round(cores_obtained(), 2),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES},
    }


@njit
def _spin(steps: Int64Array) -> int:
    state = steps[0]
    for _ in range(steps[1]):
        state = (state * 6364136223846793005 + 1442695040888963407) & 0xFFFFFFFF
    return int(state)


def cores_obtained() -> float:
    """The throughput of two threads relative to one, each the best of a few trials."""
    work = np.array([1, 60_000_000])
    _spin(np.array([1, 1]))

    def seconds(threads: int) -> float:
        running = [threading.Thread(target=_spin, args=(work,)) for _ in range(threads)]
        start = time.perf_counter()
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
        return time.perf_counter() - start

    alone, together = (min(seconds(threads) for _ in range(3)) for threads in (1, 2))
    return 2 * alone / together


def _commit() -> str:
    """The commit, with a plus if files were changed since."""
    here = Path(__file__).parent
    found = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=here, capture_output=True, text=True)
    changed = subprocess.run(
        ["git", "status", "--porcelain", "../src"], cwd=here, capture_output=True, text=True
    )
    return found.stdout.strip() + ("+" if changed.stdout.strip() else "")


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"
