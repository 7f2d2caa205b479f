"""Configured limits on the contents of API requests."""

from collections.abc import Sequence

from querykin.server.problems import HTTPProblem, validation_problem
from querykin.server.schemas import MatchRequest, PairsRequest
from querykin.settings_sections import ServerSettings


class RequestLimits:
    """Checks requests against the limits in the settings; each check raises HTTPProblem 422."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings

    def check_texts(self, location: str, texts: Sequence[str]) -> None:
        """Check the length of each text against `max_text`."""
        longest = max(map(len, texts))
        if longest > self._settings.max_text:
            raise _limit_exceeded(location, longest, self._settings.max_text, "characters for a text")

    def check_k(self, location: str, k: int) -> None:
        """Check the number of results against `max_k`."""
        if k > self._settings.max_k:
            raise _limit_exceeded(location, k, self._settings.max_k, "for each query")

    def check_pairs(self, body: PairsRequest, measures: int) -> None:
        """Check the texts, and the number of pairs times measures against `max_pairs`."""
        self.check_texts("body.pairs", [text for pair in body.text_pairs() for text in pair])
        if len(body.pairs) * max(1, measures) > self._settings.max_pairs:
            got = f"{len(body.pairs)} pairs by {measures} measures"
            raise _limit_exceeded("body.pairs", got, self._settings.max_pairs, "comparisons")

    def check_queries(self, body: MatchRequest) -> None:
        """Check the texts, k, and the number of queries against `max_queries`."""
        self.check_texts("body.queries", body.queries)
        self.check_k("body.k", body.k)
        if len(body.queries) > self._settings.max_queries:
            raise _limit_exceeded("body.queries", len(body.queries), self._settings.max_queries, "queries")


def _limit_exceeded(location: str, got: object, limit: int, unit: str) -> HTTPProblem:
    return validation_problem([{"at": location, "message": f"at most {limit} {unit}, got {got}"}])
