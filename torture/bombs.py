"""Bombs: small files that would become huge, read by every reader in a child process whose memory is measured."""

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from torture.figures import Figures

TESTS = Path(__file__).parents[1] / "tests"
SIZES = (56, 512)  # MiB that a bomb grows to: below and above the size from which on the ratio matters
MAX_PEAK = 2_500  # MiB of the process, for records of up to 64 MiB


def run(scale: float, seed: int) -> Figures:
    """Read all bombs; a reader that takes more memory than it may is over the limit."""
    sys.path.insert(0, str(TESTS))
    import bombs  # type: ignore[import-not-found]

    figures = Figures()
    for size in SIZES:
        with TemporaryDirectory() as folder:
            for name, content in bombs.bombs(max(8, round(size * scale))):
                Path(folder, name).write_bytes(content)
            _read(figures, folder, size)
    return figures


def _read(figures: Figures, folder: str, size: int) -> None:
    command = [sys.executable, str(TESTS / "bombs.py"), folder]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    for line in done.stdout.splitlines():
        found = json.loads(line)
        outcome = found["outcome"].partition(":")[0]
        if found["peak"] > MAX_PEAK:
            outcome = "over limit"
        detail = f"{found['peak']} MiB, {found['seconds']} s, {found['outcome']}"
        figures.record(f"{found['bomb']} of {size} MiB by {found['reader']}", outcome, detail)
    if done.returncode:
        figures.record(f"bombs of {size} MiB", "crash", f"exit {done.returncode}: {done.stderr[-300:]}")
