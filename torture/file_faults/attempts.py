"""One attempt: a command in a forked process, with a fault or killed, and what a reader finds afterwards."""

import os
import pickle
import shlex
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import querykin.cli
import querykin.experiments.evaluation  # with testing, what commands import late
import querykin.testing
from querykin import QuerykinError
from torture.file_faults.commands import Command, Step
from torture.file_faults.content import Content, answers, primary_content, stored_files
from torture.file_faults.inputs import write_inputs
from torture.file_faults.shim import Fault

_LIMIT = 60.0  # seconds; a command takes a fraction of one
_ERROR = "querykin: "  # what the line of a failed command begins with
_NOT_STORED = "was not stored"
_NAME = "workspace"


@dataclass(frozen=True)
class Run:
    """How a command ended: 1 with an error, negative if it was killed; `None` if the process did not end."""

    code: int | None
    messages: str = ""
    operations: int = 0  # of files below the workspace
    seconds: float = 0.0

    @property
    def acknowledged(self) -> bool:
        """Whether it said that its change is made; an evaluation that could not be stored is printed at least."""
        return self.code == 0 and _NOT_STORED not in self.messages

    @property
    def complaint(self) -> str:
        """What is wrong with a run that ended by itself: anything but success or one line that says why."""
        if self.code is None:
            return f"did not end in {_LIMIT:.0f} s"
        if "Traceback" in self.messages or self.code not in (0, 1):
            return f"exit code {self.code}: {self.messages[-600:]}"
        errors = [line for line in self.messages.splitlines() if line.startswith(_ERROR)]
        return f"{len(errors)} error lines: {self.messages[-400:]}" if len(errors) != self.code else ""


@dataclass(frozen=True)
class Expected:
    """The content of a workspace before and after a command that nothing disturbed."""

    before: Content
    after: Content
    answers: Content
    files: Any


class Laboratory:
    """Workspaces as they are before each command, and processes that work on copies of them.

    Commands run in forks of this process, in which everything is imported and compiled.
    """

    def __init__(self) -> None:
        memory = "/dev/shm"  # the only disk whose fsync takes no time; a power failure is simulated
        self.folder = Path(mkdtemp(prefix="querykin-faults-", dir=memory if os.path.isdir(memory) else None))
        write_inputs(self.folder / "inputs")
        os.chdir(self.folder / "inputs")
        self._templates: dict[tuple[Step, ...], Path] = {(): self.new_disk()}

    def __enter__(self) -> "Laboratory":
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.folder)

    def new_disk(self) -> Path:
        """An empty disk."""
        return Path(mkdtemp(dir=self.folder))

    def before(self, command: Command) -> Path:
        """The disk before a command: a folder that holds the workspace, if it exists yet."""
        return self._template(command.after)

    def _template(self, steps: tuple[Step, ...]) -> Path:
        if steps not in self._templates:
            disk = self.new_disk()
            shutil.copytree(self._template(steps[:-1]), disk, dirs_exist_ok=True)
            self._run_here(steps[-1], disk / _NAME)
            self._templates[steps] = disk
        return self._templates[steps]

    def _run_here(self, step: Step, workspace: Path) -> None:
        """Run a step in this process, which compiles what it needs: forks have it then."""
        output = os.dup(1), os.dup(2)
        with open(self.folder / "output", "w+b") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
            try:
                code = run_step(step, workspace)
            finally:
                sys.stdout.flush()
                for number, copy in enumerate(output, start=1):
                    os.dup2(copy, number)
                    os.close(copy)
        if code:
            raise RuntimeError(f"{step}: {(self.folder / 'output').read_text('utf-8')}")

    def expected(self, command: Command) -> Expected:
        """The content before and after the command, which also compiles what it needs."""
        disk = self.copy(self.before(command))
        before = self.fork(lambda: primary_content(disk / _NAME))
        self._run_here(command.step, disk / _NAME)
        after, found, files = self.fork(
            lambda: (primary_content(disk / _NAME), answers(disk / _NAME), stored_files(disk / _NAME))
        )
        primary_content(disk / _NAME), answers(disk / _NAME)  # compiled here, too
        shutil.rmtree(disk)
        return Expected(before, after, found, files)

    def copy(self, disk: Path) -> Path:
        """A copy of a disk."""
        return shutil.copytree(disk, self.new_disk(), dirs_exist_ok=True)

    def run(
        self,
        command: Command,
        disk: Path,
        fault: Fault,
        log: Path | None = None,
        kill_after: float | None = None,
    ) -> Run:
        """Run the command on a disk in a forked process, with a fault, or killed after some seconds."""

        def child() -> tuple[int, int]:
            fault.arm(disk, log)
            code = run_step(command.step, disk / _NAME)
            return code, fault.disarm()

        return self._forked(child, kill_after)

    def count(self, command: Command, operations: frozenset[str]) -> int:
        """How many operations of some kinds the command makes when nothing disturbs it."""
        disk = self.copy(self.before(command))
        counted = self.run(command, disk, Fault(operations=operations)).operations
        shutil.rmtree(disk)
        return counted

    def fork(self, work: Callable[[], Any]) -> Any:
        """The result of a function, run in a forked process."""
        results: list[Any] = []
        run = self._forked(lambda: (0, 0, work()), None, results)
        if run.code != 0:
            raise ForkFailed(run)
        return results[0]

    def _forked(
        self, work: Callable[[], tuple[Any, ...]], kill_after: float | None, results: list[Any] | None = None
    ) -> Run:
        output, answer = self.folder / "output", self.folder / "answer"
        answer.unlink(missing_ok=True)
        sys.stdout.flush()
        began = time.monotonic()
        child = os.fork()
        if not child:
            _work(work, output, answer)
        if kill_after is not None:
            time.sleep(kill_after)
            os.kill(child, signal.SIGKILL)  # a process that has ended stays until it is waited for
        code = _wait(child, began + _LIMIT)
        seconds = time.monotonic() - began
        messages = output.read_text("utf-8", "replace")
        if code != 0 or not answer.exists():
            return Run(code, messages, 0, seconds)
        code, operations, *rest = pickle.loads(answer.read_bytes())
        if results is not None:
            results += rest
        return Run(code, messages, operations, seconds)

    def verdict(
        self, command: Command, disk: Path, expected: Expected, acknowledged: bool
    ) -> tuple[str, str]:
        """What a reader, the check and a second run make of a disk after a fault: (outcome, detail)."""
        try:
            outcome, detail = self.fork(lambda: _examine(command, disk / _NAME, expected, acknowledged))
            return outcome, detail
        except ForkFailed as error:
            killed = error.run.code is None or error.run.code < 0
            return "crash" if killed else "traceback", f"code {error.run.code}: {error.run.messages[-900:]}"


