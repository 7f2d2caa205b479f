"""The hybrid measures: the web kernel and embeddings, weighted by the evidence about each text."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, ClassVar, Self, cast

import numpy as np

from querykin.compute.arrays import Float64Array
from querykin.embeddings.base import EmbeddingModel
from querykin.embeddings.encoder_support import encoder_problem
from querykin.embeddings.sentence_models import sentence_model
from querykin.measures.base import Measure, Substitute, register
from querykin.measures.embedding import Dense
from querykin.measures.expanded_embedding import WebKernelStatic
from querykin.measures.parameters import number
from querykin.measures.part_weights import DENSE, STATIC, TERMS, PartWeights
from querykin.measures.requirements import Requirements
from querykin.measures.resources import Resources
from querykin.measures.vector_measure import VectorMeasure
from querykin.measures.web_kernel import WebKernel
from querykin.types import Contribution, Explanation

# Scores of web-kernel are about the square of cosines of embeddings at the same relatedness: the root brings
# the parts to one scale.
_ROOT = 0.5


@dataclass(frozen=True)
class HybridMeasure(Measure):
    """A sum of measures; each text has weights of its own for them, and a pair the mean of its two texts'."""

    source: ClassVar[str] = "Sahami & Heilman 2006, over several representations of what comes back"
    static: WebKernelStatic = field(repr=False)
    web_kernel: WebKernel = field(repr=False)
    terms: Annotated[float, number("weight of web-kernel beside word vectors of weight 1")] = 0.25
    terms_alone: Annotated[
        float, number("added to that weight for a text of which a general model knows nothing")
    ] = 2.0
    # Weights under the statistics of their index; without an index, under those of the corpus.
    pinned_weights: PartWeights | None = field(default=None, kw_only=True, repr=False, compare=False)

    # Platt scaling: the log odds of a good suggestion are slope score + shift + terms_slope w, w the
    # geometric mean of the weights of web-kernel in both texts (reproduce/OPEN_SUGGESTIONS.md).
    slope: ClassVar[float]
    shift: ClassVar[float]
    terms_slope: ClassVar[float]

    # The field of each part, by the column of its weight.
    PARTS: ClassVar[Mapping[int, str]] = {STATIC: "static", TERMS: "web_kernel"}

    @property
    def parts(self) -> dict[int, VectorMeasure]:
        """The measures whose scores are summed, by the column of their weight."""
        return {column: getattr(self, name) for column, name in self.PARTS.items()}

    def with_parts(self, parts: Mapping[int, VectorMeasure], weights: PartWeights) -> Self:
        """The same measure over other instances of its parts and weights."""
        others: dict[str, Any] = {name: parts[column] for column, name in self.PARTS.items()}
        return replace(self, **others, pinned_weights=weights)

    @cached_property
    def weights(self) -> PartWeights:
        """The weights of the parts for each text."""
        return self.pinned_weights or self._weights()

    @abstractmethod
    def _weights(self) -> PartWeights:
        """The weights under the statistics of the corpus."""

    def _weights_by(self, model: EmbeddingModel, dense: float) -> PartWeights:
        return PartWeights(
            self.static.expander,
            self.static.results,
            model=model,
            owner=self.name,
            dense=dense,
            terms=self.terms,
            terms_alone=self.terms_alone,
        )

    def components(self) -> tuple[Measure, ...]:
        """The parts, and the weights of the parts for each text."""
        return (*self.parts.values(), self.weights)

    def score_pairs(self, queries: Sequence[str], candidates: Sequence[str]) -> Float64Array:
        """The score of each query with the candidate beside it."""
        texts = {text: row for row, text in enumerate(dict.fromkeys([*queries, *candidates]))}
        weights = self.weights.weights(list(texts))
        rows, other_rows = ([texts[text] for text in side] for side in (queries, candidates))
        scores = {column: part.score_pairs(queries, candidates) for column, part in self.parts.items()}
        return self.combine(weights[rows], weights[other_rows], scores)

    def combine(
        self, query_weights: Float64Array, weights: Float64Array, scores: Mapping[int, Float64Array]
    ) -> Float64Array:
        """Scores of pairs from those of the parts; NaN where no part has one."""
        parts = self.summands(query_weights, weights, scores)
        unknown = np.isnan([*scores.values()]).all(axis=0)
        return np.where(unknown, np.nan, sum(parts.values()))

    def summands(
        self, query_weights: Float64Array, weights: Float64Array, scores: Mapping[int, Float64Array]
    ) -> dict[int, Float64Array]:
        """What each part adds to the scores of pairs; a part without a score adds nothing."""
        added = {}
        for column, values in scores.items():
            means = (query_weights[..., column] + weights[..., column]) / 2
            added[column] = means * np.nan_to_num(on_one_scale(column, values))
        return added

    def probabilities(self, scores: Float64Array, weights: Float64Array) -> Float64Array:
        """The probability that a candidate with this score and these weights is a good suggestion."""
        log_odds = self.slope * scores + self.shift + self.terms_slope * weights[:, TERMS]
        return 1 / (1 + np.exp(-log_odds))

    def lowest_score(self, probability: float) -> float:
        """No candidate with a lower score has this probability of being a good suggestion."""
        if probability <= 0:
            return -np.inf
        log_odds = np.log(probability / (1 - probability)) if probability < 1 else np.inf
        return float((log_odds - self.shift - self.terms_slope) / self.slope)

    def explain(self, a: str, b: str) -> Explanation:
        """What each part makes of each word, term and document, and passages of the web kernel."""
        explanations = {column: part.explain(a, b) for column, part in self.parts.items()}
        scores = {column: np.array([found.score]) for column, found in explanations.items()}
        weights = self.weights.weights([a, b])
        added = self.summands(weights[:1], weights[1:], scores)
        score = float(self.combine(weights[:1], weights[1:], scores)[0])
        contributions = [
            Contribution(each.term, each.share * float(added[column][0]) / found.score, found.measure)
            for column, found in explanations.items()
            for each in found.contributions
            if found.score and not np.isnan(found.score)
        ]
        passages = explanations[TERMS].passages or explanations[STATIC].passages
        return Explanation(a, b, self.name, score, tuple(contributions), passages)


