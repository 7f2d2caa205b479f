"""The expansion kernel over embeddings: a text's own embedding, moved towards those of its results.

The kernel of Sahami & Heilman (2006) over static word vectors or sentence vectors in place of weighted terms.
In dense retrieval the mixture is known as vector pseudo-relevance feedback, after Rocchio (Li et al. 2023).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array
from querykin.embeddings.document_vectors import KIND as DOCUMENT_VECTORS
from querykin.embeddings.document_vectors import DocumentVectors
from querykin.measures.base import register
from querykin.measures.embedding import TOGETHER, Dense, EmbeddingMeasure, Static, dense_rows, leave_one_out
from querykin.measures.expansion_measure import ExpansionMeasure, SearchDepth, relevance_weights
from querykin.measures.families import Family
from querykin.measures.parameters import number
from querykin.measures.passages import PER_SIDE, excerpt
from querykin.measures.requirements import Requirements
from querykin.measures.resources import Resources
from querykin.measures.text_evidence import TRUST_SETTINGS, text_evidence
from querykin.measures.vector_measure import Layout
from querykin.search.engine import ParsedQueries, SearchResults
from querykin.search.expansion import Expansions
from querykin.types import Explanation, Passage
from querykin.vectors import Vectors

ContextWeight = Annotated[float, number("weight of the results' embeddings beside the text's own")]


@dataclass(frozen=True)
class Mixture:
    """The rows of some texts, each the unit vector of own + context.

    A text's own part is its embedding times its own weight. Result r adds `shares[r] * vectors[r]` to the
    context of its text.
    """

    embeddings: Float64Array
    own_weights: Float64Array
    context: Float64Array
    shares: Float64Array
    vectors: Float64Array

    @property
    def own(self) -> Float64Array:
        """The embeddings, weighted."""
        return self.own_weights[:, None] * self.embeddings

    @property
    def norms(self) -> Float64Array:
        """The length of own + context; 1 where that is zero."""
        return _norms(self.own + self.context)

    @property
    def rows(self) -> Float64Array:
        """Unit vectors; zero where a text has neither part."""
        return (self.own + self.context) / self.norms[:, None]


@dataclass(frozen=True)
class ExpandedEmbedding(ExpansionMeasure):
    """A measure over embeddings of texts and of the documents they find; subclasses choose the model."""

    family: ClassVar[Family] = Family.EMBEDDINGS
    scores_all_rows: ClassVar[bool] = True
    layout: ClassVar[Layout] = "dense"
    embedding: ClassVar[type[EmbeddingMeasure]]  # the measure over the same vectors without documents
    source: ClassVar[str] = "Sahami & Heilman 2006; Li et al. 2023 (vector pseudo-relevance feedback)"
    formula: ClassVar[str] = (
        "cosine of own_weight t e(x) + (context_weight m + (1 - context_weight) (1 - t)) c(x), c(x) the unit "
        "sum of (score / best score)^power L(r); e(x) and L(r) the embeddings of text x and of the lead of "
        "result r, m the share of x's idf mass that the results match, t the trust in the model"
    )
    documents: DocumentVectors = field(kw_only=True, repr=False, compare=False)
    power: Annotated[float, number("a result counts (score / best score) to this power")] = 2.0
    own_weight: Annotated[float, number("weight of the text's own embedding")] = 1.0
    context_weight: ContextWeight = 0.35

    @classmethod
    def requirements(cls) -> Requirements:
        """A corpus, its document vectors, and what the embedding needs."""
        derived = (f"{DOCUMENT_VECTORS}/{cls.embedding.NAME}",)
        return Requirements(corpus=True, derived=derived) | cls.embedding.requirements()

    @classmethod
    def from_resources(cls, resources: Resources, parameters: Mapping[str, Any]) -> Self:
        """With the expander and the document vectors of the corpus."""
        documents = resources.document_vectors(cls.embedding.NAME)
        return cls(resources.expander, documents=documents, **parameters)

    @property
    def index_settings(self) -> str:
        """The parameters, the model and the length of leads."""
        return f"{self!r} {self.documents.settings} {TRUST_SETTINGS}"

    @property
    def space(self) -> str:
        """What rows depend on, and the version of the statistics."""
        return f"{self.index_settings} over {self.expander.corpus.statistics.version}"

    def mixing_weights(
        self, queries: ParsedQueries, results: SearchResults, covered: BoolArray
    ) -> tuple[Float64Array, Float64Array]:
        """For each text (`queries.texts`) the weight of its own embedding and that of its context.

        The context counts as far as the results match the text, and alone where the model does not know the
        text's words.
        """
        evidence = text_evidence(self.expander.corpus, queries, results, covered)
        trust = evidence.trust(self.documents.model.whole_words(queries.texts))
        context = self.context_weight * evidence.matched + (1 - self.context_weight) * (1 - trust)
        return self.own_weight * trust, np.where(covered, context, 0.0)

    def mix(self, queries: ParsedQueries, results: SearchResults, covered: BoolArray) -> Mixture:
        """The embeddings of texts and of their results, weighted."""
        own_weights, context_weights = self.mixing_weights(queries, results, covered)
        embeddings = self.documents.model(queries.texts).astype(np.float64)
        vectors, weights = self.documents.of(results), relevance_weights(results, self.power)
        sums, indptr = np.zeros_like(embeddings), results.indptr
        for text in range(len(queries)):
            part = slice(indptr[text], indptr[text + 1])
            sums[text] = weights[part] @ vectors[part]
        scales = context_weights / _norms(sums)
        shares = weights * np.repeat(scales, np.diff(indptr))
        return Mixture(embeddings, own_weights, scales[:, None] * sums, shares, vectors)

    def encode_expansions(self, expansions: Expansions) -> Vectors:
        """Unit rows that hold every dimension."""
        mixture = self.mix(expansions.queries, expansions.results, expansions.covered)
        return dense_rows(mixture.rows, self.space)

    def encode_with_results(self, texts: Sequence[str]) -> tuple[Vectors, SearchResults]:
        """The rows of a few texts and their results; no windows are needed."""
        queries, results, covered = self.expander.search(texts, self.results)
        return dense_rows(self.mix(queries, results, covered).rows, self.space), results

    def candidate_stats(self, candidates: Vectors) -> Float64Array:
        """1, or 0 for a text without a vector."""
        return candidates.covered.astype(np.float64)

    def label(self, features: Int64Array, texts: Sequence[str]) -> list[str]:
        """Dimensions have no names."""
        return [f"dimension {feature}" for feature in features]

    def explain(self, a: str, b: str) -> Explanation:
        """What the words of the texts and the documents they find add to the score, and passages of these.

        The score is a sum of products. Own with own is divided among the words of the first text; what a
        context takes part in belongs to its documents, context with context half to those of each text.
        """
        expansions = self.expander.expand([a, b], self.results)
        mixture = self.mix(expansions.queries, expansions.results, expansions.covered)
        rows, one = dense_rows(mixture.rows, self.space), np.ones(1, np.int64)
        score = float(self.score_rows(rows, 0 * one, rows, one)[0])
        if np.isnan(score):
            return self.explanation(a, b, score, [], np.zeros(0))
        shares = _result_shares(mixture, expansions.indptr)
        results, document_shares, shares = _document_shares(expansions.results, shares)
        documents = [_document_label(expansions.results, result) for result in results]
        rest = score - document_shares.sum()
        words, word_shares = self._word_shares(a, mixture, rest)
        if not words:  # the rest is what rounding rows to 8 bits adds
            document_shares[np.argmax(np.abs(document_shares))] += rest
        names, parts = [*documents, *words], np.concatenate([document_shares, word_shares])
        order = np.argsort(-parts, kind="stable")
        passages = self._best_passages(expansions, shares)
        return self.explanation(a, b, score, [names[i] for i in order], parts[order], passages)

    def _word_shares(self, a: str, mixture: Mixture, total: float) -> tuple[list[str], Float64Array]:
        """What each word of the first text adds to the product of the own parts, which is `total`."""
        if not mixture.embeddings.any(axis=1).all():
            return [], np.zeros(0)  # the model does not know one of the texts
        pieces, without = leave_one_out(a)
        first, second = mixture.embeddings
        losses = first @ second - self.documents.model(without) @ second
        shares = np.prod(mixture.own_weights / mixture.norms) * losses
        return [*pieces, TOGETHER], np.append(shares, total - shares.sum())

    def _best_passages(self, expansions: Expansions, shares: Float64Array) -> list[Passage]:
        """For each text, passages of the documents that add most to the score."""
        chosen = []
        for text, side in enumerate("ab"):
            results = range(expansions.indptr[text], expansions.indptr[text + 1])
            best = sorted(results, key=lambda result: -shares[result])[:PER_SIDE]
            stems, idf = expansions.queries.terms(text)
            chosen += [
                excerpt(self.expander, expansions, result, side, stems, idf)
                for result in best
                if shares[result] > 0
            ]
        return chosen


def _norms(rows: Float64Array) -> Float64Array:
    """The length of each row; 1 for a row of zeros."""
    norms: Float64Array = np.linalg.norm(rows, axis=1)
    return np.where(norms > 0, norms, 1.0)


def _result_shares(mixture: Mixture, indptr: Int64Array) -> Float64Array:
    """What each result of two texts adds to the inner product of their rows."""
    others = mixture.own + mixture.context / 2  # the product of both contexts belongs half to each side
    first, second = slice(indptr[0], indptr[1]), slice(indptr[1], indptr[2])
    dots = np.concatenate([mixture.vectors[first] @ others[1], mixture.vectors[second] @ others[0]])
    shares: Float64Array = mixture.shares * dots / mixture.norms.prod()
    return shares


def _document_shares(
    results: SearchResults, shares: Float64Array
) -> tuple[list[int], Float64Array, Float64Array]:
    """One result of each document, what the document adds, and the same for every result.

    A document that both texts find adds to both sides.
    """
    distinct, first, numbers = np.unique(results.documents, return_index=True, return_inverse=True)
    totals = np.bincount(numbers, shares, minlength=len(distinct)).astype(np.float64)
    return first.tolist(), totals, totals[numbers]


def _document_label(results: SearchResults, result: int) -> str:
    document = results.segments[results.segment_ids[result]].document(int(results.ordinals[result]))
    return f"document: {document.title or document.id}"


@register("web-kernel-static")
@dataclass(frozen=True)
class WebKernelStatic(ExpandedEmbedding):
    """The cosine of two texts' mean word vectors, each moved towards the documents that the text finds.

    What general language knows of the words, and what the corpus knows of the names. A text that the corpus
    does not cover is its own vector alone. The lead of a document is its title and its first words.
    """

    NAME: ClassVar[str] = "web-kernel-static"
    embedding: ClassVar[type[EmbeddingMeasure]] = Static
    advice: ClassVar[str] = "Synonyms of everyday words beside names of your own, at the cost of a search."
    results: SearchDepth = 10


@register("web-kernel-dense")
@dataclass(frozen=True)
class WebKernelDense(ExpandedEmbedding):
    """The cosine of two texts' sentence embeddings, each moved towards the documents that the text finds.

    The model is that of `dense`. A text that the corpus does not cover is its own embedding alone. The lead
    of a document is its title and its first words.
    """

    NAME: ClassVar[str] = "web-kernel-dense"
    embedding: ClassVar[type[EmbeddingMeasure]] = Dense
    advice: ClassVar[str] = "Sentences and names of your own; documents are embedded once by querykin build."
    results: SearchDepth = 5
    context_weight: ContextWeight = 0.3
