"""Two texts under every measure that is ready, as rows of a table."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isnan
from typing import Any

from querykin.defaults import DEFAULT_MEASURE
from querykin.errors import UnknownName
from querykin.measures.families import Family
from querykin.server.snapshot import Snapshot


@dataclass(frozen=True)
class MeasureScore:
    """The score of two texts by one measure."""

    measure: str
    family: Family
    score: float
    percentile: float | None  # among random pairs of past queries, if they were sampled

    @property
    def bar_width(self) -> float | None:
        """Width of the bar in percent; None for scores that are not from 0 to 1."""
        return round(100 * self.score, 1) if 0 <= self.score <= 1 else None


ORDERS: dict[str, Callable[[MeasureScore], Any]] = {  # name in the address, sort key
    "family": lambda row: (list(Family).index(row.family), row.measure != DEFAULT_MEASURE, row.measure),
    "measure": lambda row: row.measure,
    "score": lambda row: (inf if isnan(row.score) else -row.score, row.measure),
    "percentile": lambda row: (inf if row.percentile is None else -row.percentile, row.measure),
}


def compare(snapshot: Snapshot, a: str, b: str, order: str) -> list[MeasureScore]:
    """The scores of two texts by every measure that is ready, in one of the `ORDERS`."""
    if order not in ORDERS:
        raise UnknownName("order", order[:40], ORDERS)
    (scores,) = snapshot.score([(a, b)])
    rows = [
        MeasureScore(
            name, snapshot.workspace.measure_class(name).family, score, snapshot.percentile(score, name)
        )
        for name, score in scores.items()
    ]
    return sorted(rows, key=ORDERS[order])
