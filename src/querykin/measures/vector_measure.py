"""Measures over sparse vectors: a text is encoded as a row, and a score is a function of an inner product."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Self

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.compute.threads import thread_map
from querykin.corpus.statistics import Statistics
from querykin.measures.base import Measure
from querykin.measures.pair_scorer import PairScorer
from querykin.types import Explanation, Passage
from querykin.vectors import Vectors, concatenate

# Postings serve any sparse rows, a block-max index only quantized unit rows, a quantized matrix rows that
# hold every feature, also with negative weights.
Layout = Literal["postings", "block-max", "dense"]
ChoosePassages = Callable[[Int64Array, Float64Array], Sequence[Passage]]


@dataclass(frozen=True)
class IndexFormat:
    """What an index needs to know of a vector measure."""

    name: str  # of the index; measures with the same rows share it
    settings: str  # everything the rows depend on
    layout: Layout
    batch: int  # rows written at once: what a killed build can lose at most
    scores_all_rows: bool  # a candidate that shares nothing with the query has a score too
    truncation_error: float  # the largest share of a row's squared norm that truncation may drop


class VectorMeasure(Measure):
    """A measure that encodes every text as a sparse row and takes inner products.

    score = score_from_dot(sum over shared features of q(f) c(f), query_stats, candidate_stats).
    Most measures are the plain inner product of unit rows and implement `encode_batch` and `label` only.
    """

    chunk: ClassVar[int] = 64  # texts encoded at once by one thread
    batch: ClassVar[int] = 64 * 64
    scores_all_rows: ClassVar[bool] = False
    layout: ClassVar[Layout] = "postings"
    encodes_queries: ClassVar[bool] = False  # queries have rows of another kind: `encode_query_batch`

    @abstractmethod
    def encode_batch(self, texts: Sequence[str]) -> Vectors:
        """The rows of a few candidates; an empty row where a text is not covered."""

    def encode_query_batch(self, texts: Sequence[str]) -> Vectors:
        """The rows of a few queries."""
        return self.encode_batch(texts)

    @abstractmethod
    def label(self, features: Int64Array, texts: Sequence[str]) -> list[str]:
        """The term that people read for each feature."""

    @property
    @abstractmethod
    def space(self) -> str:
        """The features and the statistics behind the weights; rows of different spaces are not compared."""

    @property
    def index_name(self) -> str:
        """The name of the index that holds the rows; measures with the same rows share it."""
        return self.name

    @property
    def index_settings(self) -> str:
        """Everything the candidates' rows depend on."""
        return repr(self) if self.index_name == self.name else self.index_name

    @property
    def truncation_error(self) -> float:
        """The largest share of a row's squared norm that truncation may drop; 0: rows are whole."""
        return 0.0

    @property
    def index_format(self) -> IndexFormat:
        """What an index of the measure's rows needs to know."""
        return IndexFormat(
            self.index_name,
            self.index_settings,
            self.layout,
            self.batch,
            self.scores_all_rows,
            self.truncation_error,
        )

    def with_statistics(self, statistics: Statistics) -> Self:
        """The measure under another version of the corpus statistics, as an index built earlier needs it."""
        return self

    def pinned(self) -> Self:
        """The measure with what it looks up in the workspace looked up once, as a retriever uses it."""
        return self

    def tf_scaling(self, features: Int64Array) -> Float64Array | None:
        """For each feature the g of log(1 + g w) that replaces a candidate's weight w; None: w itself."""
        return None

    def query_stats(self, queries: Vectors) -> Float64Array:
        """What `score_from_dot` needs to know of each query: one line of numbers a row."""
        return np.zeros((len(queries), 0))

    def candidate_stats(self, candidates: Vectors) -> Float64Array:
        """What `score_from_dot` needs to know of each candidate: one number a row."""
        return np.zeros(len(candidates))

    def length_penalties(self, candidate_stats: Float64Array) -> Float64Array | None:
        """The length penalty of each candidate, NaN for an empty row; None: the measure has none.

        With penalties the score is dot + query_stats[0] - query_stats[1] * penalty.
        """
        return None

    def score_from_dot(
        self, dots: Float64Array, query_stats: Float64Array, candidate_stats: Float64Array
    ) -> Float64Array:
        """Scores from inner products; `query_stats` has one line a pair, or one for all of them."""
        return np.minimum(dots, 1.0) if self.kernel else dots  # unit rows are unit only to the last bit

    def as_tier(self) -> Self:
        """The measure as a tier of a cascade, where it must order what it matches."""
        return self

    def tier_score(self, scores: Float64Array) -> Float64Array:
        """Scores inside a tier, above 0 and below 1; 0 or NaN where there is no match."""
        return scores

    def encode_candidates(self, texts: Sequence[str]) -> Vectors:
        """The rows of any number of candidates, computed on all cores."""
        return concatenate(thread_map(self.encode_batch, self.chunks(texts)))

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """The rows of any number of queries, computed on all cores."""
        return concatenate(thread_map(self.encode_query_batch, self.chunks(texts)))

    def chunks(self, texts: Sequence[str]) -> list[Sequence[str]]:
        """Texts in groups for one thread each; at least one group."""
        return [texts[i : i + self.chunk] for i in range(0, len(texts), self.chunk)] or [[]]

    def score_rows(
        self, queries: Vectors, rows: Int64Array, candidates: Vectors, other_rows: Int64Array
    ) -> Float64Array:
        """The scores of pairs of rows."""
        covered = queries.covered[rows] & candidates.covered[other_rows]
        rows, other_rows = rows[covered], other_rows[covered]
        dots = np.nan_to_num(queries.dot(self._scaled(candidates, queries), rows, other_rows))
        scores = np.full(len(covered), 0.0 if self.always_scores else np.nan)
        query_stats, candidate_stats = self.query_stats(queries), self.candidate_stats(candidates)
        scores[covered] = self.score_from_dot(dots, query_stats[rows], candidate_stats[other_rows])
        return scores

    def _scaled(self, candidates: Vectors, queries: Vectors) -> Vectors:
        """Candidates' weights as they count in inner products with these queries."""
        if self.tf_scaling(candidates.features[:0]) is None:
            return candidates  # without scaling a weight counts as it is
        # Within the candidates' own range a table decides, not a sort.
        lowest = candidates.features.min(initial=0)
        shared = np.unique(queries.features[queries.features >= lowest])
        used = candidates.select(np.isin(candidates.features, shared))
        scaling = self.tf_scaling(used.features)
        weights = used.weights if scaling is None else np.log1p(scaling * used.weights)
        return Vectors(used.indptr, used.features, weights, used.space)

    def score_pairs(self, queries: Sequence[str], candidates: Sequence[str]) -> Float64Array:
        """The score of each query's row with the candidate's beside it; each text is encoded once."""
        return PairScorer(self).score(queries, candidates)

    def explain(self, a: str, b: str) -> Explanation:
        """The features two texts share, the largest contribution first, and passages that hold them."""
        query, candidate = self.encode_query_batch([a]), self.encode_batch([b])
        return self.explain_rows(
            a, b, query, candidate, lambda features, parts: self.passages(a, b, features, parts)
        )

    def explain_rows(
        self, a: str, b: str, query: Vectors, candidate: Vectors, passages: ChoosePassages
    ) -> Explanation:
        """Explain two texts from their rows; `passages` chooses passages by the shared features."""
        row = np.zeros(1, np.int64)
        score = float(self.score_rows(query, row, candidate, row)[0])
        features, parts = self.shared_features(query, candidate)
        explained, shares = self.feature_shares(query, candidate, score, features, parts)
        labels = self.label(explained, [a, b])
        return self.explanation(a, b, score, labels, shares, passages(features, parts))

    def shared_features(self, query: Vectors, candidate: Vectors) -> tuple[Int64Array, Float64Array]:
        """The features two rows share and what each adds to their inner product, the largest first."""
        features, parts = query.shared(0, self._scaled(candidate, query), 0)
        order = np.argsort(-parts, kind="stable")
        return features[order], parts[order]

    def feature_shares(
        self, query: Vectors, candidate: Vectors, score: float, features: Int64Array, parts: Float64Array
    ) -> tuple[Int64Array, Float64Array]:
        """The features that make the score, with shares that sum to it."""
        if score == 0 or np.isnan(score):
            return features[:0], parts[:0]
        return features, parts * (score / parts.sum())

    def passages(self, a: str, b: str, features: Int64Array, parts: Float64Array) -> list[Passage]:
        """Passages of the corpus that hold the shared features; none for measures without a corpus."""
        return []
