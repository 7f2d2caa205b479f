"""Prometheus metrics, aggregated over all worker processes."""

import os

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

MULTIPROCESS_DIR = "PROMETHEUS_MULTIPROC_DIR"  # environment variable of prometheus_client: the shared folder
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class Metrics:
    """Request latency, response status, measure coverage, cache hits and answers of shards."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._latency = Histogram(
            "querykin_request_seconds",
            "Request latency in seconds by route and measure",
            ["route", "measure"],
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._requests = Counter(
            "querykin_requests",
            "Requests by route and response status",
            ["route", "status"],
            registry=self._registry,
        )
        self._coverage = Counter(
            "querykin_texts",
            "Queries and pairs by measure and whether the measure covers them",
            ["measure", "covered"],
            registry=self._registry,
        )
        self._cache_lookups = Counter(
            "querykin_cache",
            "Lookups in the response cache of suggest by result",
            ["result"],
            registry=self._registry,
        )

        self._shards = Counter(
            "querykin_shard_requests",
            "Requests of a router to its shards by outcome: answered, missing, or hedged on the way",
            ["shard", "outcome"],
            registry=self._registry,
        )

    def record_request(self, route: str, measure: str, status: int, seconds: float) -> None:
        """Count a finished request and its latency."""
        self._latency.labels(route, measure).observe(seconds)
        self._requests.labels(route, str(status)).inc()

    def record_coverage(self, measure: str, covered: bool) -> None:
        """Count a query or pair; the measure must be a known name, since labels are unbounded otherwise."""
        self._coverage.labels(measure, "yes" if covered else "no").inc()

    def record_cache_lookup(self, hit: bool) -> None:
        """Count a lookup in the response cache."""
        self._cache_lookups.labels("hit" if hit else "miss").inc()

    def record_shard(self, shard: str, outcome: str) -> None:
        """Count a request to a shard: answered, missing or hedged."""
        self._shards.labels(shard, outcome).inc()

    def render(self) -> tuple[bytes, str]:
        """Metrics of all workers in Prometheus' text format, and its content type."""
        registry = self._registry
        if MULTIPROCESS_DIR in os.environ:
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry), CONTENT_TYPE_LATEST
