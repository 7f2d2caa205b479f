"""The command line of the comparison."""

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from reproduce import compare_checkouts
from reproduce.compare_checkouts.demo import demo_steps
from reproduce.compare_checkouts.runner import Checkout, Runner
from reproduce.compare_checkouts.shared_data import data_steps


def main() -> int:
    """Run both parts, print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m reproduce.compare_checkouts",
        description=(compare_checkouts.__doc__ or "").splitlines()[0],
    )
    parser.add_argument("before", type=Path, help="a checkout with .venv/bin/querykin")
    parser.add_argument("after", type=Path, help="another one")
    parser.add_argument("--data", action="store_true", help="also the shared corpora (QUERYKIN_DATA)")
    parser.add_argument("--only-data", action="store_true", help="without the demo part")
    parser.add_argument("--keep", type=Path, help="a new folder that keeps workspaces and inputs")
    given = parser.parse_args()
    if given.keep and given.keep.exists():
        sys.exit(f"--keep must name a folder that does not exist yet, got {given.keep}")
    with TemporaryDirectory(prefix="compare-checkouts-") as temporary:
        folder = (given.keep or Path(temporary)).resolve()
        runner = Runner(Checkout(given.before, folder / "before"), Checkout(given.after, folder / "after"))
        if not given.only_data:
            demo_steps(runner, folder / "inputs")
        if given.data or given.only_data:
            data_steps(runner, folder / "inputs")
    if not runner.rows:
        return 1
    print(runner.report())
    return int(bool(runner.failed) or any(found.differences for _, found in runner.rows))


if __name__ == "__main__":
    sys.exit(main())
