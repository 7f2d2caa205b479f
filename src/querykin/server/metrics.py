"""How is it doing? Counts and times for Prometheus, right also where several workers answer."""

import os

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # the client library's variable: where workers put their numbers together
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class Metrics:
    """What the service counts."""

    def __init__(self) -> None:
        self._own = CollectorRegistry()
        self._latency = Histogram(
            "querykin_request_seconds",
            "Time until the answer",
            ["route", "measure"],
            buckets=_BUCKETS,
            registry=self._own,
        )
        self._answers = Counter(
            "querykin_requests", "Answers by status", ["route", "status"], registry=self._own
        )
        self._covered = Counter(
            "querykin_texts",
            "Queries and pairs a measure had an opinion on, or not",
            ["measure", "covered"],
            registry=self._own,
        )
        self._cache = Counter(
            "querykin_cache",
            "Questions to suggest whose answer was kept, or not",
            ["result"],
            registry=self._own,
        )

    def answered(self, route: str, measure: str, status: int, seconds: float) -> None:
        """Count an answer."""
        self._latency.labels(route, measure).observe(seconds)
        self._answers.labels(route, str(status)).inc()

    def covers(self, measure: str, covered: bool) -> None:
        """Count whether a measure, which must be a known one, had an opinion."""
        self._covered.labels(measure, "yes" if covered else "no").inc()

    def looked_up(self, hit: bool) -> None:
        """Count a look into the kept answers."""
        self._cache.labels("hit" if hit else "miss").inc()

    def text(self) -> tuple[bytes, str]:
        """Everything, of all workers together, as Prometheus reads it; and the type of the text."""
        registry = self._own
        if FOLDER in os.environ:
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry), CONTENT_TYPE_LATEST
