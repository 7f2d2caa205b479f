"""Keyword extraction: logistic regression over term features (Yih, Goodman & Carvalho 2006).

The classified terms are the stems of single words. Document frequencies and query frequencies may be
unavailable: the model has separate weights for each case, fitted without the missing features.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from math import isfinite
from typing import Any

import numpy as np

from querykin.compute.arrays import Float64Array
from querykin.errors import WorkspaceError
from querykin.learning.tweak.term_weights import MEANINGS as TERM_MEANINGS
from querykin.model_files import version_1_feature
from querykin.querylog.document_frequencies import PER
from querykin.weighting.term_features import FIELDS, TermFeatureReader, TermTable

FEATURES = (
    "bias",
    "log tf",
    "tf",
    "log df",
    "df",
    "log qf",
    "capitalized",
    "number",
    "log position",
    "position",
    "log sentence position",
    "sentence position",
    "log sentence length",
    "log length",
    *FIELDS,
)
SOURCES = {"documents": ("log df", "df"), "queries": ("log qf",)}  # features that need more than the text
CASES = ("documents queries", "documents", "queries", "")  # available sources, from most to least
MEANINGS = TERM_MEANINGS | {
    "tf": "term frequency as a share of the text",
    "df": "document frequency as a share of the documents",
    "number": "begins with a digit",
    "log sentence position": "first position in its sentence: log(words before it + 1)",
    "sentence position": "first position in its sentence as a share of it",
    "log sentence length": "length of its sentence: log(words + 1)",
}


@dataclass(frozen=True)
class Extractor:
    """Probabilities that the words of a text are its keywords."""

    weights: Mapping[str, Mapping[str, float]]  # by case, by feature

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> "Extractor":
        """The extractor in the content of a model."""
        try:
            cases = {case: dict(content["weights"][case]) for case in CASES if case in content["weights"]}
            weights = {case: {name: float(cases[case][name]) for name in cases[case]} for case in cases}
        except (KeyError, TypeError, ValueError) as error:
            raise WorkspaceError(
                f"the model is not a keyword extractor ({error!r}); train it again"
            ) from error
        unknown = sorted({name for case in weights.values() for name in case} - set(FEATURES))
        if unknown:
            raise WorkspaceError(f"the model has unknown features: {', '.join(unknown)}; train it again")
        if "" not in weights or not all(isfinite(w) for case in weights.values() for w in case.values()):
            raise WorkspaceError("the weights of the keyword extractor are damaged; train it again")
        return cls(weights)

    @property
    def fingerprint(self) -> str:
        """A hash of the weights."""
        weights = {
            case: {version_1_feature(name): weight for name, weight in by_feature.items()}
            for case, by_feature in self.weights.items()
        }
        return blake2b(repr(weights).encode(), digest_size=6).hexdigest()

    def weights_for(self, known: str) -> Mapping[str, float]:
        """The weights of the richest case that needs no more than the available sources."""
        return next(self.weights[case] for case in self.weights if set(case.split()) <= set(known.split()))

    def probabilities(self, reader: TermFeatureReader, terms: TermTable) -> Float64Array:
        """The probability that each term is a keyword of its text; 0 for stop words."""
        weights = self.weights_for(known_case(reader))
        logits = word_features(reader, terms, list(weights)) @ np.array(list(weights.values()))
        probabilities = 1 / (1 + np.exp(-np.clip(logits, -500, 500)))
        return np.where(np.isin(terms.terms, reader.function_words()), 0.0, probabilities)


def word_features(reader: TermFeatureReader, terms: TermTable, names: Sequence[str]) -> Float64Array:
    """The features of every term, with smoothed document and query frequencies."""
    documents = _smoothed(terms.documents, len(reader.corpus))
    queries = _smoothed(terms.queries, reader.query_frequencies.queries)
    return replace(terms, documents=documents, queries=queries).features(names)


def _smoothed(frequencies: Float64Array, size: int) -> Float64Array:
    """(n + 1/2) / (N + 1): a word absent from four documents is not as rare as one absent from a million."""
    smoothed: Float64Array = (frequencies * size + PER / 2) / (size + 1)
    return smoothed


def known_case(reader: TermFeatureReader) -> str:
    """The sources available besides the text: documents, queries, both or neither."""
    known = {"documents": len(reader.corpus) > 0, "queries": reader.query_frequencies.queries > 0}
    return " ".join(source for source in SOURCES if known[source])
