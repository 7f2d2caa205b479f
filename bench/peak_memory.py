"""The peak memory of a process that runs one step of a benchmark."""

from pathlib import Path


def peak_megabytes() -> float:
    """The most memory that this process has had in use since its program was started.

    `resource.getrusage` does not tell: its peak goes on from that of the process that started this one.
    """
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
