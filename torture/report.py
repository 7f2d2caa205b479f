"""Write the figures of the torture tests into docs/explanation/reliability.md: `python -m torture.report`.

The table stands between two marks; parts without a file in `torture/results` are left out.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from torture.__main__ import RESULTS
from torture.figures import FAILURES

PAGE = Path(__file__).parent.parent / "docs" / "explanation" / "reliability.md"
TIMES = ("seconds", "processor_seconds")
BEGIN, END = "<!-- figures: python -m torture.report -->", "<!-- end of figures -->"


def table(results: Path) -> str:
    """The figures of all parts that have been run, as a Markdown table."""
    found = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(results.glob("*.json"))}
    if not found:
        return "No part has been run yet."
    head = [
        "| part | scale | attempts | outcomes | failures | minutes | of processor time |",
        "|---|---|---|---|---|---|---|",
    ]
    minutes = [_minutes([each.get(name) for each in found.values()]) for name in TIMES]
    total = f"| all | | {sum(each['attempts'] for each in found.values()):,} | | | {' | '.join(minutes)} |"
    return "\n".join([*head, *(_row(part, each) for part, each in found.items()), total])


def _row(part: str, found: dict[str, Any]) -> str:
    by_number = sorted(found["outcomes"].items(), key=lambda each: (-each[1], each[0]))
    outcomes = ", ".join(f"{number:,} {outcome}" for outcome, number in by_number if outcome not in FAILURES)
    failed = ", ".join(f"{number:,} {outcome}" for outcome, number in by_number if outcome in FAILURES)
    minutes = " | ".join(_minutes([found.get(name)]) for name in TIMES)
    return f"| `{part}` | {found['scale']:g} | {found['attempts']:,} | {outcomes} | {failed or '0'} | {minutes} |"


def _minutes(seconds: Sequence[float | None]) -> str:
    """The sum in minutes; nothing if one of them was not measured."""
    known = [each for each in seconds if each is not None]
    return f"{sum(known) / 60:.0f}" if len(known) == len(seconds) else ""


def with_table(page: str, content: str) -> str:
    """A page with the content between the marks replaced.

    >>> with_table(f"a {BEGIN} old {END} b", "new").split()[-5:]
    ['end', 'of', 'figures', '-->', 'b']
    """
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page has no {BEGIN} followed by {END}")
    return f"{before}{BEGIN}\n\n{content}\n\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text("utf-8"), table(RESULTS)), "utf-8")
