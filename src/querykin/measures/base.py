"""What every measure offers: scores of pairs, and why."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal, Self

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.compute.threads import thread_map
from querykin.errors import InputError
from querykin.measures.pair_scorer import PairScorer
from querykin.measures.passages import choose_passages
from querykin.measures.resources import Resources
from querykin.registry import Registry
from querykin.search.expansion import Expander
from querykin.types import Contribution, Explanation, Passage
from querykin.vectors import Vectors, concatenate

_HERE, _LEARNED = "querykin.measures", "querykin.learning"
# The module that registers each measure: a new measure is one file and one line here.
measures: Registry[type["Measure"]] = Registry(
    "measure",
    {
        **{
            f"{name}{suffix}": f"{_HERE}.word_overlap"
            for name in ("matching", "dice", "jaccard", "overlap", "cosine")
            for suffix in ("", "-stems")
        },
        "idf-cosine": f"{_HERE}.word_overlap",
        "exact": f"{_HERE}.lexical",
        "exact-stems": f"{_HERE}.lexical",
        "phrase": f"{_HERE}.lexical",
        "subset": f"{_HERE}.lexical",
        "lexical": f"{_HERE}.cascade",
        "stemming": f"{_HERE}.cascade",
        "backoff": f"{_HERE}.cascade",
        "edit": f"{_HERE}.edit",
        "tfidf": f"{_HERE}.tfidf",
        "web-kernel": f"{_HERE}.web_kernel",
        "web-kernel-paper": f"{_HERE}.web_kernel",
        "set-overlap": f"{_HERE}.result_vectors",
        "result-cosine": f"{_HERE}.result_vectors",
        "sparse-prob": f"{_HERE}.language_model",
        "dense-prob": f"{_HERE}.language_model",
        "distributional": f"{_HERE}.distributional",
        "distributional-ngrams": f"{_HERE}.distributional",
        "pmi": f"{_HERE}.pmi",
        "latent": f"{_HERE}.latent",
        "static": f"{_HERE}.embedding",
        "dense": f"{_HERE}.embedding",
        "web-relevance": f"{_LEARNED}.keywords.web_relevance",
        "tweak": f"{_LEARNED}.tweak.measure",
    },
)
# Lists serve any sparse rows, packed ones only unit rows on the grid of `Vectors.quantize`; a matrix those
# that hold every feature, also with weights below 0.
Layout = Literal["postings", "block-max", "dense"]


def setting(
    default: Any, meaning: str, least: float = 0, most: float = 2**31 - 1, choices: tuple[str, ...] = ()
) -> Any:
    """A parameter of a measure: its default, what people read about it, and what it may be."""
    known = {"meaning": meaning, "least": least, "most": most, "choices": choices}
    return field(default=default, metadata=known)


def check_choices(place: str, kind: type["Measure"], given: Mapping[str, Any]) -> None:
    """Complain about a text that is none of those a setting may be."""
    for f in fields(kind):
        choices = f.metadata.get("choices")
        if choices and given.get(f.name, f.default) not in choices:
            allowed, got = ", ".join(choices), given[f.name]
            raise InputError(f"{f.name} of {place} must be one of {allowed}, got {got!r}")


@dataclass(frozen=True)
class Measure(ABC):
    """How alike two short texts are, higher meaning more; NaN where it has no opinion.

    A measure is its parameters and the expander it asks. `symmetric`: the order of the two texts does not
    matter. `always_scores`: it gives a number to any two texts, never NaN. `needs_corpus`: without documents
    it has nothing to say.
    """

    expander: Expander = field(repr=False, compare=False)
    NAME: ClassVar[str] = ""
    symmetric: ClassVar[bool] = True
    always_scores: ClassVar[bool] = False
    needs_corpus: ClassVar[bool] = False
    learns: ClassVar[tuple[str, ...]] = ()  # the sources that must be learnt from the corpus first
    kernel: ClassVar[bool] = False  # symmetric, positive semi-definite, 1 for a text and itself
    source: ClassVar[str] = ""  # the paper it comes from
    formula: ClassVar[str] = ""
    advice: ClassVar[str] = ""  # when to use it

    @property
    def name(self) -> str:
        """The name the measure is registered under, or its class's where it is not."""
        return self.NAME or type(self).__name__

    @classmethod
    def assemble(cls, sources: Resources, parameters: Mapping[str, Any]) -> Self:
        """The measure with these parameters; it takes what it needs from the sources."""
        return cls(sources.expander, **parameters)

    @classmethod
    def assembled_from(cls) -> list[type["Measure"]]:
        """The measures that must work for this one to work: itself, or those it is made of."""
        return [cls]

    @property
    def listwise(self) -> bool:
        """Whether the score of a pair depends on the other candidates of its query."""
        return False

    def indexed_parts(self) -> tuple["VectorMeasure", ...]:
        """The measures whose rows must be indexed before this one can search a repository."""
        return ()

    @classmethod
    def installed(cls) -> bool:
        """Whether the optional part that the measure needs is there; most need none."""
        return True

    @abstractmethod
    def score_pairs(self, queries: Sequence[str], candidates: Sequence[str]) -> Float64Array:
        """The score of each query with the candidate beside it."""

    @abstractmethod
    def explain(self, a: str, b: str) -> Explanation:
        """Why two texts get their score."""

    def score(self, query: str, candidates: Sequence[str]) -> Float64Array:
        """The scores of one query with several candidates."""
        return self.score_pairs([query] * len(candidates), candidates)

    def explanation(
        self,
        a: str,
        b: str,
        score: float,
        names: Sequence[str],
        shares: Float64Array,
        passages: Sequence[Passage] = (),
    ) -> Explanation:
        """An explanation from terms and what each adds, in the order given."""
        parts = (Contribution(name, float(share)) for name, share in zip(names, shares, strict=True))
        return Explanation(a, b, self.name, score, tuple(parts), tuple(passages))