class ForkFailed(Exception):
    """A forked process that was to return something ended otherwise."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.run = run


def run_step(step: Step, workspace: Path) -> int:
    """Run a command line or a call of the library in this process; returns the exit code."""
    if callable(step):
        try:
            step(workspace)
        except QuerykinError as error:
            print(f"{_ERROR}{error}", file=sys.stderr)
            return 1
        return 0
    sys.argv = ["querykin", *shlex.split(step), "--workspace", str(workspace)]
    try:
        querykin.cli.main()
    except SystemExit as end:
        return int(end.code or 0)
    finally:
        sys.stdout.flush()
    return 0


def _work(work: Callable[[], tuple[Any, ...]], output: Path, answer: Path) -> None:
    """In a forked process: the result goes to a file, everything printed to another."""
    for number, flags in ((1, os.O_CREAT | os.O_TRUNC), (2, os.O_APPEND)):
        os.dup2(os.open(output, os.O_WRONLY | flags, 0o600), number)
    code = 1
    try:
        result = work()
        draft = answer.with_suffix(".draft")
        draft.write_bytes(pickle.dumps(result))
        draft.rename(answer)
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


def _examine(command: Command, workspace: Path, expected: Expected, acknowledged: bool) -> tuple[str, str]:
    found = primary_content(workspace)
    answers(workspace)
    done = True
    for name, value in found.items():
        before, after = expected.before[name], expected.after[name]
        if value == after:
            continue
        if value != before:
            return "wrong", f"{name}: neither as before nor as after: {str(value)[:300]}"
        if acknowledged:
            return "lost", f"{name}: as before, though the command had succeeded"
        done = False
    if complaint := _check(workspace, command):
        return "wrong", f"check: {complaint}"
    if (
        done
        and not command.repeatable
        and any(expected.before[name] != expected.after[name] for name in found)
    ):
        return "applied", ""
    if run_step(command.step, workspace):
        return "wrong", "the command fails when it is run again"
    if (again := primary_content(workspace)) != expected.after:
        names = [name for name, value in again.items() if value != expected.after[name]]
        return "wrong", f"after a second run {', '.join(names)} differ"
    if answers(workspace) != expected.answers:
        return "wrong", "after a second run suggestions differ"
    if differing := stored_files(workspace) - expected.files:
        return "wrong", f"after a second run files differ: {list(differing)[:3]}"
    return "applied" if done else "not applied", ""


def _check(workspace: Path, command: Command) -> str:
    if not workspace.exists():
        return ""
    code = run_step("check", workspace)
    if command.name == "upgrade":
        return ""
    return "" if code == 0 else "the workspace is damaged"
