"""Compare two runs of the benchmarks: `python -m bench.compare BEFORE AFTER`, two folders or files of results.

Times that grew and throughputs that fell are printed and make the exit code 1. A change counts when it exceeds the
larger of a tenth and the spread that was recorded for the repeats. Figures from different processors are compared
with a warning.
"""

import json
import sys
from pathlib import Path
from typing import Any

CHANGED = 0.10
MORE_IS_BETTER = ("core", "cores", "recall")
NO_TIME = ("spread", "repeats")
PERCENTILES = ("p50", "p99")  # figures with a spread beside them


def main() -> int:
    """Print every figure that changed."""
    if len(sys.argv) != 3:
        print("python -m bench.compare takes two files or folders of results: BEFORE AFTER", file=sys.stderr)
        return 2
    before, after = (read(Path(path)) for path in sys.argv[1:])
    shared = sorted(before.keys() & after.keys())
    if not shared:
        print(
            f"nothing to compare: {sys.argv[1]} and {sys.argv[2]} have no result in common", file=sys.stderr
        )
        return 1
    worse = 0
    for name in shared:
        if before[name]["machine"]["processor"] != after[name]["machine"]["processor"]:
            print(f"{name}: other processors; only ratios can be compared")
        for line, is_worse in differences(before[name]["figures"], after[name]["figures"]):
            print(f"{name}: {line}")
            worse += is_worse
    limit = f"{CHANGED:.0%} and by more than the spread of their repeats"
    print(f"{worse} figures are worse by more than {limit}" if worse else "no figure is worse")
    return int(worse > 0)


def read(path: Path) -> dict[str, dict[str, Any]]:
    """The results in a file or a folder, by name."""
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    found = {file.stem: json.loads(file.read_text("utf-8")) for file in files}
    return {name: result for name, result in found.items() if "figures" in result}


def differences(before: dict[str, float], after: dict[str, float]) -> list[tuple[str, bool]]:
    """A line for each figure that changed, and whether it got worse.

    A change counts when it exceeds both a tenth of the earlier figure and the recorded spread of its repeats.

    >>> differences({"top10 p50": 1.0, "same": 5.0}, {"top10 p50": 1.5, "same": 5.1})
    [('top10 p50: 1 -> 1.5 (+50%)', True)]
    >>> differences({"top10 p50": 1.0, "top10 spread": 0.6}, {"top10 p50": 1.5, "top10 spread": 0.1})
    []
    """
    lines = []
    for name in (name for name in before.keys() & after.keys() if not name.endswith(NO_TIME)):
        change = after[name] - before[name]
        if before[name] and abs(change) > max(CHANGED * abs(before[name]), _spread(name, before, after)):
            better = (change > 0) == name.endswith(MORE_IS_BETTER)
            share = change / before[name]
            lines.append((f"{name}: {before[name]:.4g} -> {after[name]:.4g} ({share:+.0%})", not better))
    return sorted(lines)


def _spread(name: str, before: dict[str, float], after: dict[str, float]) -> float:
    """The larger spread that the two runs recorded beside a percentile; 0 where there is none."""
    of, _, percentile = name.rpartition(" ")
    if percentile not in PERCENTILES:
        return 0.0
    return max(figures.get(f"{of} spread".strip(), 0.0) for figures in (before, after))


if __name__ == "__main__":
    sys.exit(main())