class VectorMeasure(Measure):
    """A measure that turns every text into a sparse row and takes inner products.

    score = finish(sum over shared features of q(f) gain(f, c(f)), about the query, size of the candidate).
    Most measures are the bare inner product of unit rows and override nothing but `encode_batch`.
    """

    chunk: ClassVar[int] = 64  # texts encoded at once by one thread
    batch: ClassVar[int] = 64 * 64  # rows written to an index at once: what a killed build can lose at most
    scores_all_rows: ClassVar[bool] = False  # a candidate that shares nothing with the query has a score too
    layout: ClassVar[Layout] = "postings"  # of an index of such rows

    @abstractmethod
    def encode_batch(self, texts: Sequence[str]) -> Vectors:
        """The rows of a few candidates, and of queries too unless `encode_query_batch` says otherwise.

        An empty row where a text is not covered.
        """

    def indexed_parts(self) -> tuple["VectorMeasure", ...]:
        """Itself."""
        return (self,)

    def encode_query_batch(self, texts: Sequence[str]) -> Vectors:
        """The rows of a few queries."""
        return self.encode_batch(texts)

    @abstractmethod
    def label(self, features: Int64Array, texts: Sequence[str]) -> list[str]:
        """What people read for each feature."""

    @property
    def index_name(self) -> str:
        """The index that holds the candidates' rows; measures with the same rows name the same one."""
        return self.name

    @property
    def index_settings(self) -> str:
        """What the candidates' rows depend on: all parameters, or what the name of shared rows says."""
        return repr(self) if self.index_name == self.name else self.index_name

    @property
    def truncation_error(self) -> float:
        """The most that a row may lack of its squared length because light terms were cut; 0: none are."""
        return 0.0

    def tf_scaling(self, features: Int64Array) -> Float64Array:
        """For each feature the g of log(1 + g w), which a candidate's weight w counts; 0: it counts w."""
        return np.zeros(len(features))

    def query_stats(self, queries: Vectors) -> Float64Array:
        """What `score_from_dot` needs to know of each query: one line of numbers a row."""
        return np.zeros((len(queries), 0))

    def candidate_stats(self, candidates: Vectors) -> Float64Array:
        """What `score_from_dot` needs to know of each candidate: one number a row."""
        return np.zeros(len(candidates))

    def length_penalties(self, candidate_stats: Float64Array) -> Float64Array | None:
        """Each candidate's burden, NaN without a row: `score_from_dot` is shared + about[0] - about[1] * burden."""
        return None

    def score_from_dot(
        self, shared: Float64Array, query_stats: Float64Array, candidate_stats: Float64Array
    ) -> Float64Array:
        """Scores from inner products; `query_stats` has one line a pair, or one for all of them."""
        return np.minimum(shared, 1.0) if self.kernel else shared  # unit rows are so only to the last bit

    def as_tier(self) -> Self:
        """The measure as it stands in a stack of measures, where it must order what it matches."""
        return self

    def tier_score(self, scores: Float64Array) -> Float64Array:
        """Where scores stand inside a tier, above 0 and below 1; 0 or NaN where there is no match."""
        return scores

    def encode(self, texts: Sequence[str]) -> Vectors:
        """The rows of any number of candidates, computed on all cores."""
        return concatenate(thread_map(self.encode_batch, self.chunks(texts)))

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """The rows of any number of queries, computed on all cores."""
        return concatenate(thread_map(self.encode_query_batch, self.chunks(texts)))

    def chunks(self, texts: Sequence[str]) -> list[Sequence[str]]:
        """Texts in groups for one thread each; at least one group, so that a row's space is always known."""
        return [texts[i : i + self.chunk] for i in range(0, len(texts), self.chunk)] or [[]]

    @property
    def same_encoding(self) -> bool:
        """Whether queries have the same rows as candidates."""
        return type(self).encode_query_batch is VectorMeasure.encode_query_batch

    def compare(
        self, queries: Vectors, rows: Int64Array, candidates: Vectors, other_rows: Int64Array
    ) -> Float64Array:
        """The scores of pairs of rows."""
        covered = queries.covered[rows] & candidates.covered[other_rows]
        rows, other_rows = rows[covered], other_rows[covered]
        shared = np.nan_to_num(queries.dot(self._gained(candidates, queries), rows, other_rows))
        scores = np.full(len(covered), 0.0 if self.always_scores else np.nan)
        scores[covered] = self.score_from_dot(
            shared, self.query_stats(queries)[rows], self.candidate_stats(candidates)[other_rows]
        )
        return scores

    def _gained(self, candidates: Vectors, queries: Vectors) -> Vectors:
        """What candidates' weights count in inner products with these queries."""
        if type(self).tf_scaling is VectorMeasure.tf_scaling:
            return candidates
        # Within the candidates' own range a table decides, not a sort.
        lowest = candidates.features.min(initial=0)
        wanted = np.unique(queries.features[queries.features >= lowest])
        asked = candidates.select(np.isin(candidates.features, wanted))
        weights = np.log1p(self.tf_scaling(asked.features) * asked.weights)
        return Vectors(asked.indptr, asked.features, weights, asked.space)

    def score_pairs(self, queries: Sequence[str], candidates: Sequence[str]) -> Float64Array:
        """The score of each query's row with the candidate's beside it; each text is encoded once."""
        return PairScorer(self).score(queries, candidates)

    def explain(self, a: str, b: str) -> Explanation:
        """The features two texts share, the one that adds most first, and passages that hold them."""
        query, candidate = self.encode_query_batch([a]), self.encode_batch([b])
        one = np.zeros(1, np.int64)
        score = float(self.compare(query, one, candidate, one)[0])
        features, shares = self.shares(query, candidate, score)
        names = self.label(features, [a, b])
        return self.explanation(
            a, b, score, names, shares, self.passages(a, b, *self.matched(query, candidate))
        )

    def matched(self, query: Vectors, candidate: Vectors) -> tuple[Int64Array, Float64Array]:
        """The features that two rows share and what each adds to their inner product, the most first."""
        features, parts = query.shared(0, self._gained(candidate, query), 0)
        order = np.argsort(-parts, kind="stable")
        return features[order], parts[order]

    def shares(self, query: Vectors, candidate: Vectors, score: float) -> tuple[Int64Array, Float64Array]:
        """The features that make the score of two rows and what each adds, the most first; they sum to it."""
        features, parts = self.matched(query, candidate)
        if score == 0 or np.isnan(score):
            return features[:0], parts[:0]
        return features, parts * (score / parts.sum())

    def passages(self, a: str, b: str, features: Int64Array, shares: Float64Array) -> list[Passage]:
        """Pieces of the corpus that hold the shared features; none for measures that ask no corpus."""
        return []