def on_one_scale(column: int, scores: Float64Array) -> Float64Array:
    """Scores of a part on the scale that the parts share; monotone, so that bounds stay bounds."""
    return np.maximum(scores, 0.0) ** _ROOT if column == TERMS else scores


@register("hybrid-static")
@dataclass(frozen=True)
class HybridStatic(HybridMeasure):
    """How alike two texts are by the web kernel and by word vectors that know the corpus, from -1 to 1.

    Each part counts as far as it can be trusted with the text: the web kernel most where the text is a name
    that a general model does not know and the corpus has a document about it.
    """

    NAME: ClassVar[str] = "hybrid-static"
    formula: ClassVar[str] = (
        "sum of (w_i(x) + w_i(y)) / 2 k_i(x, y) over k_i: web-kernel-static, the root of web-kernel"
    )
    advice: ClassVar[str] = "In place of hybrid without a sentence encoder: other languages, or speed."
    slope: ClassVar[float] = 4.7
    shift: ClassVar[float] = -5.34
    terms_slope: ClassVar[float] = 4.55

    @classmethod
    def requirements(cls) -> Requirements:
        """What its parts need."""
        return Requirements(measures=("web-kernel-static", "web-kernel"))

    @classmethod
    def from_resources(cls, resources: Resources, parameters: Mapping[str, Any]) -> Self:
        """With its parts, each with the parameters of the settings."""
        return cls(*_corpus_parts(resources), **parameters)

    def _weights(self) -> PartWeights:
        """By what word vectors know of a text's words."""
        return self._weights_by(self.static.documents.model, 0.0)


@register("hybrid")
@dataclass(frozen=True)
class Hybrid(HybridMeasure):
    """How alike two texts are by all that is known of them, from -1 to 1; the default.

    A sentence embedding knows general language, the web kernel and word vectors moved towards the documents
    know the corpus. Each counts as far as it can be trusted with the text: the sentence embedding where it
    knows the words, the web kernel where the text is a name that the corpus has a document about. In a
    language that the encoder does not know, or without the encoder, `hybrid-static` takes its place.
    """

    NAME: ClassVar[str] = "hybrid"
    formula: ClassVar[str] = (
        "sum of (w_i(x) + w_i(y)) / 2 k_i(x, y) over k_i: dense, web-kernel-static, the root of web-kernel"
    )
    advice: ClassVar[str] = (
        "The default: hardly below the best of its parts on any judged set, above it on names; explained."
    )
    slope: ClassVar[float] = 8.03
    shift: ClassVar[float] = -5.99
    terms_slope: ClassVar[float] = 5.39
    PARTS: ClassVar[Mapping[int, str]] = {DENSE: "encoder", **HybridMeasure.PARTS}
    encoder: Dense = field(kw_only=True, repr=False)
    dense: Annotated[float, number("weight of dense beside word vectors of weight 1")] = 5.0

    @classmethod
    def requirements(cls) -> Requirements:
        """What is needed in any case; without the encoder another measure takes its place."""
        return HybridStatic.requirements()

    @classmethod
    def substitute(cls, resources: Resources) -> Substitute | None:
        """`hybrid-static` where the default encoder is not installed or does not know the language."""
        if cast(Dense, resources.measure("dense")).model:
            return None  # a model of the user's own choice
        problem = encoder_problem(resources.analyzer.languages)
        return Substitute("hybrid-static", problem) if problem else None

    @classmethod
    def from_resources(cls, resources: Resources, parameters: Mapping[str, Any]) -> Self:
        """With its parts, each with the parameters of the settings."""
        encoder = cast(Dense, resources.measure("dense"))
        return cls(*_corpus_parts(resources), encoder=encoder, **parameters)

    def _weights(self) -> PartWeights:
        """By what the encoder knows of a text's words."""
        return self._weights_by(sentence_model(self.encoder.model), self.dense)


def _corpus_parts(resources: Resources) -> tuple[WebKernelStatic, WebKernel]:
    static, web_kernel = resources.measure("web-kernel-static"), resources.measure("web-kernel")
    return cast(WebKernelStatic, static), cast(WebKernel, web_kernel)
