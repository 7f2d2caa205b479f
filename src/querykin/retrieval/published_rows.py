"""Rows of past queries in an OpenSearch index, searched by inner product.

A term is a feature, its frequency the weight in steps of 1/65,535, and the similarity of the field is boost
times frequency: the score of a query of weighted terms is the inner product, up to single precision.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.errors import WorkspaceError
from querykin.opensearch.connection import Connection
from querykin.opensearch.differences import FIELDS
from querykin.retrieval.row_terms import feature_term
from querykin.storage.content_hash import content_hash
from querykin.vectors import QUANTIZATION_LEVELS, Vectors

FORMAT = 1  # of the index
PROPOSING_TERMS = 32  # the heaviest terms of a query, which propose candidates
WINDOW = 200  # candidates of a shard that the whole row scores again
_MARGIN = 20  # candidates beyond those asked for: rounding may exchange neighbors
_MAX_RESULTS = 10_000  # of a search: a cluster returns no more
_MAX_TERMS = 1000  # of a query: a cluster refuses more than 1,024
_TOGETHER = 32  # queries of a request

MAPPINGS: dict[str, Any] = {
    "dynamic": "strict",
    "_source": {"excludes": ["row"]},
    "properties": {
        **FIELDS,
        "query": {"type": "keyword", "index": False, "doc_values": False},
        "count": {"type": "long"},
        "norm": {"type": "double", "index": False},
        "row": {
            "type": "text",
            "analyzer": "weighted_terms",
            "search_analyzer": "whitespace",
            "norms": False,
            "index_options": "freqs",
            "similarity": "inner_product",
        },
    },
}
SETTINGS: dict[str, Any] = {
    "analysis": {
        "filter": {"weights": {"type": "delimited_term_freq", "delimiter": "|"}},
        "analyzer": {"weighted_terms": {"type": "custom", "tokenizer": "whitespace", "filter": ["weights"]}},
    },
    "similarity": {
        "inner_product": {
            "type": "scripted",
            "script": {"source": f"return query.boost * doc.freq / {QUANTIZATION_LEVELS}.0;"},
        }
    },
}


@dataclass(frozen=True)
class PublishedBuild:
    """What the rows of an index depend on; rows of different builds are never compared."""

    measure: str
    index_settings: str
    space: str
    statistics_version: str
    source_ids: str
    format: int = FORMAT

    @property
    def name(self) -> str:
        """A short name of the build, the same wherever it is the same."""
        return f"{content_hash(repr(self).encode()):x}"[-12:]


@dataclass(frozen=True)
class PublishedState:
    """An index of published rows: its name, their build, and the state of the workspace they show."""

    index: str
    build: PublishedBuild
    generation: str  # of the index and the repository that the rows were read from; "" while they are sent

    def metadata(self) -> dict[str, Any]:
        """As the `_meta` of the index's mapping."""
        return {"querykin": {"build": asdict(self.build), "generation": self.generation}}


def read_state(connection: Connection, name: str) -> PublishedState | None:
    """The state of the index of a name or alias; None if there is none."""
    found = connection.metadata(name)
    if found is None:
        return None
    content = found[1].get("querykin", {})
    if "build" not in content:
        raise WorkspaceError(
            f"{found[0]!r} of {connection} does not hold published rows; next: choose another --index"
        )
    return PublishedState(found[0], PublishedBuild(**content["build"]), content["generation"])


@dataclass(frozen=True)
class Candidates:
    """Queries found by one search, in no order: their ids, inner products, and the norms of their rows."""

    query_ids: Int64Array
    dots: Float64Array
    norms: Float64Array


class PublishedRows:
    """Searches the rows of one published index."""

    def __init__(self, connection: Connection, alias: str) -> None:
        self.connection, self.alias = connection, alias

    @cached_property
    def state(self) -> PublishedState:
        """What is published, as of the first use; later publications of other builds are not searched."""
        self.connection.check_version()
        state = read_state(self.connection, self.alias)
        if state is None:
            raise WorkspaceError(
                f"{self.connection} has no published rows {self.alias!r}; next: {self.command}"
            )
        return state

    @property
    def command(self) -> str:
        """The command that publishes rows here."""
        return f"querykin publish --to {self.connection.settings.hosts[0]} --index {self.alias}"

    def search(self, rows: Vectors, k: int, min_count: int = 1) -> list[Candidates]:
        """For each row the nearest queries, a few more than k.

        The heaviest terms propose, the whole row scores: approximate where a query has more than 32 terms.
        Where they propose fewer than k, all terms do.
        """
        found = self._answers([_nearest(*rows.row(number), k, min_count) for number in range(len(rows))])
        sizes = np.diff(rows.indptr)
        few = [n for n, each in enumerate(found) if len(each.query_ids) < k and sizes[n] > PROPOSING_TERMS]
        again = self._answers([_nearest(*rows.row(number), k, min_count, _MAX_TERMS) for number in few])
        for number, candidates in zip(few, again, strict=True):
            found[number] = candidates
        return found

    def look_up(self, row: Vectors, query_ids: Int64Array) -> list[Candidates]:
        """Queries given by id, in parts; those without a published row are missing."""
        terms = _should(*row.row(0))
        requests = [
            {
                "size": len(part),
                "query": {"bool": {"filter": {"terms": {"number": part.tolist()}}, "should": terms}},
                **_RETURNED,
            }
            for part in np.split(query_ids, range(_MAX_TERMS, len(query_ids), _MAX_TERMS))
            if len(part)
        ]
        return self._answers(requests)

    def _answers(self, requests: Sequence[dict[str, Any]]) -> list[Candidates]:
        found = []
        for begin in range(0, len(requests), _TOGETHER):
            batch = list(requests[begin : begin + _TOGETHER])
            for answer in self.connection.search_many(self.state.index, batch):
                hits = answer["hits"]["hits"]
                numbers = np.array([hit["fields"]["number"][0] for hit in hits], np.int64)
                norms = np.array([hit["fields"]["norm"][0] for hit in hits])
                found.append(Candidates(numbers, np.array([hit["_score"] for hit in hits]), norms))
        return found


_RETURNED: dict[str, Any] = {
    "track_total_hits": False,
    "stored_fields": "_none_",
    "docvalue_fields": ["number", "norm"],
}


def _should(features: Int64Array, weights: Float64Array, limit: int = _MAX_TERMS) -> list[dict[str, Any]]:
    """The heaviest terms of a row as clauses that add their weights."""
    heaviest = np.argsort(-weights, kind="stable")[:limit]
    return [
        {"term": {"row": {"value": feature_term(feature), "boost": weight}}}
        for feature, weight in zip(features[heaviest].tolist(), weights[heaviest].tolist(), strict=True)
    ]


def _nearest(
    features: Int64Array,
    weights: Float64Array,
    k: int,
    min_count: int,
    proposing: int = PROPOSING_TERMS,
) -> dict[str, Any]:
    """The search for the nearest rows; the `proposing` heaviest terms propose candidates."""
    bool_query: dict[str, Any] = {
        "should": _should(features, weights, proposing),
        "minimum_should_match": 1,
    }
    if min_count > 1:
        bool_query["filter"] = {"range": {"count": {"gte": min_count}}}
    size = min(k + _MARGIN, _MAX_RESULTS)
    search = {"size": size, "query": {"bool": bool_query}, **_RETURNED}
    if len(features) > proposing:
        rescore = {
            "rescore_query": {"bool": {"should": _should(features, weights)}},
            "query_weight": 0,
            "rescore_query_weight": 1,
        }
        search["rescore"] = {"window_size": max(WINDOW, size), "query": rescore}
    return search
