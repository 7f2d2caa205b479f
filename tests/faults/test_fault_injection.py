"""The library under a process's file operations, and some faults, kills and losses of power of each kind."""

import os
import subprocess
import sys

import pytest
from torture.file_faults.disk import Disk, read_tree
from torture.file_faults.preloaded import ROOT, run_preloaded
from torture.file_faults.shim import compile_shim, missing_requirement

pytestmark = pytest.mark.skipif(bool(missing_requirement()), reason=missing_requirement())
PARTS = ("torture.faults", "torture.kills", "torture.power_loss")
WRITES = """
import errno, os, sys
from pathlib import Path
import numpy as np
from torture.file_faults.shim import ERROR_ONCE, KILL, Fault
folder, log, action, n = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
fault = Fault(action, n, errno.ENOSPC)
fault.arm(folder, log)
try:
    (folder / "a").mkdir()
    with open(folder / "a" / "text", "w") as file:
        file.write("some text")
        file.flush()
        os.fsync(file.fileno())
    np.arange(10).tofile(folder / "a" / "array")  # by stdio, whose system calls are its own
    mapped = np.lib.format.open_memmap(folder / "a" / "mapped.npy", "w+", np.int8, (20,))
    mapped[:] = 7
    mapped.flush()
    os.rename(folder / "a" / "text", folder / "text")
    os.link(folder / "text", folder / "linked")
    os.unlink(folder / "text")
except OSError as error:
    print(error.errno)
print(fault.disarm())
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory) -> dict[str, str]:
    library = tmp_path_factory.mktemp("shim") / "shim.so"
    compile_shim(library)
    return {**os.environ, "LD_PRELOAD": str(library), "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}


@pytest.fixture
def write(tmp_path, environment):
    (tmp_path / "disk").mkdir()

    def run(action: int = 0, n: int = 0) -> subprocess.CompletedProcess[str]:
        arguments = [str(tmp_path / "disk"), str(tmp_path / "log"), str(action), str(n)]
        command = [sys.executable, "-c", WRITES, *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    return run


def test_the_record_of_all_operations_gives_the_content_of_the_folder(write, tmp_path):
    disk = Disk(tmp_path / "disk")
    assert int(write().stdout) > 10
    operations = list(disk.replay(tmp_path / "log"))
    assert disk.as_seen() == read_tree(tmp_path / "disk")
    assert {"open", "write", "truncate", "sync", "rename", "link", "unlink", "mkdir", "close"} >= set(
        operations
    )
    assert set(read_tree(tmp_path / "disk")) == {"a", "a/array", "a/mapped.npy", "linked"}


def test_the_operation_that_is_to_fail_fails(write, tmp_path):
    assert write(action=1, n=2).stdout.split() == ["28", "2"]
    assert set(read_tree(tmp_path / "disk")) == {"a"}


def test_the_process_is_killed_at_an_operation(write, tmp_path):
    assert write(action=3, n=3).returncode == -9
    assert read_tree(tmp_path / "disk") == {"a": None, "a/text": b"some"}  # half of the write was done


def test_faults_kills_and_losses_of_power_leave_the_old_or_the_new_content():
    figures = run_preloaded(PARTS, 0.15, 7, ["repository add"])
    assert figures.attempts > 20
    assert figures.outcomes["not applied"]
    assert figures.outcomes["applied"]
    assert not figures.failures
