"""Kernels are compiled together, after a message, where one of them is not compiled yet."""

import os
import subprocess
import sys

import pytest

from querykin.cli.options import TerminalProgress
from querykin.compute import compilation
from querykin.compute.kernel_table import kernels
from recorded_progress import Recorded

# Reports messages, and each kernel that numba compiles in this process, in their order.
PROGRAM = """
import numpy as np
from numba.core import event
from querykin.compute import compilation
from querykin.compute.kernel_table import kernels
from querykin.progress import Silent

class Printed(Silent):
    def message(self, text):
        print(text)

class Listener(event.Listener):
    def on_start(self, found):
        if found.data["dispatcher"].__module__.startswith("querykin"):
            print("numba compiles", found.data["dispatcher"].__name__)

    def on_end(self, found):
        pass

event.register("numba:compile", Listener())
names = {"vectors._sums", "vectors._unit"}
compilation.used_by = lambda command: [each for each in kernels() if each.name in names]
compilation._commands_of = lambda function: {"b" if function.__name__ in ("_sums", "_unit") else "a"}
COMMAND
compilation.compile_when_missing("b", Printed())
from querykin import vectors
vectors._unit(np.array([0, 1]), np.array([3]), np.array([2.0]))
vectors._sums(np.array([0, 1]), np.array([3.0]))
vectors.top_mask(np.array([0, 1]), np.array([3.0]), 1)
"""
BOTH = ["compiling 2 loops, once on this machine"]
OTHER = ["compiling top_mask, once on this machine", "numba compiles top_mask"]


@pytest.fixture
def lines(tmp_path):
    """What the program prints with the cache of this test."""

    def run(command=""):
        program = PROGRAM.replace("COMMAND", command)
        env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-c", program], env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return [line for line in done.stdout.splitlines() if "kth_largest" not in line]

    return run


def test_the_message_comes_before_the_first_kernel_is_compiled_and_only_once_on_a_machine(lines):
    assert lines() == [*BOTH, "numba compiles _sums", "numba compiles _unit", *OTHER]
    assert lines() == []


def test_another_process_compiles_a_part(lines):
    command = "compilation._MIN_SHARE, compilation.available_cpus = 1, lambda: 2"
    found = lines(command)
    assert found[:1] == BOTH
    assert found[-2:] == OTHER
    assert lines() == []


def test_a_process_that_cannot_start_leaves_its_part_to_this_one(lines):
    command = "compilation._MIN_SHARE, compilation.available_cpus = 1, lambda: 2\n"
    found = lines(command + "compilation._HELPER = 'raise SystemExit(1)'")
    assert sorted(found) == sorted([*BOTH, "numba compiles _sums", "numba compiles _unit", *OTHER])


def test_without_a_cache_the_message_says_so(monkeypatch):
    progress = Recorded()
    monkeypatch.setattr(compilation, "code_cache_works", lambda: False)
    monkeypatch.setattr(type(kernels()[0]), "is_compiled", lambda self: False)
    monkeypatch.setattr(type(kernels()[0]), "compile", lambda self: None)
    assert compilation.compile_kernels(kernels()[:9], progress) == 9
    assert progress.lines == ["compiling 9 loops, in every process, since there is no cache"]


def test_what_is_compiled_is_not_mentioned(capfd):
    assert compilation.compile_kernels(kernels()[:3], TerminalProgress(quiet=False)) == 0
    assert capfd.readouterr().err == ""
