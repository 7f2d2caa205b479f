"""One attempt: a command in a forked process, with a fault or killed, and what a reader finds afterwards."""

import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from querykin.storage.restore_folders import COMMITTED as UNFINISHED_RESTORE
from torture.file_faults.commands import Command, Step
from torture.file_faults.content import Content, answers, primary_content, stored_files
from torture.file_faults.inputs import write_inputs
from torture.file_faults.running import ERROR, LIMIT, fork, run_step
from torture.file_faults.shim import Fault

_NOT_STORED = "was not stored"
_NAME = "workspace"


@dataclass(frozen=True)
class Run:
    """How a command ended: 1 with an error, negative if it was killed; None if the process did not end."""

    code: int | None
    messages: str
    seconds: float
    operations: int  # of files below the workspace

    @property
    def acknowledged(self) -> bool:
        """Whether it said that its change is made; an evaluation that could not be stored is printed at least."""
        return self.code == 0 and _NOT_STORED not in self.messages

    @property
    def complaint(self) -> str:
        """What is wrong with a run that ended by itself: anything but success or one line that says why."""
        if self.code is None:
            return f"did not end in {LIMIT:.0f} s"
        if "Traceback" in self.messages or self.code not in (0, 1):
            return f"exit code {self.code}: {self.messages[-600:]}"
        errors = [line for line in self.messages.splitlines() if line.startswith(ERROR)]
        return f"{len(errors)} error lines: {self.messages[-400:]}" if len(errors) != self.code else ""


@dataclass(frozen=True)
class Expected:
    """The content of a workspace before and after a command that nothing disturbed."""

    before: Content
    after: Content
    answers: Content
    files: Counter[tuple[str, ...]]


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
        self._expected: dict[str, Expected] = {}

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

    def _undisturbed(self, command: Command) -> Expected:
        """The content before and after the command, which also compiles what it needs."""
        if command.name in self._expected:
            return self._expected[command.name]
        disk = self.copy(self.before(command))
        before = self._read(lambda: primary_content(disk / _NAME))
        self._run_here(command.step, disk / _NAME)
        after, found, files = self._read(
            lambda: (primary_content(disk / _NAME), answers(disk / _NAME), stored_files(disk / _NAME))
        )
        primary_content(disk / _NAME), answers(disk / _NAME)  # compiled here, too
        self._run_here("check", disk / _NAME)
        self.discard(disk)
        self._expected[command.name] = Expected(before, after, found, files)
        return self._expected[command.name]

    def discard(self, disk: Path) -> None:
        """Remove a disk."""
        shutil.rmtree(disk)

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
        self._undisturbed(command)  # compiled before the fork

        def child() -> tuple[int, int]:
            fault.arm(disk, log)
            code = run_step(command.step, disk / _NAME)
            return code, fault.disarm()

        done = fork(child, self.folder, kill_after)
        code, operations = done.value if done.code == 0 else (done.code, 0)
        return Run(code, done.messages, done.seconds, operations)

    def _read(self, work: Callable[[], Any]) -> Any:
        done = fork(work, self.folder)
        if done.code != 0:
            raise RuntimeError(f"exit code {done.code}: {done.messages}")
        return done.value

    def count(self, command: Command, operations: frozenset[str]) -> int:
        """How many operations of some kinds the command makes when nothing disturbs it."""
        disk = self.copy(self.before(command))
        counted = self.run(command, disk, Fault(operations=operations)).operations
        self.discard(disk)
        return counted

    def verdict(self, command: Command, disk: Path, acknowledged: bool) -> tuple[str, str]:
        """What a reader, the check and a second run make of a disk after a fault: (outcome, detail)."""
        expected = self._undisturbed(command)
        done = fork(lambda: _examine(command, disk / _NAME, expected, acknowledged), self.folder)
        if done.code != 0:
            outcome = "traceback" if done.code == 1 else "crash"
            return outcome, f"exit code {done.code}: {done.messages[-900:]}"
        outcome, detail = done.value
        return outcome, f"{detail}: {done.messages[-300:]}" if detail else ""


def _examine(command: Command, workspace: Path, expected: Expected, acknowledged: bool) -> tuple[str, str]:
    if command.resumable and (workspace / UNFINISHED_RESTORE).exists():  # refuses readers
        outcome = "not applied"
    else:
        outcome, detail = _applied(command, primary_content(workspace), expected, acknowledged)
        if detail:
            return outcome, detail
        answers(workspace)
        if workspace.exists() and run_step("check", workspace) and not command.resumable:
            return "wrong", "the check finds damage"
        if outcome == "applied" and not command.repeatable:
            return outcome, ""
    if run_step(command.step, workspace):
        return "wrong", "the command fails when it is run again"
    if (again := primary_content(workspace)) != expected.after:
        names = [name for name, value in again.items() if value != expected.after[name]]
        return "wrong", f"after a second run {', '.join(names)} differ"
    if answers(workspace) != expected.answers:
        return "wrong", "after a second run suggestions differ"
    if differing := stored_files(workspace) - expected.files:
        return "wrong", f"after a second run files differ: {list(differing)[:3]}"
    return outcome, ""


def _applied(command: Command, found: Content, expected: Expected, acknowledged: bool) -> tuple[str, str]:
    """Whether the change is there; with a detail if it is partly, or though it was acknowledged not."""
    states = set()
    for name, value in found.items():
        before, after = expected.before[name], expected.after[name]
        if value not in (before, after):
            return "wrong", f"{name}: neither as before nor as after: {str(value)[:300]}"
        if before != after:
            states.add(value == after)
    if acknowledged and False in states:
        return "lost", "as before, though the command had succeeded"
    if len(states) > 1 and not command.resumable:
        return "wrong", "partly as before, partly as after"
    if not states:  # only derived data changes
        return "derived", ""
    return ("applied" if states == {True} else "not applied"), ""
