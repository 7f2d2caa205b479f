"""Learned term weights (Yih 2009): a term with features phi has the weight max(0, sum of w_j phi_j)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.errors import UnknownName, WorkspaceError
from querykin.model_files import version_1_feature
from querykin.search.expansion import Expansions
from querykin.vectors import Vectors, top_mask
from querykin.weighting.term_features import FIELDS, TermFeatureReader, TermTable

RESULTS = 30  # documents that a text is expanded with
MAX_TERMS = 300  # terms of a text that are weighted, the highest by tf idf
PLAIN = ("bias", "log tf", "log df", "log qf", "capitalized", "log position", "position", "log length")
_QUERY_TERM = "query term"
FEATURE_SETS = {
    "tf-df": PLAIN[:3],
    "plain": PLAIN,
    "html": (*PLAIN, *FIELDS),
    "more": (*PLAIN, _QUERY_TERM, "query term idf"),
    "html-more": (*PLAIN, *FIELDS, _QUERY_TERM, "query term idf"),
}
START = {"bias": 5.0, "log tf": 1.0, "log df": -0.5}  # initial weights of learning: close to tf idf
MEANINGS = {
    "bias": "every term",
    "log tf": "term frequency: log(tf + 1)",
    "log df": "document frequency, per 100,000 documents: log(df + 1)",
    "log qf": "frequency in past queries, per 100,000 queries: log(qf + 1)",
    "capitalized": "capitalized at least once",
    "log position": "first position in the text: log(words before it + 1)",
    "position": "first position as a share of the text",
    "log length": "length of the text: log(words + 1)",
    "title": "in the page's title",
    "url": "in the page's address",
    "anchor": "in the text of a link of the page",
    "keywords": "in the page's meta-keywords",
    "description": "in the page's meta-description",
    "query term": "a word of the text itself, not only of its results",
    "query term idf": "a word of the text itself, times its idf: log(100,001 / (df + 1))",
}


def feature_names(name: str) -> tuple[str, ...]:
    """The features of a named set."""
    if name not in FEATURE_SETS:
        raise UnknownName("set of features", name, FEATURE_SETS)
    return FEATURE_SETS[name]


def select_terms(terms: TermTable, limit: int = MAX_TERMS) -> TermTable:
    """The terms of each text to be weighted: its own words if it was expanded, then the highest by tf idf."""
    weights = terms.counts * terms.idf
    if terms.is_query_term is not None:
        weights = np.where(terms.is_query_term, np.inf, weights)
    return terms.only(top_mask(terms.indptr, weights, limit))


def result_terms(reader: TermFeatureReader, expansions: Expansions, features: Sequence[str]) -> TermTable:
    """The terms of each text's results, with the text's own words if a feature refers to them."""
    terms = reader.of_results(expansions)
    return select_terms(reader.with_own_words(terms, expansions) if _QUERY_TERM in features else terms)


@dataclass(frozen=True)
class TermWeights:
    """Term features and their learned weights."""

    features: tuple[str, ...]
    weights: Float64Array
    results: int

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> "TermWeights":
        """The weights in the content of a model."""
        try:
            features, weights = tuple(map(str, content["features"])), np.array(content["weights"], np.float64)
            results = int(content["results"])
        except (KeyError, TypeError, ValueError) as error:
            raise WorkspaceError(f"the model has no term weights ({error!r}); train it again") from error
        unknown = [name for name in features if name not in MEANINGS]
        if unknown:
            raise WorkspaceError(f"the model has unknown features: {', '.join(unknown)}; train it again")
        if weights.shape != (len(features),) or not np.isfinite(weights).all():
            raise WorkspaceError("the model has damaged weights; train it again")
        return cls(features, weights, results)

    @property
    def fingerprint(self) -> str:
        """A hash of features and weights."""
        features = tuple(map(version_1_feature, self.features))
        return blake2b(repr((features, self.weights.tolist())).encode(), digest_size=6).hexdigest()

    def rows(self, terms: TermTable, space: str) -> Vectors:
        """A vector of the terms of positive weight for each text, not normalized."""
        weights = np.maximum(terms.features(self.features) @ self.weights, 0.0)
        return Vectors(terms.indptr, terms.terms, weights, space).select(weights > 0)


def concatenate_terms(
    parts: Sequence[TermTable], features: Sequence[str]
) -> tuple[Int64Array, Int64Array, Any]:
    """The indptr, terms and features of several parts, concatenated."""
    sizes = np.concatenate([np.zeros(1, np.int64), *(np.diff(part.indptr) for part in parts)])
    terms = np.concatenate([part.terms for part in parts])
    table = np.concatenate([part.features(features).astype(np.float32) for part in parts])
    return np.cumsum(sizes), terms, table
