"""Commands run on two checkouts at the same time, and the report of what differs."""

import csv
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from reproduce.compare_checkouts.outputs import TOLERANCE, Comparison, compare

SHOWN = 5  # differences printed for one command


@dataclass(frozen=True)
class Step:
    """A command, what it reads from standard input, and how its output is parsed."""

    name: str
    arguments: Sequence[str]
    form: str = "json"  # json, jsonl, tsv, text; exit: only the exit code is compared
    stdin: str = ""
    fails: bool = False  # whether an exit code above 0 is expected


@dataclass(frozen=True)
class Output:
    """What a command returned."""

    code: int
    stdout: str
    stderr: str
    seconds: float

    def parsed(self, form: str) -> object:
        """The exit code and the output as values that can be compared; text that cannot be parsed stays text."""
        try:
            return {"exit code": self.code, "output": PARSERS[form](self.stdout)}
        except (ValueError, csv.Error):
            return {"exit code": self.code, "output": self.stdout}


def _parse_tsv(text: str) -> list[list[object]]:
    return [[_cell(cell) for cell in line.split("\t")] for line in text.splitlines()]


def _cell(text: str) -> object:
    try:
        return float(text)
    except ValueError:
        return text


PARSERS: Mapping[str, Callable[[str], object]] = {
    "json": lambda text: json.loads(text) if text.strip() else None,
    "jsonl": lambda text: [json.loads(line) for line in text.splitlines()],
    "tsv": _parse_tsv,
    "text": str.splitlines,
    "exit": lambda text: None,
}


class Checkout:
    """One of the two checkouts, run in a separate folder."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.path, self.folder = path.resolve(), folder
        self._program = self.path / ".venv" / "bin" / "querykin"
        if not self._program.is_file():
            sys.exit(f"{self._program} not found: {path} must be a checkout with an installed environment")
        folder.mkdir(parents=True, exist_ok=True)
        self._check_source()

    def run(self, step: Step) -> Output:
        """Run a command; the workspace is a relative path, so that messages are the same in both checkouts."""
        start = time.perf_counter()
        done = subprocess.run(
            [str(self._program), *step.arguments],
            cwd=self.folder,
            env=self._environment(),
            input=step.stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="backslashreplace",
        )
        return Output(done.returncode, done.stdout, done.stderr, time.perf_counter() - start)

    def _environment(self) -> dict[str, str]:
        """Without settings of querykin, and without PYTHONPATH, which would put another tree in place of this one."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if name != "PYTHONPATH" and not name.startswith("QUERYKIN_")
        }
        return kept | {"PATH": f"{self._program.parent}{os.pathsep}{os.environ.get('PATH', '')}"}

    def _check_source(self) -> None:
        """An environment may have another checkout installed; then the comparison would be worthless."""
        python = self._program.parent / "python"
        script = "import importlib.util as u; print(u.find_spec('querykin').origin)"
        found = subprocess.run(
            [str(python), "-c", script],
            cwd=self.folder,
            env=self._environment(),
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        if not Path(found).resolve().is_relative_to(self.path):
            sys.exit(f"{self._program} runs {found}, which is not inside {self.path}")


class Runner:
    """Runs steps on both checkouts at the same time and collects the comparisons."""

    def __init__(self, before: Checkout, after: Checkout) -> None:
        self.checkouts = before, after
        self.rows: list[tuple[str, Comparison]] = []
        self.failed: list[str] = []  # commands that should have succeeded

    def run(self, step: Step) -> object:
        """Compare the outputs of one command; returns what the first checkout printed."""
        with ThreadPoolExecutor(2) as pool:
            outputs = list(pool.map(lambda checkout: checkout.run(step), self.checkouts))
        before, after = (output.parsed(step.form) for output in outputs)
        found = compare(before, after)
        self.rows.append((step.name, found))
        seconds = " ".join(f"{output.seconds:.1f} s" for output in outputs)
        note = f", {len(found.differences)} DIFFERENCES" if found.differences else ""
        _progress(f"{step.name}: {found.items:,} items, exit {outputs[0].code} ({seconds}){note}")
        if any(output.code for output in outputs) and not step.fails:
            self.failed.append(step.name)
            for output in outputs:
                _progress("  " + (output.stderr.strip().splitlines() or ["no message"])[-1])
        return before["output"] if isinstance(before, dict) else before

    def report(self) -> str:
        """A table of all comparisons, the first differences, and the count."""
        width = max(len(name) for name, _ in self.rows)
        lines = [f"{'command':<{width}}  {'items':>9}  largest difference"]
        for name, found in self.rows:
            lines.append(
                f"{name:<{width}}  {found.items:>9,}  {found.largest:.1e}"
                if found.largest
                else f"{name:<{width}}  {found.items:>9,}  0"
            )
        differing = [(name, found) for name, found in self.rows if found.differences]
        for name, found in differing:
            more = len(found.differences) - SHOWN
            lines += ["", f"{name}: {len(found.differences):,} differences"]
            lines += [f"  {difference}" for difference in found.differences[:SHOWN]]
            lines += [f"  and {more:,} more"] if more > 0 else []
        if self.failed:
            lines += ["", f"failed, so that little was compared: {', '.join(self.failed)}"]
        largest = max(found.largest for _, found in self.rows)
        lines += [
            "",
            f"numbers compared to {TOLERANCE:g}; largest difference {largest:.1e}",
            f"{len(self.rows)} comparisons, {len(differing)} differ",
        ]
        return "\n".join(lines)


def _progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
