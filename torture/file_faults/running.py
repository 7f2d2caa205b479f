"""Commands run in this process, and functions run in forks of it: everything is imported and compiled there."""

import os
import pickle
import shlex
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import querykin.cli
import querykin.experiments.evaluation  # with testing, what commands import late
import querykin.testing
from querykin import QuerykinError
from torture.file_faults.commands import Step

LIMIT = 60.0  # seconds; a command takes a fraction of one
ERROR = "querykin: "  # what the line of a failed command begins with


@dataclass(frozen=True)
class Forked:
    """How a function ended in a forked process, and what it returned and printed.

    The exit code is 1 after an exception, negative if the process was killed, None if it did not end.
    """

    code: int | None
    messages: str
    seconds: float
    value: Any = None


def run_step(step: Step, workspace: Path) -> int:
    """Run a command line or a call of the library in this process; returns the exit code."""
    if callable(step):
        try:
            step(workspace)
        except QuerykinError as error:
            print(f"{ERROR}{error}", file=sys.stderr)
            return 1
        return 0
    arguments = shlex.split(step.replace("{disk}", str(workspace.parent)))
    sys.argv = ["querykin", *arguments, "--workspace", str(workspace)]
    try:
        querykin.cli.main()
    except SystemExit as end:
        return int(end.code or 0)
    finally:
        sys.stdout.flush()
    return 0


def fork(work: Callable[[], Any], folder: Path, kill_after: float | None = None) -> Forked:
    """Run a function in a forked process, and kill it after some seconds; two files in the folder serve."""
    output, answer = folder / "output", folder / "answer"
    answer.unlink(missing_ok=True)
    sys.stdout.flush()
    began = time.monotonic()
    child = os.fork()
    if not child:
        _work(work, output, answer)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(child, signal.SIGKILL)  # a process that has ended stays until it is waited for
    code = _wait(child, began + LIMIT)
    value = pickle.loads(answer.read_bytes()) if code == 0 else None
    messages = output.read_text("utf-8", "replace") if output.exists() else ""
    return Forked(code, messages, time.monotonic() - began, value)


def _work(work: Callable[[], Any], output: Path, answer: Path) -> None:
    """In a forked process: the result goes to a file, everything printed to another."""
    code = 1
    try:
        for number, flags in ((1, os.O_CREAT | os.O_TRUNC), (2, os.O_APPEND)):
            os.dup2(os.open(output, os.O_WRONLY | flags, 0o600), number)
        answer.write_bytes(pickle.dumps(work()))
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(code)


def _wait(child: int, deadline: float) -> int | None:
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None
