"""Measures over the words of the texts themselves: no corpus, no workspace."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from querykin.compute.arrays import Int64Array, make_indptr
from querykin.measures.families import Family
from querykin.measures.resources import Resources
from querykin.measures.vector_measure import VectorMeasure
from querykin.text.analyzer import DEFAULT, Analyzer
from querykin.text.tokenizer import Tokens


def distinct_features(indptr: Int64Array, features: Int64Array) -> tuple[Int64Array, Int64Array, Int64Array]:
    """The distinct features of each text in increasing order.

    Returns the indptr of the texts, the position of one occurrence of each feature, and its count.
    """
    owners = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    order = np.lexsort((features, owners))
    new = np.ones(len(order), np.bool_)
    new[1:] = np.diff(owners[order]).astype(np.bool_) | np.diff(features[order]).astype(np.bool_)
    starts = np.flatnonzero(new)
    positions = order[starts]
    counts = np.diff(np.append(starts, len(order)))
    return make_indptr(np.bincount(owners[positions], minlength=len(indptr) - 1)), positions, counts


@dataclass(frozen=True)
class SurfaceMeasure(VectorMeasure):
    """A measure over the words or the stems of the texts themselves."""

    always_scores: ClassVar[bool] = True
    family: ClassVar[Family] = Family.WORDS
    chunk: ClassVar[int] = 4096  # encoding takes no search
    batch: ClassVar[int] = 64 * 4096
    analyzer: Analyzer = field(default=DEFAULT, repr=False, compare=False, kw_only=True)

    @classmethod
    def from_resources(cls, resources: Resources, parameters: Mapping[str, Any]) -> Self:
        """In the language of the corpus."""
        return cls(**parameters, analyzer=resources.analyzer)

    @property
    def over_stems(self) -> bool:
        """Whether the features are stems instead of words."""
        return False

    @property
    def space(self) -> str:
        """The rows: hashes of words depend on the analyzer, and on nothing else."""
        return self.index_name + self.analyzer.space(self.over_stems)

    @property
    def index_settings(self) -> str:
        """The same for all measures that share the rows."""
        return super().index_settings + self.analyzer.space(self.over_stems)

    def features(self, tokens: Tokens) -> Int64Array:
        """The feature of every token: the hash of the word or of its stem."""
        return self.analyzer.stem_hashes(tokens) if self.over_stems else tokens.hashes

    def label(self, features: Int64Array, texts: Sequence[str]) -> list[str]:
        """The words themselves; for a stem the first word of the texts that has it."""
        tokens = self.analyzer.tokenize(texts)
        hashes = self.features(tokens)
        return [tokens.word(int(np.flatnonzero(hashes == feature)[0])) for feature in features]
