"""Texts compared by the documents they find."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.measures.base import ExpansionMeasure, measures, setting
from querykin.measures.passages import excerpt
from querykin.search.engine import Results
from querykin.search.expansion import MAX_RESULTS
from querykin.types import Passage
from querykin.vectors import Vectors


class ResultMeasure(ExpansionMeasure):
    """A measure whose features are documents."""

    def weigh(self, results: Results) -> Float64Array:
        """What each result counts."""
        raise NotImplementedError

    def encode_batch(self, texts: Sequence[str]) -> Vectors:
        """Unit rows over documents."""
        _, results, covered = self.expander.search(texts, self.results)
        owners = np.repeat(np.arange(len(texts)), np.diff(results.indptr))
        order = np.lexsort((results.documents, owners))
        rows = Vectors(results.indptr, results.documents[order], self.weigh(results)[order], self.space)
        return rows.mask_rows(covered).unit()

    def label(self, features: Int64Array, texts: Sequence[str]) -> list[str]:
        """The titles of the documents, or their ids."""
        results = self.expander.search(texts, self.results)[1]
        places = [int(np.flatnonzero(results.documents == feature)[0]) for feature in features]
        found = [results.segments[results.segment_ids[r]].document(int(results.ordinals[r])) for r in places]
        return [document.title or document.id for document in found]

    def passages(self, a: str, b: str, features: Int64Array, shares: Float64Array) -> list[Passage]:
        """What the heaviest shared documents say about each text."""
        found = []
        for side, text in (("a", a), ("b", b)):
            expansions = self.expander.expand([text], self.results)
            stems, idf = expansions.queries.terms(0)
            for document in features[:2]:
                result = int(np.flatnonzero(expansions.results.documents == document)[0])
                found.append(excerpt(self.expander, expansions, result, side, stems, idf))
        return found


@measures.register("set-overlap")
@dataclass(frozen=True)
class SetOverlap(ResultMeasure):
    """The share of results two texts have in common: |R(x) & R(y)| / n (Fitzpatrick & Dent 1997).

    Where the texts have different numbers of results, n is the geometric mean of the two.
    """

    NAME: ClassVar[str] = "set-overlap"
    kernel: ClassVar[bool] = True
    source: ClassVar[str] = "Fitzpatrick & Dent 1997, a baseline of Sahami & Heilman 2006"
    formula: ClassVar[str] = "|R(x) & R(y)| / n"
    advice: ClassVar[str] = "Queries that find the same documents; 0 for most pairs."
    results: int = setting(200, "documents found for a text", 1, MAX_RESULTS)

    def weigh(self, results: Results) -> Float64Array:
        """Every result counts the same."""
        return np.ones(len(results.documents))


@measures.register("result-cosine")
@dataclass(frozen=True)
class ResultCosine(ResultMeasure):
    """The cosine of two texts' results weighted by their scores: texts as vectors over documents.

    Known as explicit semantic analysis (Gabrilovich & Markovitch 2007) when the corpus is an encyclopedia.
    """

    NAME: ClassVar[str] = "result-cosine"
    kernel: ClassVar[bool] = True
    source: ClassVar[str] = "Gabrilovich & Markovitch 2007 (explicit semantic analysis)"
    formula: ClassVar[str] = "cosine of the scores of both texts' results"
    advice: ClassVar[str] = "Entities and their relations: the best measure here of what belongs together."
    results: int = setting(200, "documents found for a text", 1, MAX_RESULTS)

    def weigh(self, results: Results) -> Float64Array:
        """A result counts what the search engine gives it."""
        return results.scores
