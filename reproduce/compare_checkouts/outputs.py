"""What counts as a difference between two outputs of a command."""

import math
from dataclasses import dataclass, field
from typing import Any

from querykin.model_files import upgrade_from_1

TOLERANCE = 1e-9
ROUNDING = 1e-15  # what the subtraction of two printed numbers adds
IGNORED_KEYS = frozenset({"bytes", "version", "querykin"})  # depend on the file format and the release


@dataclass
class Comparison:
    """Two outputs compared: how many values, the largest difference of numbers, and what differs."""

    items: int = 0
    largest: float = 0.0
    differences: list[str] = field(default_factory=list)

    def text(self, where: str, before: object, after: object) -> None:
        """Record two values that are not the same."""
        self.differences.append(f"{where or 'output'}: {_short(before)} -> {_short(after)}")


def compare(before: object, after: object, tolerance: float = TOLERANCE) -> Comparison:
    """Compare two parsed outputs.

    >>> compare({"a": [1.0, "x"]}, {"a": [1.0 + 1e-12, "x"]}).differences
    []
    >>> compare({"a": [1.0, "x"]}, {"a": [1.1, "y"]}).differences
    ['a[0]: 1.0 -> 1.1', "a[1]: 'x' -> 'y'"]
    """
    found = Comparison()
    _compare(before, after, "", tolerance, found)
    return found


def _compare(before: object, after: object, where: str, tolerance: float, found: Comparison) -> None:
    if isinstance(before, dict) and isinstance(after, dict):
        _compare_objects(before, after, where, tolerance, found)
    elif isinstance(before, list) and isinstance(after, list):
        if len(before) != len(after):
            found.text(f"{where} length".strip(), len(before), len(after))
        for place, (one, other) in enumerate(zip(before, after, strict=False)):
            _compare(one, other, f"{where}[{place}]", tolerance, found)
    elif _is_number(before) and _is_number(after):
        found.items += 1
        apart = _difference(float(before), float(after))  # type: ignore[arg-type]
        found.largest = max(found.largest, apart)
        if apart > tolerance + ROUNDING:
            found.text(where, before, after)
    else:
        found.items += 1
        if type(before) is not type(after) or before != after:
            found.text(where, before, after)


def _compare_objects(
    before: dict[str, Any], after: dict[str, Any], where: str, tolerance: float, found: Comparison
) -> None:
    """Keys must be the same and in the same order."""
    if {"kind", "content", "training"} <= before.keys():  # a trained model
        before = upgrade_from_1(before)
    before = {key: value for key, value in before.items() if key not in IGNORED_KEYS}
    after = {key: value for key, value in after.items() if key not in IGNORED_KEYS}
    inside = f"{where}." if where else ""
    for key in before.keys() - after.keys():
        found.text(f"{inside}{key}", before[key], "missing")
    for key in after.keys() - before.keys():
        found.text(f"{inside}{key}", "missing", after[key])
    shared = [key for key in before if key in after]
    if shared != [key for key in after if key in before]:
        found.text(f"{where} order of keys".strip(), list(before), list(after))
    for key in shared:
        _compare(before[key], after[key], f"{inside}{key}", tolerance, found)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _difference(one: float, other: float) -> float:
    """The difference of two numbers, relative to the larger where that is above 1; two NaN are equal."""
    if one == other or (math.isnan(one) and math.isnan(other)):
        return 0.0
    if not (math.isfinite(one) and math.isfinite(other)):
        return math.inf
    return abs(one - other) / max(1.0, abs(one), abs(other))


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 100 else f"{text[:97]}..."
