"""TF-IDF cosine of pseudo-documents: the "web kernel" baseline of Yih (2009)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from querykin.measures.base import register
from querykin.measures.expansion_measure import ExpansionMeasure, SearchDepth
from querykin.search.expansion import Expansions
from querykin.vectors import Vectors
from querykin.weighting.tfidf import pseudo_document


@register("tfidf")
@dataclass(frozen=True)
class Tfidf(ExpansionMeasure):
    """The cosine of two texts' search results, each taken as one long text with TF-IDF weights."""

    NAME: ClassVar[str] = "tfidf"
    kernel: ClassVar[bool] = True
    source: ClassVar[str] = "Yih 2009, where it is called the web kernel"
    formula: ClassVar[str] = "cosine of tf log(N / df) over all words of the results"
    advice: ClassVar[str] = "A baseline of the literature."
    results: SearchDepth = 200

    def encode_expansions(self, expansions: Expansions) -> Vectors:
        """Unit rows over words."""
        corpus = self.expander.corpus
        words = np.arange(corpus.vocabulary.count, dtype=np.int32)
        return pseudo_document(expansions, words, corpus.statistics.idf, self.space)
