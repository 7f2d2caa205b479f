"""Comparison with a previous evaluation, stored as JSON."""

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
from querykin.untrusted_json import read_json

STORED_BY_GROUP = ("mean_auc", "map")  # metrics whose values by group are in the JSON
_NOT_METRICS = ("measure", "precision_at_recall", "significance", "against")  # keys of a result


@dataclass(frozen=True)
class PreviousRun:
    """The metrics of a previous evaluation, by measure."""

    name: str
    relevant: float
    fingerprint: str
    results: Mapping[str, Metrics]

    def comparable(self, other: "Evaluation | PreviousRun") -> bool:
        """Whether both are on the same judgements, so that they can be compared group by group."""
        return (self.fingerprint, self.relevant) == (other.fingerprint, other.relevant)


def read_previous_run(path: Path) -> PreviousRun:
    """Read the output of `querykin evaluate --format json`."""
    try:
        content = read_json(path)
        by_group = content.get("by_group", {})
        results = {result["measure"]: _metrics(result, by_group) for result in content["results"]}
        return PreviousRun(path.name, float(content["relevant"]), str(content.get("judgements")), results)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        raise InputError(
            f"{path} is not an evaluation; --against takes the output of evaluate --format json"
        ) from None


def _metrics(result: Mapping[str, Any], by_group: Mapping[str, Any]) -> Metrics:
    values = {name: _parse(value) for name, value in result.items() if name not in _NOT_METRICS}
    arrays = {name: _parse_array(groups) for name, groups in by_group.get(result["measure"], {}).items()}
    return Metrics(values, arrays, np.arange(len(next(iter(arrays.values()), []))))


def _parse_array(values: list[float | None]) -> Float64Array:
    return np.array([_parse(value) for value in values], np.float64)


def _parse(value: float | None) -> float:
    return nan if value is None else float(value)


def compare_with_previous_run(
    previous: PreviousRun, current: Evaluation | PreviousRun, seed: int = 0
) -> dict[str, dict[str, Difference]]:
    """The differences of every measure that is in both.

    Intervals and tests are available for metrics stored by group, if the judgements are the same.
    """
    now = _by_measure(current)
    shared = {name: previous.results[name] for name in now if name in previous.results}
    if not shared:
        known = ", ".join(previous.results) or "nothing"
        raise InputError(f"{previous.name} has none of these measures: {', '.join(now)}; it has {known}")
    tested = differences(now, shared, seed) if previous.comparable(current) else {}
    return {name: {**_untested(now[name], then), **tested.get(name, {})} for name, then in shared.items()}


def _by_measure(run: Evaluation | PreviousRun) -> Mapping[str, Metrics]:
    if isinstance(run, PreviousRun):
        return run.results
    return {result.measure: result.metrics for result in run.results}


def _untested(now: Metrics, then: Metrics) -> dict[str, Difference]:
    return {
        name: Difference(Interval(round(value - then.values[name], 9), nan, nan))
        for name, value in now.values.items()
        if name in then.values
    }
