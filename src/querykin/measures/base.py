"""What every measure offers: scores of pairs, and why."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from querykin.compiled import Longs, Reals, in_threads
from querykin.expansion import Expander
from querykin.measures.passages import choose_passages
from querykin.records import Contribution, Explanation, Passage
from querykin.registry import Registry
from querykin.vectors import Vectors, join

measures: Registry[type["Measure"]] = Registry("measure")

CHUNK = 64  # texts encoded at once by one thread


@dataclass(frozen=True)
class Measure(ABC):
    """How alike two short texts are, higher meaning more; NaN where it has no opinion.

    A measure is its parameters and the expander it asks. `symmetric`: the order of the two texts does not
    matter. `always_scores`: it gives a number to any two texts, never NaN.
    """

    expander: Expander = field(repr=False, compare=False)
    symmetric: ClassVar[bool] = True
    always_scores: ClassVar[bool] = False
    kernel: ClassVar[bool] = False  # symmetric, positive semi-definite, 1 for a text and itself

    @property
    def name(self) -> str:
        """The name the measure is registered under, or its class's where it is not."""
        return next((name for name in measures if measures[name] is type(self)), type(self).__name__)

    @abstractmethod
    def score_pairs(self, queries: Sequence[str], candidates: Sequence[str]) -> Reals:
        """The score of each query with the candidate beside it."""

    @abstractmethod
    def explain(self, a: str, b: str) -> Explanation:
        """Why two texts get their score."""

    def score(self, query: str, candidates: Sequence[str]) -> Reals:
        """The scores of one query with several candidates."""
        return self.score_pairs([query] * len(candidates), candidates)


class VectorMeasure(Measure):
    """A measure that turns every text into a sparse row and takes inner products."""

    @abstractmethod
    def encode_chunk(self, texts: Sequence[str]) -> Vectors:
        """The rows of a few texts; an empty row where a text is not covered."""

    @abstractmethod
    def label(self, features: Longs, texts: Sequence[str]) -> list[str]:
        """What people read for each feature."""

    @property
    def lost_mass(self) -> float:
        """The most that a row may lack of its squared length because light terms were cut; 0: none are."""
        return 0.0

    def encode(self, texts: Sequence[str]) -> Vectors:
        """The rows of any number of texts, computed on all cores."""
        chunks = [texts[i : i + CHUNK] for i in range(0, len(texts), CHUNK)] or [[]]
        return join(in_threads(self.encode_chunk, chunks))

    def score_pairs(self, queries: Sequence[str], candidates: Sequence[str]) -> Reals:
        """The inner product of each query's row with the candidate's beside it."""
        texts = list(dict.fromkeys([*queries, *candidates]))
        place = {text: row for row, text in enumerate(texts)}
        vectors = self.encode(texts)
        rows = [np.array([place[text] for text in side], np.int64) for side in (queries, candidates)]
        scores = vectors.dot(vectors, *rows)
        if self.kernel:
            scores = np.minimum(scores, 1.0)  # unit rows are so only to the last bit
        return np.nan_to_num(scores, nan=0.0) if self.always_scores else scores

    def explain(self, a: str, b: str) -> Explanation:
        """The features two texts share, the one that adds most first, and passages that hold them."""
        vectors = self.encode_chunk([a, b])
        score = float(self.score_pairs([a], [b])[0])
        features, shares = vectors.shared(0, vectors, 1)
        order = np.argsort(-shares, kind="stable")
        features, shares = features[order], shares[order]
        names = self.label(features, [a, b])
        contributions = (Contribution(name, float(share)) for name, share in zip(names, shares, strict=True))
        passages = self.passages(a, b, features, shares)
        return Explanation(a, b, self.name, score, tuple(contributions), tuple(passages))

    def passages(self, a: str, b: str, features: Longs, shares: Reals) -> list[Passage]:
        """Pieces of the corpus that hold the shared features; none for measures that ask no corpus."""
        return []


class ExpandedMeasure(VectorMeasure):
    """A vector measure over what the corpus says about a text: its features are words or stems."""

    results: int

    @property
    def space(self) -> str:
        """The features and statistics its rows belong to."""
        return f"{self!r} over {self.expander.corpus.statistics.epoch}"

    def label(self, features: Longs, texts: Sequence[str]) -> list[str]:
        """The words themselves."""
        vocabulary = self.expander.corpus.vocabulary
        return [vocabulary.word(int(feature)) for feature in features]

    def passages(self, a: str, b: str, features: Longs, shares: Reals) -> list[Passage]:
        """The results of both texts that hold the most of what they share."""
        known = features >= 0
        stems = self.stems_of(features[known])
        return choose_passages(self.expander, (a, b), self.results, stems, shares[known])

    def stems_of(self, features: Longs) -> Longs:
        """The stems by which features are found in documents; here features are words."""
        return self.expander.corpus.vocabulary.stem[features].astype(np.int64)
