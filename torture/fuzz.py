"""Fuzzed inputs: a million mutations of valid files, texts, models and settings, each read or refused.

Inputs are read in child processes of bounded memory, one for each processor, so that a crash is an outcome and not
the end. An input is known by the seed and its number: `python -m torture.fuzz_child SEED NUMBER 1 -v` reads it again.
"""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from torture.figures import Figures

INPUTS = 1_000_000
_BATCH = 20_000  # inputs of one child process
_PATIENCE = 3600  # seconds for a batch: a child ends each input by itself after 10


def run(scale: float, seed: int) -> Figures:
    """Read the inputs and count what came of them."""
    figures = Figures()
    total = max(1, round(INPUTS * scale))
    with ThreadPoolExecutor(os.cpu_count()) as children:
        batches = [range(begin, min(begin + _BATCH, total)) for begin in range(0, total, _BATCH)]
        for found in children.map(lambda numbers: _read(seed, numbers), batches):
            figures.add(found)
    return figures


def _read(seed: int, numbers: range) -> Figures:
    """The outcomes of some inputs, by a child process, and by another for those after an input that crashed it."""
    figures = Figures()
    while numbers:
        numbers = numbers[_read_in_child(figures, seed, numbers) :]
    return figures


def _read_in_child(figures: Figures, seed: int, numbers: range) -> int:
    """Read inputs in a child process; returns how many it came to, also if it crashed."""
    with TemporaryDirectory() as folder:
        progress = Path(folder, "progress")
        progress.write_text(str(numbers.start))
        command = [
            sys.executable,
            "-m",
            "torture.fuzz_child",
            str(seed),
            str(numbers.start),
            str(len(numbers)),
            str(progress),
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=False)
        for line in done.stdout.splitlines():
            outcome = json.loads(line)
            if "counts" in outcome:
                for kind, number in outcome["counts"].items():
                    figures.outcomes[kind] += number
                    figures.attempts += number
            else:
                figures.record(
                    f"input {outcome['input']} ({outcome['target']})", outcome["outcome"], outcome["detail"]
                )
        if done.returncode == 0:
            return len(numbers)
        number = int(progress.read_text().strip("\0 "))
        detail = f"exit {done.returncode}: {done.stderr[-200:]}"
        figures.record(f"input {number} of seed {seed}", "crash", detail)
        return number - numbers.start + 1
