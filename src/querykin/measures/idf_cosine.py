"""The cosine of two texts' stems weighted by idf."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from querykin.compute.arrays import Int64Array
from querykin.corpus.statistics import Statistics
from querykin.corpus.vocabulary import Vocabulary
from querykin.measures.base import register
from querykin.measures.resources import Resources
from querykin.measures.surface import SurfaceMeasure, distinct_features
from querykin.text.tokenizer import Tokens
from querykin.vectors import Vectors


@register("idf-cosine")
@dataclass(frozen=True)
class IdfCosine(SurfaceMeasure):
    """The cosine of two texts' stems, each weighted by its rarity in the corpus.

    Without a corpus all stems weigh the same.

    >>> IdfCosine().score("garden hose", ["hose for gardens"]).round(3)
    array([0.816])
    """

    NAME: ClassVar[str] = "idf-cosine"
    kernel: ClassVar[bool] = True
    formula: ClassVar[str] = "sum of idf(t)^2 over shared stems t / (norm of Q x norm of S)"
    advice: ClassVar[str] = "The best measure of the words alone: function words hardly count."
    vocabulary: Vocabulary = field(default_factory=Vocabulary.empty, repr=False, compare=False)
    statistics: Statistics = field(default_factory=Statistics.empty, repr=False, compare=False)

    @classmethod
    def from_resources(cls, resources: Resources, parameters: Mapping[str, Any]) -> Self:
        """With the statistics of the corpus."""
        corpus = resources.expander.corpus
        return cls(corpus.vocabulary, corpus.statistics, **parameters, analyzer=corpus.analyzer)

    @property
    def over_stems(self) -> bool:
        """Features are stems."""
        return True

    def features(self, tokens: Tokens) -> Int64Array:
        """The hash of each token's stem in the vocabulary."""
        return self.vocabulary.lookup_stems(tokens)[1]

    @property
    def space(self) -> str:
        """Stems weighted by one version of the statistics."""
        return f"stems weighted by {self.statistics.version}"

    def with_statistics(self, statistics: Statistics) -> Self:
        """Weighted by another version of the statistics."""
        return replace(self, statistics=statistics.padded(self.vocabulary.count))

    def encode_batch(self, texts: Sequence[str]) -> Vectors:
        """Unit rows over stems."""
        tokens = self.vocabulary.analyzer.tokenize(texts)
        stem_ids, hashes = self.vocabulary.lookup_stems(tokens)
        indptr, positions, _ = distinct_features(tokens.indptr, hashes)
        idf = self.statistics.stem_idf_of(stem_ids[positions].astype(np.int64))
        return Vectors(indptr, hashes[positions], idf, self.space).unit()
