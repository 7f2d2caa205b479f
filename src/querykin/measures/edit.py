"""Edit distance: normalized Levenshtein similarity."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from querykin.compute.arrays import Float64Array
from querykin.compute.cpus import available_cpus
from querykin.measures.base import BruteForceMeasure, register
from querykin.measures.families import Family
from querykin.text.tokenizer import tokenize
from querykin.types import Explanation


@register("edit")
@dataclass(frozen=True)
class Edit(BruteForceMeasure):
    """The share of characters that need no edit to turn one text into the other.

    The normalized Levenshtein similarity of the lower-cased words joined by single spaces.
    """

    NAME: ClassVar[str] = "edit"
    always_scores: ClassVar[bool] = True
    family: ClassVar[Family] = Family.SPELLING
    formula: ClassVar[str] = "1 - (fewest insertions, deletions, replacements) / (length of the longer text)"
    source: ClassVar[str] = "Levenshtein 1966; named as a feature by Yih & Meek 2007"
    advice: ClassVar[str] = "Typing errors and spelling variants."

    def preprocess(self, texts: Sequence[str]) -> list[str]:
        """The words of each text in lower case, joined by single spaces."""
        return tokenize(texts).joined()

    def score_preprocessed(self, query: str, candidates: Sequence[str]) -> Float64Array:
        """One preprocessed query with many preprocessed candidates."""
        if not query:
            return np.zeros(len(candidates))
        scorer = Levenshtein.normalized_similarity
        scores: Float64Array = process.cdist(
            [query], candidates, scorer=scorer, dtype=np.float64, workers=available_cpus()
        )[0]
        return scores

    def score_pairs(self, queries: Sequence[str], candidates: Sequence[str]) -> Float64Array:
        """The similarity of each pair; 0 where a text has no words."""
        left, right = self.preprocess(queries), self.preprocess(candidates)
        scores = process.cpdist(
            left, right, scorer=Levenshtein.normalized_similarity, dtype=np.float64, workers=available_cpus()
        )
        nonempty = np.array([bool(a and b) for a, b in zip(left, right, strict=True)], np.bool_)
        return np.where(nonempty, scores, 0.0)

    def explain(self, a: str, b: str) -> Explanation:
        """The matching blocks of the alignment, the longest first; each contributes by its length."""
        score = float(self.score_pairs([a], [b])[0])
        left, right = self.preprocess([a, b])
        steps = Levenshtein.editops(left, right).as_matching_blocks() if score else []
        equal = (left[step.a : step.a + step.size] for step in steps if step.size)
        pieces = sorted(equal, key=len, reverse=True)
        lengths = np.array([len(piece) for piece in pieces], np.float64)
        shares = lengths * (score / lengths.sum()) if pieces else lengths
        return self.explanation(a, b, score, [piece.strip() or "blank" for piece in pieces], shares)
