"""Rankings and rows of queries in messages between a router and its shards; numbers keep every bit."""

from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from querykin.errors import InputError
from querykin.index.ranking import Ranking
from querykin.vectors import Vectors


def rankings_json(rankings: Iterable[Ranking]) -> list[dict[str, Any]]:
    """Rankings as JSON."""
    return [
        {
            "query_ids": each.query_ids.tolist(),
            "scores": each.scores.tolist(),
            "covered": each.covered,
            "probabilities": None if each.probabilities is None else each.probabilities.tolist(),
        }
        for each in rankings
    ]


def rankings_from_json(content: Iterable[dict[str, Any]]) -> list[Ranking]:
    """Rankings that came as JSON."""
    return [
        Ranking(
            np.array(each["query_ids"], np.int64),
            np.array(each["scores"], np.float64),
            each["covered"],
            None if each["probabilities"] is None else np.array(each["probabilities"], np.float64),
        )
        for each in content
    ]


def rows_json(rows: Vectors) -> dict[str, str]:
    """Rows as JSON, with arrays in Base64."""
    return {
        "space": rows.space,
        "indptr": _encoded(rows.indptr, "<i8"),
        "features": _encoded(rows.features, "<i8"),
        "weights": _encoded(rows.weights, "<f8"),
    }


def rows_from_json(content: dict[str, str], queries: Sequence[str]) -> Vectors:
    """The rows of queries that came as JSON."""
    try:
        indptr, features = _decoded(content["indptr"], "<i8"), _decoded(content["features"], "<i8")
        weights = _decoded(content["weights"], "<f8")
    except (KeyError, ValueError) as error:
        raise InputError(f"rows must be arrays in Base64, got {error}") from None
    bounded = len(indptr) == len(queries) + 1 and indptr[0] == 0 and (np.diff(indptr) >= 0).all()
    if not bounded or not indptr[-1] == len(features) == len(weights):
        raise InputError(f"rows must be one for each of the {len(queries):,} queries")
    return Vectors(
        indptr.astype(np.int64), features.astype(np.int64), weights.astype(np.float64), content["space"]
    )


def _encoded(values: NDArray[Any], dtype: str) -> str:
    return b64encode(values.astype(dtype).tobytes()).decode()


def _decoded(text: str, dtype: str) -> NDArray[Any]:
    return np.frombuffer(b64decode(text, validate=True), dtype)
