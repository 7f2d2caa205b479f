"""Task runners: results of all tasks, errors of tasks, processes that are killed."""

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from querykin.compute.cpus import available_cpus
from querykin.distributed.processes import MAX_FAILURES, Processes
from querykin.distributed.task_runner import THIS_PROCESS, run_tasks
from querykin.distributed.task_times import timed_results
from querykin.errors import UnknownName, WorkspaceError
from recorded_progress import Recorded

DRIVER = """
import time
from querykin.distributed.processes import Processes
if __name__ == "__main__":
    runner = Processes(1)
    list(runner.results(abs, [1]))
    print(*runner._pool._processes, flush=True)
    list(runner.results(time.sleep, [60]))
"""


def _threads(_):
    return available_cpus()


def _square_root(number):
    if number < 0:
        raise ValueError(f"{number} has none")
    return number**0.5


def _unknown(_):
    raise UnknownName("measure", "jacard", ["jaccard"])


@dataclass(frozen=True)
class KilledOnce:
    """Doubles a number; the first process that gets the victim dies of it."""

    folder: Path
    victim: int

    def __call__(self, number):
        mark = self.folder / "killed"
        if number == self.victim and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return 2 * number


@dataclass(frozen=True)
class AlwaysKilled:
    """Counts the processes that die of it."""

    folder: Path

    def __call__(self, number):
        (self.folder / str(os.getpid())).touch()
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("runner", [THIS_PROCESS, Processes(2)])
def test_results_are_in_the_order_of_the_tasks(runner):
    assert run_tasks(runner, _square_root, [4, 9, 16, 0, 1]) == [2, 3, 4, 0, 1]
    assert run_tasks(runner, _square_root, []) == []


@pytest.mark.parametrize("runner", [THIS_PROCESS, Processes(2)])
def test_the_error_of_a_task_is_raised(runner):
    with pytest.raises(ValueError, match="-9 has none"):
        run_tasks(runner, _square_root, [4, -9, 16])


def test_each_process_has_one_thread():
    assert run_tasks(Processes(2), _threads, [0, 1]) == [1, 1]


def test_tasks_of_a_killed_process_are_run_again(tmp_path):
    tasks = list(range(9))
    assert run_tasks(Processes(2), KilledOnce(tmp_path, victim=4), tasks) == [2 * each for each in tasks]
    assert (tmp_path / "killed").exists()


def test_a_task_that_kills_every_process_ends_the_run(tmp_path):
    with pytest.raises(WorkspaceError, match="killed 4 times in a row"):
        run_tasks(Processes(1), AlwaysKilled(tmp_path), [1])
    assert len(list(tmp_path.iterdir())) == MAX_FAILURES


def test_a_killed_process_is_told(tmp_path):
    messages = Recorded()
    run_tasks(Processes(2, messages), KilledOnce(tmp_path, victim=1), [0, 1, 2])
    assert messages.lines == ["a process was killed; its tasks are run again"]


@pytest.mark.parametrize("runner", [THIS_PROCESS, Processes(2)])
def test_errors_for_users_come_back_with_type_and_message(runner):
    with pytest.raises(UnknownName, match="unknown measure 'jacard'; did you mean 'jaccard'"):
        run_tasks(runner, _unknown, [0])


def test_the_time_of_tasks_is_told_unless_they_run_in_this_process():
    messages = Recorded()
    assert sorted(timed_results(Processes(1), _square_root, [4, 9], messages, "roots")) == [(0, 2), (1, 3)]
    assert len(messages.lines) == 1
    assert re.match(r"roots: 2 tasks, 0 CPU-s, median 0.0 s, longest 0.0 s", messages.lines[0])
    assert sorted(timed_results(THIS_PROCESS, _square_root, [4, 9], messages, "roots")) == [(0, 2), (1, 3)]
    assert len(messages.lines) == 1


def test_processes_end_when_the_one_that_asked_is_killed(tmp_path):
    (tmp_path / "driver.py").write_text(DRIVER)
    driver = subprocess.Popen([sys.executable, tmp_path / "driver.py"], stdout=subprocess.PIPE, text=True)
    with driver:
        process = int(driver.stdout.readline())
        driver.kill()
    until = time.monotonic() + 20
    while _is_running(process) and time.monotonic() < until:
        time.sleep(0.05)
    assert not _is_running(process)


def _is_running(process: int) -> bool:
    """Whether a process is there and is no zombie."""
    found = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True, check=False
    )
    return bool(found.stdout.strip()) and not found.stdout.strip().startswith("Z")
