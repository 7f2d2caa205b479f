"""The library that stands between a process and its files."""

import ctypes
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).with_name("shim.c")
# In the order of the enumeration in shim.c.
OPERATIONS = (
    "open", "write", "truncate", "sync", "rename", "unlink", "rmdir", "mkdir", "link", "symlink", "close"
)  # fmt: skip
ALL = frozenset(OPERATIONS)
# A full disk is reported by whatever needs a block; deferred allocation reports it at fsync, NFS at close.
ALLOCATING = frozenset({"open", "write", "truncate", "sync", "rename", "mkdir", "link", "symlink", "close"})
LOG_ONLY, ERROR_ONCE, ERROR_FROM_THEN_ON, KILL = range(4)


def missing_requirement() -> str:
    """Why this machine cannot load the library; empty if it can."""
    if sys.platform != "linux":
        return "fault injection needs Linux"
    return "" if shutil.which("cc") else "fault injection needs a C compiler (cc)"


@dataclass(frozen=True)
class Fault:
    """What happens at the n-th operation of some kinds; by default nothing, they are counted."""

    action: int = LOG_ONLY
    n: int = 0
    error: int = 0
    operations: frozenset[str] = ALL

    def arm(self, folder: Path, log: Path | None = None) -> None:
        """Begin to count the operations of this process below a folder, and to log them if there is a file."""
        bits = sum(1 << number for number, name in enumerate(OPERATIONS) if name in self.operations)
        # Descriptors of the folder are tracked by number: the log's must not be one of them.
        log_fd = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600) if log else -1
        ctypes.CDLL(None).faults_arm(
            os.fsencode(os.path.realpath(folder)),
            log_fd,
            self.action,
            bits,
            ctypes.c_long(self.n),
            self.error,
        )

    def disarm(self) -> int:
        """Let everything through again; returns the number of operations that were counted."""
        count = ctypes.CDLL(None).faults_disarm
        count.restype = ctypes.c_long
        return int(count())


def compile_shim(library: Path) -> None:
    """Compile the library."""
    flags = ["-O2", "-shared", "-fPIC", "-pthread"]
    subprocess.run(["cc", *flags, "-o", str(library), str(SOURCE), "-ldl"], check=True)
