"""Whether a written reading agrees with the tables above it: every figure of the reading must stand in them.

A figure is a decimal fraction (.873, +.035, 78.7) or a count (16 of 22). It stands in the tables if one of their
numbers is equal to it, or becomes equal when it is rounded to the same number of digits. The sign does not count:
a reading may say "below by .055".
"""

import re

_NUMBER = re.compile(r"(?<![\w.])[-+]?(\d[\d,]*)?\.\d+|(?<![\w.,])[-+]?\d[\d,]*(?![\w.]*\w)")
_FIGURE = re.compile(r"(?<![\w.])[-+]?\d*\.\d+(?!\w)")
_COUNT = re.compile(r"\b\d+ of \d+\b")


def contradictions(tables: str, reading: str) -> list[str]:
    """The figures of a reading that its tables do not have.

    >>> contradictions("| a | .8734 | 16 of 22 |", "It has .873, in 16 of 22 cases; the other has .91.")
    ['.91']
    """
    known = [abs(float(match[0].replace(",", ""))) for match in _NUMBER.finditer(tables)]
    missing = [figure for figure in _FIGURE.findall(reading) if not _stands_in(figure, known)]
    return missing + [count for count in _COUNT.findall(reading) if count not in tables]


def _stands_in(figure: str, known: list[float]) -> bool:
    digits = len(figure.partition(".")[2])
    value, slack = abs(float(figure)), 0.5 * 10**-digits + 1e-9  # either way of rounding a half
    return any(abs(number - value) <= slack for number in known)
