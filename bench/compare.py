"""Tell two runs apart: `python -m bench.compare BEFORE AFTER`, two folders or files of results.

Times that grew and throughputs that fell by more than a tenth are named, and make the exit code 1. Figures of
different machines, or of machines that gave different shares of their cores, are compared with a warning.
"""

import json
import sys
from pathlib import Path
from typing import Any

CHANGED = 0.10
MORE_IS_BETTER = ("core", "cores", "recall")
NO_TIME = ("spread", "repeats")


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
    print(f"{worse} figures are worse by more than {CHANGED:.0%}" if worse else "no figure is worse")
    return int(worse > 0)


def read(path: Path) -> dict[str, dict[str, Any]]:
    """The results in a file or a folder, by name."""
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    found = {file.stem: json.loads(file.read_text("utf-8")) for file in files}
    return {name: result for name, result in found.items() if "figures" in result}


def differences(before: dict[str, float], after: dict[str, float]) -> list[tuple[str, bool]]:
    """A line for each figure that changed, and whether it got worse.

    >>> differences({"top10 p50": 1.0, "same": 5.0}, {"top10 p50": 1.5, "same": 5.1})
    [('top10 p50: 1 -> 1.5 (+50%)', True)]
    """
    lines = []
    for name in (name for name in before.keys() & after.keys() if not name.endswith(NO_TIME)):
        change = after[name] / before[name] - 1 if before[name] else 0.0
        if abs(change) > CHANGED:
            better = (change > 0) == name.endswith(MORE_IS_BETTER)
            lines.append((f"{name}: {before[name]:.4g} -> {after[name]:.4g} ({change:+.0%})", not better))
    return sorted(lines)


if __name__ == "__main__":
    sys.exit(main())
