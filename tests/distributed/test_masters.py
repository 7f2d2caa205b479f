"""Masters: what --on accepts, and its errors."""

import subprocess
import sys

import pytest

from querykin.compute.cpus import available_cpus
from querykin.distributed import masters
from querykin.distributed.java import MissingJava, check_java
from querykin.distributed.masters import task_runner
from querykin.distributed.processes import Processes
from querykin.distributed.task_runner import THIS_PROCESS
from querykin.errors import InputError, MissingExtra


def test_without_a_master_tasks_run_in_this_process():
    assert task_runner(None) is THIS_PROCESS


@pytest.mark.parametrize(("master", "slots"), [("processes", available_cpus()), ("processes[3]", 3)])
def test_processes_of_this_machine(master, slots):
    runner = task_runner(master)
    assert isinstance(runner, Processes)
    assert runner.slots == slots


@pytest.mark.parametrize(
    "master",
    ["", "processes[0]", "processes[]", "local", "local[0]", "spark://host", "k8s://", "yarn-client"],
)
def test_an_unknown_master_is_an_error_that_names_the_allowed(master):
    with pytest.raises(InputError, match=r"--on must be processes, .*local\[\*\].* got"):
        task_runner(master)


def test_spark_without_its_package_names_the_install_command(monkeypatch):
    monkeypatch.setattr(masters, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"--on local\[\*\] needs an optional part: pip install .*spark"):
        task_runner("local[*]")


def test_missing_java_is_an_error_that_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(
        MissingJava, match=r"needs Java 17 or newer, found none in JAVA_HOME.*; next: apt install"
    ):
        check_java()


def test_old_java_is_an_error(monkeypatch, tmp_path):
    program = tmp_path / "bin" / "java"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n")
    program.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(MissingJava, match="Java 17 or newer, got 11 from"):
        check_java()


def test_masters_are_known_without_pyspark():
    code = "import sys, querykin.distributed.masters; sys.exit('pyspark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
