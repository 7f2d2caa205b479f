"""The CPUs that this process may use: affinity, container quota, and a variable that overrides both.

`os.cpu_count` counts the CPUs of the machine. A container that may use two of sixty-four would start
sixty-four threads and be throttled by the scheduler for most of each period.
"""

import os
from collections.abc import Iterator
from functools import cache
from math import ceil
from pathlib import Path

from querykin.errors import InputError

VARIABLE = "QUERYKIN_THREADS"
# Read by the libraries when NumPy, SciPy, scikit-learn or numba load them; they know affinity but no quota.
_LIBRARY_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
_PROCESS = Path("/proc/self")


@cache
def available_cpus() -> int:
    """The number of threads to run at once: QUERYKIN_THREADS, or else what affinity and quota allow.

    A quota of one and a half CPUs counts as two: one thread could not use it up.
    """
    given = os.environ.get(VARIABLE, "").strip()
    if given:
        if not given.isdecimal() or int(given) < 1:
            raise InputError(f"{VARIABLE} must be a number of threads, 1 or more, got {given!r}")
        return int(given)
    quota = cpu_quota(_PROCESS)
    affinity = _affinity()
    return affinity if quota is None else max(1, min(affinity, ceil(quota)))


def set_library_threads() -> None:
    """Start BLAS, OpenMP and numba with as many threads; a variable that the user has set is kept.

    To be called before NumPy is imported.
    """
    for variable in _LIBRARY_VARIABLES:
        os.environ.setdefault(variable, str(available_cpus()))


def _affinity() -> int:
    if hasattr(os, "sched_getaffinity"):  # Linux; it follows taskset, cpusets and docker --cpuset-cpus
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def cpu_quota(process: Path) -> float | None:
    """The CPUs that the control groups of a process may use, as set by docker --cpus or systemd's CPUQuota.

    The quota of every enclosing group applies, so the lowest counts; None if there is none. `process` is its
    folder in /proc.
    """
    try:
        quotas = [_read_quota(folder) for folder in _group_folders(process)]
    except OSError:  # not Linux, or /proc is hidden
        return None
    return min((quota for quota in quotas if quota is not None), default=None)


def _group_folders(process: Path) -> Iterator[Path]:
    """The folders of the process's CPU control group and of the groups around it, in versions 1 and 2."""
    mounts = dict(_mounts((process / "mountinfo").read_text("utf-8", "replace")))
    for line in (process / "cgroup").read_text("utf-8", "replace").splitlines():
        _, controllers, path = line.split(":", 2)
        controller = "cpu" if "cpu" in controllers.split(",") else controllers
        if controller not in mounts:
            continue
        root, mount = mounts[controller]
        # In a container only its own group may be mounted, while the path is still that of the host.
        inside = path.removeprefix(root.rstrip("/")) if path.startswith(root) else "/"
        group = Path(mount + inside)
        yield from (folder for folder in (group, *group.parents) if folder.is_relative_to(mount))


def _mounts(mountinfo: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """The mounted hierarchies with CPU quotas: `cpu` is that of version 1, the empty name version 2."""
    for line in mountinfo.splitlines():
        mount, _, source = line.partition(" - ")
        root, path = mount.split(" ")[3:5]
        kind, _, options = source.split(" ", 2)
        if kind == "cgroup2":
            yield "", (root, path)
        elif kind == "cgroup" and "cpu" in options.split(" ")[-1].split(","):
            yield "cpu", (root, path)


def _read_quota(folder: Path) -> float | None:
    """The quota of one control group in CPUs: microseconds of CPU time by microseconds of a period."""
    try:
        if (folder / "cpu.max").exists():
            quota, period = (folder / "cpu.max").read_text("ascii").split()
        else:
            quota, period = (
                (folder / f"cpu.cfs_{name}_us").read_text("ascii").strip() for name in ("quota", "period")
            )
        return None if quota in ("max", "-1") else int(quota) / int(period)
    except (FileNotFoundError, NotADirectoryError):  # the root group of version 2 has no quota
        return None
