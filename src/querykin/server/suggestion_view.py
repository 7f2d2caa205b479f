"""View model of suggestions: bars, frequencies, and what moved against another measure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from querykin.querylog.repository import Repository
from querykin.retrieval.suggester import Suggestion, Suggestions
from querykin.server.rank_changes import RankChange, rank_changes


@dataclass(frozen=True)
class SuggestionRow:
    """A suggestion with the width of its bar in percent, how frequent it is, and how its rank changed."""

    suggestion: Suggestion
    bar_width: float
    frequency: str  # empty for a query that occurred once
    change: RankChange | None = None


@dataclass(frozen=True)
class SuggestionList:
    """The suggestions of one measure, prepared for the templates."""

    result: Suggestions
    rows: Sequence[SuggestionRow]


def make_list(
    result: Suggestions, repository: Repository, changes: Sequence[RankChange | None] = ()
) -> SuggestionList:
    """A list of suggestions, with what moved if it is shown beside another list."""
    best = max((each.score for each in result.suggestions), default=0.0)
    rows = [
        SuggestionRow(
            suggestion,
            _bar_width(suggestion.score, best),
            str(repository.frequency(suggestion.query_id)) if suggestion.count > 1 else "",
            change,
        )
        for suggestion, change in zip_longest(result.suggestions, changes)
    ]
    return SuggestionList(result, rows)


def side_by_side(
    first: Suggestions, second: Suggestions, repository: Repository
) -> tuple[SuggestionList, SuggestionList]:
    """Two lists: which of the first are not in the second, and what moved from the first to the second."""
    before, after = ([each.query for each in result.suggestions] for result in (first, second))
    missing = [None if query in after else RankChange("−", f"not by {second.measure}") for query in before]
    return make_list(first, repository, missing), make_list(second, repository, rank_changes(before, after))


def _bar_width(score: float, best: float) -> float:
    """In percent; a negative score is a log-probability."""
    return round(100 * (math.exp(score) if score < 0 else score / max(best, 1.0)), 1)
