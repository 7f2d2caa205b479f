"""Tables and numbers as Markdown."""

import math
from collections.abc import Iterable, Sequence


def number(value: float, digits: int = 3) -> str:
    """A figure for a table; a score that does not exist is a dash.

    >>> number(0.25), number(float("nan"))
    ('.250', '-')
    """
    if math.isnan(value):
        return "-"
    text = format(value, f".{digits}f")
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


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
