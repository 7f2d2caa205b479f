"""What moved between two rankings."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class RankChange:
    """How the rank of a query differs from its rank in another list, as a symbol and in words."""

    symbol: str
    text: str


def rank_changes(before: Sequence[str], after: Sequence[str]) -> list[RankChange]:
    """How the rank of each query of `after` differs from its rank in `before`.

    >>> [change.text for change in rank_changes(["a", "b", "c"], ["c", "b", "a", "d"])]
    ['up from 3', 'same rank', 'down from 1', 'new']
    """
    ranks = {query: rank for rank, query in enumerate(before, start=1)}
    return [_change(ranks.get(query), rank) for rank, query in enumerate(after, start=1)]


def _change(before: int | None, after: int) -> RankChange:
    if before is None:
        return RankChange("+", "new")
    if before == after:
        return RankChange("=", "same rank")
    return RankChange("▲", f"up from {before}") if after < before else RankChange("▼", f"down from {before}")
