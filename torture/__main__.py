"""Run the torture tests: `python -m torture [PART...] [--scale F] [--seed N]`.

Parts are the modules in `PARTS`; each has a function `run(scale, seed)` that returns its `Figures`. At scale 1 all of
them together take at most three hours on two cores; `--scale .01` is a quick look. Writes `torture/results/PART.json`
and exits with 1 if anything was lost, wrong, ended in a traceback, crashed or exceeded a limit.
"""

import argparse
import json
import os
import sys
from importlib import import_module
from pathlib import Path
from time import monotonic

from torture.figures import Figures

PARTS = (
    "kills",
    "faults",
    "power_loss",
    "determinism",
    "bounds",
    "soak",
    "fuzz",
    "bombs",
    "linearity",
    "fuzz_api",
    "damage",
    "hostile_arrays",
)
RESULTS = Path(__file__).parent / "results"


def main() -> int:
    """Run the parts that were named, or all."""
    parser = argparse.ArgumentParser(prog="python -m torture", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; default: all")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the attempts (default 1)")
    parser.add_argument("--seed", type=int, default=0, help="of the random choices (default 0)")
    arguments = parser.parse_args()
    if unknown := set(arguments.parts) - set(PARTS):
        parser.error(f"unknown part {', '.join(sorted(unknown))}; known: {', '.join(PARTS)}")
    failed = False
    for part in arguments.parts or PARTS:
        began, busy = monotonic(), _processor_time()
        figures: Figures = import_module(f"torture.{part}").run(arguments.scale, arguments.seed)
        times = {"seconds": monotonic() - began, "processor_seconds": _processor_time() - busy}
        _report(part, figures, times["seconds"])
        _write(part, figures, times, arguments)
        failed = failed or bool(figures.failures)
    return int(failed)


def _processor_time() -> float:
    """Of this process and of those that it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _report(part: str, figures: Figures, seconds: float) -> None:
    outcomes = ", ".join(f"{number:,} {outcome}" for outcome, number in figures.outcomes.most_common())
    print(f"{part}: {figures.attempts:,} attempts in {seconds:,.0f} s: {outcomes}")
    for failure in figures.failures:
        print(f"  {failure}")


def _write(part: str, figures: Figures, times: dict[str, float], arguments: argparse.Namespace) -> None:
    RESULTS.mkdir(exist_ok=True)
    content = {
        **vars(figures),
        **{name: round(seconds) for name, seconds in times.items()},
        "scale": arguments.scale,
        "seed": arguments.seed,
    }
    (RESULTS / f"{part}.json").write_text(json.dumps(content, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
