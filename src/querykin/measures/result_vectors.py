"""Texts compared by the documents they retrieve."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array
from querykin.measures.base import register
from querykin.measures.expansion_measure import ExpansionMeasure, SearchDepth
from querykin.measures.passages import excerpt
from querykin.search.engine import SearchResults
from querykin.search.expansion import Expansions
from querykin.types import Passage
from querykin.vectors import Vectors


class ResultMeasure(ExpansionMeasure):
    """A measure whose features are documents."""

    @abstractmethod
    def weigh(self, results: SearchResults) -> Float64Array:
        """The weight of each result."""

    def encode_expansions(self, expansions: Expansions) -> Vectors:
        """Unit rows over documents."""
        return self._encode(expansions.results, expansions.covered)

    def encode_with_results(self, texts: Sequence[str]) -> tuple[Vectors, SearchResults]:
        """The rows of a few texts and their results; no windows are needed."""
        _, results, covered = self.expander.search(texts, self.results)
        return self._encode(results, covered), results

    def _encode(self, results: SearchResults, covered: BoolArray) -> Vectors:
        owners = np.repeat(np.arange(len(covered)), np.diff(results.indptr))
        order = np.lexsort((results.documents, owners))
        rows = Vectors(results.indptr, results.documents[order], self.weigh(results)[order], self.space)
        return rows.mask_rows(covered).unit()

    def label(self, features: Int64Array, texts: Sequence[str]) -> list[str]:
        """The titles of the documents, or their ids."""
        results = self.expander.search(texts, self.results)[1]
        positions = [int(np.flatnonzero(results.documents == feature)[0]) for feature in features]
        documents = [
            results.segments[results.segment_ids[r]].document(int(results.ordinals[r])) for r in positions
        ]
        return [document.title or document.id for document in documents]

    def choose_passages(
        self, expansions: Expansions, features: Int64Array, parts: Float64Array
    ) -> list[Passage]:
        """Excerpts of the heaviest shared documents for each text."""
        documents, chosen = expansions.results.documents, []
        for text, side in enumerate("ab"):
            begin, end = expansions.indptr[text], expansions.indptr[text + 1]
            stems, idf = expansions.queries.terms(text)
            for document in features[:2]:
                result = int(begin + np.flatnonzero(documents[begin:end] == document)[0])
                chosen.append(excerpt(self.expander, expansions, result, side, stems, idf))
        return chosen


@register("set-overlap")
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
    results: SearchDepth = 200

    def weigh(self, results: SearchResults) -> Float64Array:
        """All results weigh the same."""
        return np.ones(len(results.documents))


@register("result-cosine")
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
    results: SearchDepth = 200

    def weigh(self, results: SearchResults) -> Float64Array:
        """The weight of a result is its score."""
        return results.scores
