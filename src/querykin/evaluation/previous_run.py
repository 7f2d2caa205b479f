"""Better than last time? An evaluation beside an earlier one that was kept as JSON."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import nan
from pathlib import Path
from typing import Any

import numpy as np

from querykin.compute.arrays import Float64Array
from querykin.errors import InputError
from querykin.evaluation.metrics import Metrics
from querykin.evaluation.results import Difference, Evaluation, differences
from querykin.evaluation.significance import Interval

KEPT = ("mean_auc", "map")  # metrics whose values of each group are kept in JSON


@dataclass(frozen=True)
class PreviousRun:
    """What an earlier evaluation reached, measure by measure."""

    name: str
    relevant: float
    fingerprint: str
    results: Mapping[str, Metrics]

    def comparable(self, found: "Evaluation | PreviousRun") -> bool:
        """Whether both stand on the same judgements, so that their groups can be compared one by one."""
        return (self.fingerprint, self.relevant) == (found.fingerprint, found.relevant)


def read_previous_run(path: Path) -> PreviousRun:
    """Read what `querykin evaluate --format json` wrote."""
    try:
        content = json.loads(path.read_text("utf-8"))
        kept = content.get("by_group", {})
        results = {result["measure"]: _metrics(result, kept) for result in content["results"]}
        return PreviousRun(path.name, float(content["relevant"]), str(content.get("judgements")), results)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(
            f"{path} is no evaluation; --against takes what evaluate --format json wrote"
        ) from None


def _metrics(result: Mapping[str, Any], kept: Mapping[str, Any]) -> Metrics:
    values = {
        name: _real(value)
        for name, value in result.items()
        if name not in ("measure", "precision_at_recall", "significance", "against")
    }
    by_group = {name: _reals(groups) for name, groups in kept.get(result["measure"], {}).items()}
    return Metrics(values, by_group, np.arange(len(next(iter(by_group.values()), []))))


def _reals(values: list[float | None]) -> Float64Array:
    return np.array([_real(value) for value in values], np.float64)


def _real(value: float | None) -> float:
    return nan if value is None else float(value)


def compare_with_previous_run(
    earlier: PreviousRun, found: Evaluation | PreviousRun, seed: int = 0
) -> dict[str, dict[str, Difference]]:
    """How every measure that is in both differs from what it was.

    Intervals and tests are there for the metrics whose groups are kept, when the judgements are the same.
    """
    ours = _by_measure(found)
    shared = {name: earlier.results[name] for name in ours if name in earlier.results}
    if not shared:
        known = ", ".join(earlier.results) or "nothing"
        raise InputError(f"{earlier.name} has none of these measures: {', '.join(ours)}; it has {known}")
    tested = differences(ours, shared, seed) if earlier.comparable(found) else {}
    return {name: {**_untested(ours[name], then), **tested.get(name, {})} for name, then in shared.items()}


def _by_measure(found: Evaluation | PreviousRun) -> Mapping[str, Metrics]:
    if isinstance(found, PreviousRun):
        return found.results
    return {result.measure: result.metrics for result in found.results}


def _untested(now: Metrics, then: Metrics) -> dict[str, Difference]:
    return {
        name: Difference(Interval(round(value - then.values[name], 9), nan, nan))
        for name, value in now.values.items()
        if name in then.values
    }
