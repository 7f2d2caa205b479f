"""How much does a term weigh? What was learnt of its features (Yih 2009): max(0, sum of w_j phi_j)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.errors import UnknownName, WorkspaceError
from querykin.search.expansion import Expansions
from querykin.vectors import Vectors, top_mask
from querykin.weighting.term_features import FIELDS, TermFeatureReader, TermTable

RESULTS = 30  # documents that speak for a text
MOST_TERMS = 300  # of a text's terms only so many, by tf idf, are weighed at all
PLAIN = ("bias", "log tf", "log df", "log qf", "capital", "log place", "place", "log length")
FEATURE_SETS = {
    "tf-df": PLAIN[:3],
    "plain": PLAIN,
    "html": (*PLAIN, *FIELDS),
    "more": (*PLAIN, "own", "own idf"),
    "html-more": (*PLAIN, *FIELDS, "own", "own idf"),
}
START = {"bias": 5.0, "log tf": 1.0, "log df": -0.5}  # often here, rare elsewhere: learning begins there
MEANINGS = {
    "bias": "every term",
    "log tf": "how often it comes: log(tf + 1)",
    "log df": "how many of 100,000 documents hold it: log(df + 1)",
    "log qf": "how many of 100,000 past queries hold it: log(qf + 1)",
    "capital": "capitalised at least once",
    "log place": "how late it comes first: log(words before it + 1)",
    "place": "how late it comes first, as a share of the text",
    "log length": "how long the text is: log(words + 1)",
    "title": "in the page's title",
    "url": "in the page's address",
    "anchor": "in the text of a link of the page",
    "keywords": "in the page's meta-keywords",
    "description": "in the page's meta-description",
    "own": "a word of the text itself, not only of its results",
    "own idf": "a word of the text itself, times how rare it is: log(100,001 / (df + 1))",
}


def feature_names(given: str) -> tuple[str, ...]:
    """The features of a set."""
    if given not in FEATURE_SETS:
        raise UnknownName("set of features", given, FEATURE_SETS)
    return FEATURE_SETS[given]


def chosen(terms: TermTable, most: int = MOST_TERMS) -> TermTable:
    """The terms of each text that can weigh something: all that were searched, and the heaviest by tf idf."""
    weights = terms.counts * terms.idf
    if terms.is_query_term is not None:
        weights = np.where(terms.is_query_term, np.inf, weights)
    return terms.only(top_mask(terms.indptr, weights, most))


def result_terms(reader: TermFeatureReader, expansions: Expansions, features: Sequence[str]) -> TermTable:
    """The terms of each text's results; with its own words where a feature speaks of them."""
    terms = reader.of_results(expansions)
    return chosen(reader.with_own_words(terms, expansions) if "own" in features else terms)


@dataclass(frozen=True)
class TermWeights:
    """Features of terms and what each adds to a term's weight."""

    features: tuple[str, ...]
    weights: Float64Array
    results: int

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> "TermWeights":
        """What the content of a model says."""
        try:
            features, weights = tuple(map(str, content["features"])), np.array(content["weights"], np.float64)
            results = int(content["results"])
        except (KeyError, TypeError, ValueError) as error:
            raise WorkspaceError(
                f"the model holds no weights of terms ({error!r}); train it again"
            ) from error
        strange = [name for name in features if name not in MEANINGS]
        if strange or weights.shape != (len(features),) or not np.isfinite(weights).all():
            found = (
                f"features this program does not know: {', '.join(strange)}" if strange else "damaged weights"
            )
            raise WorkspaceError(f"the model has {found}; train it again")
        return cls(features, weights, results)

    @property
    def fingerprint(self) -> str:
        """Tells weights apart."""
        return blake2b(repr((self.features, self.weights.tolist())).encode(), digest_size=6).hexdigest()

    def rows(self, terms: TermTable, space: str) -> Vectors:
        """Terms that weigh something, text by text; not yet of length 1."""
        weights = np.maximum(terms.features(self.features) @ self.weights, 0.0)
        return Vectors(terms.indptr, terms.terms, weights, space).select(weights > 0)


def distinct_terms(parts: Sequence[TermTable], features: Sequence[str]) -> tuple[Int64Array, Int64Array, Any]:
    """Where texts begin, their terms and their features, of several pieces laid end to end."""
    sizes = np.concatenate([np.zeros(1, np.int64), *(np.diff(part.indptr) for part in parts)])
    numbers = np.concatenate([part.terms for part in parts])
    table = np.concatenate([part.features(features).astype(np.float32) for part in parts])
    return np.cumsum(sizes), numbers, table
