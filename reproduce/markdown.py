"""Tables and numbers as Markdown."""

import math
from collections.abc import Iterable, Sequence

from querykin.evaluation.significance import Interval


def number(value: float, digits: int = 3) -> str:
    """A number for a table; NaN is a dash.

    >>> number(0.25), number(float("nan"))
    ('.250', '-')
    """
    if math.isnan(value):
        return "-"
    text = format(value, f".{digits}f")
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def signed(value: float) -> str:
    """A difference for a table.

    >>> signed(0.0312), signed(-0.5)
    ('+.031', '-.500')
    """
    return ("" if value < 0 else "+") + number(value)


def interval(found: Interval | None) -> str:
    """A difference with its 95 % interval; empty if there is no comparison.

    >>> interval(Interval(0.03, -0.01, 0.07))
    '+.030 [-.010, +.070]'
    """
    if found is None:
        return ""
    return f"{signed(found.difference)} [{signed(found.low)}, {signed(found.high)}]"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table.

    >>> print(table(["a", "b"], [["1", "2"]]))
    | a | b |
    |---|---|
    | 1 | 2 |
    """
    lines = [header, ["---"] * len(header), *rows]
    joined = [" | ".join(line) for line in lines]
    return "\n".join(f"| {line} |" for line in joined).replace("| --- |", "|---|").replace(" --- |", "---|")
