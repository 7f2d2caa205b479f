"""`querykin build` killed repeatedly keeps committed work and ends with the same index."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from querykin import Workspace
from topics import DOCUMENTS, QUERIES

KILLS = 20
# Imports the program and builds once, so that everything is compiled, then forks for every line of arguments;
# prints the process id at the start and the exit code at the end.
DRIVER = """
import os, sys
import querykin, querykin.integrity, querykin.cli
from querykin.measures.web_kernel import WebKernel
WebKernel.batch = 5
querykin.Workspace.open(sys.argv[1]).build("web-kernel")
for line in sys.stdin:
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.argv = ["querykin", *line.split()]
        querykin.cli.main()
        os._exit(0)
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.fixture(scope="module")
def queries() -> list[str]:
    titles = [document.title for document in DOCUMENTS if document.title]
    return [*QUERIES, *titles]


@pytest.fixture
def stock(tmp_path, queries):
    """Make a workspace without an index."""

    def make(name: str) -> Workspace:
        workspace = Workspace.open(tmp_path / name)
        workspace.corpus.add(DOCUMENTS)
        workspace.repository.add([(query, 1) for query in queries])
        return workspace.reopen()

    return make


class Program:
    """Runs commands on a workspace and kills them."""

    def __init__(self, driver: subprocess.Popen[str], workspace: Path) -> None:
        self._driver, self._workspace = driver, workspace

    def run(self, command: str, kill_after: float | None = None) -> int:
        """The exit code, -9 if it was killed."""
        self._driver.stdin.write(f"{command} --workspace {self._workspace}\n")
        self._driver.stdin.flush()
        process = int(self._driver.stdout.readline())
        if kill_after is not None:
            time.sleep(kill_after)
            with suppress(ProcessLookupError):  # it has already ended
                os.kill(process, signal.SIGKILL)
        return int(self._driver.stdout.readline())


@pytest.fixture
def undisturbed(stock) -> Workspace:
    return stock("undisturbed")


@pytest.fixture
def driver(undisturbed) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", DRIVER, str(undisturbed.path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.stdin.close()


def test_a_build_killed_at_any_time_loses_at_most_a_batch_and_ends_with_the_same_index(
    stock, undisturbed, driver, queries
):
    workspace = stock("killed")
    assert Program(driver, undisturbed.path).run("build") == 0
    began = time.monotonic()
    assert Program(driver, undisturbed.path).run("build --rebuild") == 0
    whole = time.monotonic() - began
    program, moments = Program(driver, workspace.path), random.Random(20060522)
    finished_before = kills = survived = 0
    while kills < KILLS:
        again = workspace.index("web-kernel").committed is not None  # finished before all kills: start over
        code = program.run("build --rebuild" if again else "build", moments.uniform(0, 0.7 * whole))
        assert code in (0, -signal.SIGKILL)
        kills += code != 0
        plan, in_progress = (
            workspace.plan("web-kernel", rebuild=again),
            workspace.index("web-kernel").in_progress,
        )
        if in_progress:
            assert plan.done >= max(finished_before, 5)
            assert plan.done + len(plan.todo) == len(workspace.repository)
            survived += 1
        finished_before = plan.done if in_progress else 0
    assert survived > 0
    assert program.run("build") == 0
    assert program.run("check") == 0
    assert not workspace.plan("web-kernel").needed
    for query in (*queries[::5], "rocket launch", "volcano on an island"):
        assert workspace.suggest(query, 20).suggestions == undisturbed.suggest(query, 20).suggestions
    assert program.run("build --rebuild") == 0  # the next writer deletes the files of killed ones
    store = workspace.index("web-kernel").store
    assert {part.name for part in (store.path / "parts").iterdir()} == set(store.manifest().parts)
    assert not list(store.path.glob(".manifest*"))
