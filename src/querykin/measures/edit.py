"""Texts compared letter by letter."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from querykin.compute.arrays import Float64Array
from querykin.measures.base import BruteForceMeasure, measures
from querykin.text.tokenizer import tokenize
from querykin.types import Explanation


@measures.register("edit")
@dataclass(frozen=True)
class Edit(BruteForceMeasure):
    """The share of letters that need no change to turn one text into the other, words taken in order.

    The normalised Levenshtein similarity of the lower-cased words with single blanks between them.
    """

    NAME: ClassVar[str] = "edit"
    always_scores: ClassVar[bool] = True
    formula: ClassVar[str] = "1 - (fewest insertions, deletions, replacements) / (length of the longer text)"
    source: ClassVar[str] = "Levenshtein 1966; named as a feature by Yih & Meek 2007"
    advice: ClassVar[str] = "Typing errors and spelling variants."

    def prepare(self, texts: Sequence[str]) -> list[str]:
        """The words of each text in lower case, with one blank between two of them."""
        return tokenize(texts).joined()

    def scan(self, query: str, prepared: Sequence[str]) -> Float64Array:
        """One prepared query with many prepared candidates."""
        if not query:
            return np.zeros(len(prepared))
        scorer = Levenshtein.normalized_similarity
        scores: Float64Array = process.cdist([query], prepared, scorer=scorer, dtype=np.float64, workers=-1)[
            0
        ]
        return scores

    def score_pairs(self, queries: Sequence[str], candidates: Sequence[str]) -> Float64Array:
        """The similarity of each pair; 0 where a text has no words."""
        mine, theirs = self.prepare(queries), self.prepare(candidates)
        scores = process.cpdist(
            mine, theirs, scorer=Levenshtein.normalized_similarity, dtype=np.float64, workers=-1
        )
        worded = np.array([bool(a and b) for a, b in zip(mine, theirs, strict=True)], np.bool_)
        return np.where(worded, scores, 0.0)

    def explain(self, a: str, b: str) -> Explanation:
        """The pieces that both texts share, the longest first; each adds by its length."""
        score = float(self.score_pairs([a], [b])[0])
        mine, theirs = self.prepare([a, b])
        steps = Levenshtein.editops(mine, theirs).as_matching_blocks() if score else []
        equal = (mine[step.a : step.a + step.size] for step in steps if step.size)
        pieces = sorted(equal, key=len, reverse=True)
        lengths = np.array([len(piece) for piece in pieces], np.float64)
        shares = lengths * (score / lengths.sum()) if pieces else lengths
        return self.explanation(a, b, score, [piece.strip() or "blank" for piece in pieces], shares)