class BruteForceMeasure(Measure):
    """A measure without rows: to rank a repository it goes through all of it, prepared once."""

    @abstractmethod
    def prepare(self, texts: Sequence[str]) -> list[str]:
        """Texts as they are compared."""

    @abstractmethod
    def scan(self, query: str, prepared: Sequence[str]) -> Float64Array:
        """The scores of one prepared query with many prepared candidates."""


class ExpansionMeasure(VectorMeasure):
    """A vector measure over what the corpus says about a text: its features are words or stems."""

    needs_corpus: ClassVar[bool] = True
    results: int

    @property
    def space(self) -> str:
        """The features and statistics its rows belong to."""
        return f"{self!r} over {self.expander.corpus.statistics.version}"

    def label(self, features: Int64Array, texts: Sequence[str]) -> list[str]:
        """The words themselves."""
        vocabulary = self.expander.corpus.vocabulary
        return [vocabulary.word(int(feature)) for feature in features]

    def passages(self, a: str, b: str, features: Int64Array, shares: Float64Array) -> list[Passage]:
        """The results of both texts that hold the most of what they share."""
        known = features >= 0
        stems = self.stems_of(features[known])
        return choose_passages(self.expander, (a, b), self.results, stems, shares[known])

    def stems_of(self, features: Int64Array) -> Int64Array:
        """The stems by which features are found in documents; here features are words."""
        return self.expander.corpus.vocabulary.stem[features].astype(np.int64)
