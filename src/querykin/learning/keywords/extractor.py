"""Which words of a text are its keywords? Logistic regression over features of each word.

After Yih, Goodman & Carvalho (2006), for single words by their stems. How many documents and past queries
hold a word may be unknown: there are weights for each case, learnt as if nothing more were ever known.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from math import isfinite
from typing import Any

import numpy as np

from querykin.compute.arrays import Float64Array
from querykin.errors import WorkspaceError
from querykin.learning.tweak.term_weights import MEANINGS as SHARED
from querykin.querylog.document_frequencies import PER
from querykin.weighting.term_features import FIELDS, TermFeatureReader, TermTable

FEATURES = (
    "bias",
    "log tf",
    "tf",
    "log df",
    "df",
    "log qf",
    "capital",
    "number",
    "log place",
    "place",
    "log place in sentence",
    "place in sentence",
    "log sentence",
    "log length",
    *FIELDS,
)
SOURCES = {"documents": ("log df", "df"), "queries": ("log qf",)}  # features that need more than the text
CASES = ("documents queries", "documents", "queries", "")  # what may be known, the most first
MEANINGS = SHARED | {
    "tf": "how often it comes, as a share of the text",
    "df": "which share of the documents holds it",
    "number": "begins with a digit",
    "log place in sentence": "how late it comes in its sentence: log(words before it + 1)",
    "place in sentence": "how late it comes in its sentence, as a share of it",
    "log sentence": "how long its sentence is: log(words + 1)",
}


@dataclass(frozen=True)
class Extractor:
    """How likely each word of a text is one of its keywords."""

    weights: Mapping[str, Mapping[str, float]]  # by case, by feature

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> "Extractor":
        """What the content of a model says."""
        try:
            cases = {case: dict(content["weights"][case]) for case in CASES if case in content["weights"]}
            weights = {case: {name: float(cases[case][name]) for name in cases[case]} for case in cases}
        except (KeyError, TypeError, ValueError) as error:
            raise WorkspaceError(f"the model is no keyword extractor ({error!r}); train it again") from error
        strange = sorted({name for case in weights.values() for name in case} - set(FEATURES))
        if strange:
            raise WorkspaceError(f"the model has features unknown here: {', '.join(strange)}; train it again")
        if "" not in weights or not all(isfinite(w) for case in weights.values() for w in case.values()):
            raise WorkspaceError("the weights of the keyword extractor are damaged; train it again")
        return cls(weights)

    @property
    def fingerprint(self) -> str:
        """Tells extractors apart."""
        return blake2b(repr(self.weights).encode(), digest_size=6).hexdigest()

    def weights_for(self, known: str) -> Mapping[str, float]:
        """The weights learnt under the case nearest to what is known now."""
        return next(self.weights[case] for case in self.weights if set(case.split()) <= set(known.split()))

    def probabilities(self, reader: TermFeatureReader, terms: TermTable) -> Float64Array:
        """How likely each term is a keyword of its text; 0 for function words."""
        weights = self.weights_for(known_case(reader))
        odds = word_features(reader, terms, list(weights)) @ np.array(list(weights.values()))
        found = 1 / (1 + np.exp(-np.clip(odds, -500, 500)))
        return np.where(np.isin(terms.terms, reader.function_words()), 0.0, found)


def word_features(reader: TermFeatureReader, terms: TermTable, names: Sequence[str]) -> Float64Array:
    """The features of every term, with frequencies that a small corpus does not make too much of."""
    documents = _smoothed(terms.documents, len(reader.corpus))
    queries = _smoothed(terms.queries, reader.query_frequencies.queries)
    return replace(terms, documents=documents, queries=queries).features(names)


def _smoothed(frequencies: Float64Array, size: int) -> Float64Array:
    """(n + 1/2) of (N + 1): what four documents do not hold is not as rare as what a million do not."""
    found: Float64Array = (frequencies * size + PER / 2) / (size + 1)
    return found


def known_case(reader: TermFeatureReader) -> str:
    """What is known of words besides the text they stand in."""
    known = {"documents": len(reader.corpus) > 0, "queries": reader.query_frequencies.queries > 0}
    return " ".join(source for source in SOURCES if known[source])
