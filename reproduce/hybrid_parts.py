"""What a hybrid measure makes of judged pairs before its constants come in, cached between runs.

The score of a pair depends on the constants only through a few numbers: the inner products of the texts' own
embeddings and of their contexts, the scores of the other parts, and the evidence about each text. With these, other
constants are tried without encoding a text again. `check` compares the result with the measure itself.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, cast
from zlib import crc32

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array
from querykin.compute.scalar_quantization import scalar_quantize
from querykin.compute.threads import thread_map
from querykin.measures.hybrid import Hybrid, HybridMeasure
from querykin.measures.part_weights import STATIC, of_sum_1
from querykin.measures.text_evidence import ENOUGH_WHOLE_WORDS, TITLE_DISTRUST, text_evidence
from reproduce import data
from reproduce.cached_scores import CHECKED, scores_of
from reproduce.hybrid_sets import StudiedSet
from reproduce.judged_sets import JudgedSet

CLOSE = 1e-6
ROUNDING = 0.005  # of scores, by rows in 8 bits
_STEP = 8192  # pairs whose vectors are multiplied at once


# The weights of a pair from those of its two texts.
Weigh = Callable[[Float64Array, Float64Array], Float64Array]


def mean(first: Float64Array, second: Float64Array) -> Float64Array:
    """The weights of a pair in the hybrid measures."""
    return (first + second) / 2


def geometric_mean(first: Float64Array, second: Float64Array) -> Float64Array:
    """The weights of a pair in its probability: 0 where one of the texts has none."""
    roots: Float64Array = np.sqrt(first * second)
    return roots


@dataclass(frozen=True)
class Constants:
    """The constants of the hybrid measures. The defaults are a plain sum, from which a fit starts."""

    dense: float = 1.0
    terms: float = 1.0
    terms_alone: float = 0.0
    context_weight: float = 0.5
    enough_whole_words: float = 1.0
    title_distrust: float = 0.0
    root: float = 1.0

    @classmethod
    def shipped(cls, measure: HybridMeasure) -> "Constants":
        """Those of a measure; that the root is the same is known from `check`."""
        return cls(
            measure.dense if isinstance(measure, Hybrid) else 0.0,
            measure.terms,
            measure.terms_alone,
            measure.static.context_weight,
            ENOUGH_WHOLE_WORDS,
            TITLE_DISTRUST,
            0.5,
        )


@dataclass(frozen=True)
class Texts:
    """The texts of one side of the pairs, one entry a pair."""

    covered: BoolArray
    titled: BoolArray
    matched: Float64Array
    whole_static: Float64Array  # shares of whole words, under the word vectors and under the encoder
    whole_dense: Float64Array
    own: Float64Array  # the squared length of the own embedding and of the context: 1, or 0 without one
    context: Float64Array
    own_context: Float64Array  # their inner product

    def take(self, rows: Int64Array) -> "Texts":
        """Some of the texts."""
        return Texts(*(getattr(self, each.name)[rows] for each in fields(self)))

    def trust(self, whole_words: Float64Array, constants: Constants) -> Float64Array:
        """How far a model is to be trusted with each text."""
        known = np.minimum(1.0, whole_words / constants.enough_whole_words)
        known = known * (1 - constants.title_distrust * self.titled)
        return np.where(self.covered, 1 - self.matched * (1 - known), 1.0)

    def mixing_weights(self, constants: Constants) -> tuple[Float64Array, Float64Array]:
        """The weights of the own embedding and of the context in a row of unit length; NaN without a row."""
        own = self.trust(self.whole_static, constants)
        context = constants.context_weight * self.matched + (1 - constants.context_weight) * (1 - own)
        context = np.where(self.covered, context, 0.0)
        squared = own**2 * self.own + context**2 * self.context + 2 * own * context * self.own_context
        norms = np.sqrt(np.where(squared > 1e-12, squared, np.nan))
        return own / norms, context / norms

    def part_weights(self, whole_words: Float64Array, constants: Constants) -> Float64Array:
        """The weights of dense, web-kernel-static and web-kernel for each text, rounded as in an index."""
        trust = self.trust(whole_words, constants)
        terms = np.where(self.covered, constants.terms + constants.terms_alone * (1 - trust), 0.0)
        weights = np.column_stack([constants.dense * trust, np.ones(len(trust)), terms])
        return of_sum_1(scalar_quantize(weights)[0].astype(np.float64))


@dataclass(frozen=True)
class Pairs:
    """Both sides of the pairs, inner products between them, and scores of the parts; NaN where there is none."""

    first: Texts
    second: Texts
    own_own: Float64Array
    own_context: Float64Array  # of the first text's own embedding and the second's context
    context_own: Float64Array
    context_context: Float64Array
    static: Float64Array
    dense: Float64Array
    web_kernel: Float64Array

    def web_kernel_static(self, constants: Constants) -> Float64Array:
        """The scores of `web-kernel-static`."""
        (own, context), (other_own, other_context) = (
            side.mixing_weights(constants) for side in (self.first, self.second)
        )
        by_own = other_own * self.own_own + other_context * self.own_context
        by_context = other_own * self.context_own + other_context * self.context_context
        return np.minimum(own * by_own + context * by_context, 1.0)

    def hybrid(self, constants: Constants, weigh: Weigh = mean) -> Float64Array:
        """The scores of `hybrid`, or of a variant with other weights of a pair."""
        return self._sum(self.hybrid_weights(constants, weigh), self.dense, constants)

    def hybrid_static(self, constants: Constants) -> Float64Array:
        """The scores of `hybrid-static`."""
        return self._sum(self.hybrid_static_weights(constants), np.full(len(self.dense), np.nan), constants)

    def hybrid_weights(self, constants: Constants, weigh: Weigh = mean) -> Float64Array:
        """The weights of dense, web-kernel-static and web-kernel for each pair in `hybrid`."""
        return weigh(*(side.part_weights(side.whole_dense, constants) for side in (self.first, self.second)))

    def hybrid_static_weights(self, constants: Constants, weigh: Weigh = mean) -> Float64Array:
        """The same in `hybrid-static`, where dense has the weight 0."""
        constants = replace(constants, dense=0.0)
        return weigh(*(side.part_weights(side.whole_static, constants) for side in (self.first, self.second)))

    def _sum(self, weights: Float64Array, dense: Float64Array, constants: Constants) -> Float64Array:
        terms = np.maximum(self.web_kernel, 0.0) ** constants.root
        scores = np.column_stack([dense, self.web_kernel_static(constants), terms])
        total = (weights * np.nan_to_num(scores)).sum(axis=1)
        return np.where(np.isnan(scores).all(axis=1), np.nan, total)


def pairs_of(studied: StudiedSet) -> Pairs:
    """The pairs of a set, from the cache if a sample of them still has the scores of the measures."""
    judged, hybrid = studied.judged, cast(Hybrid, studied.workspace.measure("hybrid"))
    static, version = hybrid.static, hybrid.static.expander.corpus.statistics.version
    settings = f"{static.results} {static.power} {static.documents.settings} {hybrid.weights.model.identity} {version}"
    key = crc32("\n".join([settings, *judged.left, *judged.right]).encode("utf-8", "surrogatepass"))
    path = data.cache_folder() / "parts" / f"{judged.name.replace(' ', '-')}-{key:08x}.npz"
    if path.exists():
        kept = _pairs(studied, dict(np.load(path)))
        if difference(studied, kept) < CLOSE:
            return kept
    facts = _facts(hybrid, judged)
    path.parent.mkdir(exist_ok=True)
    np.savez(path, **cast(dict[str, Any], facts))
    found = _pairs(studied, facts)
    check(studied, found)
    return found


def check(studied: StudiedSet, pairs: Pairs) -> None:
    """Raise an error if the shipped constants do not give the scores of the measures on a sample."""
    found = difference(studied, pairs)
    if not found < CLOSE:
        raise ArithmeticError(f"{studied.name}: scores differ by {found:.2g} from those of the measures")


def difference(studied: StudiedSet, pairs: Pairs) -> float:
    """The largest difference of a sample of scores to those of the measures.

    A measure rounds the rows of web-kernel-static to 8 bits. So its weights and its sum are compared exactly
    over rows that are not rounded, and the scores with rounded rows up to the error of rounding.
    """
    judged, largest = studied.judged, 0.0
    places = np.linspace(0, len(pairs.dense) - 1, min(CHECKED, len(pairs.dense))).astype(np.int64)
    texts = [[side[place] for place in places] for side in (judged.left, judged.right)]
    for name, ours in (("hybrid", pairs.hybrid), ("hybrid-static", pairs.hybrid_static)):
        measure = cast(HybridMeasure, studied.workspace.measure(name))
        got, rounded = ours(Constants.shipped(measure))[places], measure.score_pairs(*texts)
        if not np.allclose(got, rounded, rtol=0, atol=ROUNDING, equal_nan=True):
            return float(np.abs(got - rounded).max())
        exact = _with_exact_rows(measure, *texts)
        largest = max(largest, float(np.abs(np.nan_to_num(got - exact)).max(initial=0.0)))
    return largest


def _with_exact_rows(measure: HybridMeasure, queries: list[str], candidates: list[str]) -> Float64Array:
    """The scores of a hybrid measure without rounding of the rows of web-kernel-static."""
    rows = [
        measure.static.mix(*measure.static.expander.search(side, measure.static.results)).rows
        for side in (queries, candidates)
    ]
    known = rows[0].any(axis=1) & rows[1].any(axis=1)
    scores = {
        column: part.score_pairs(queries, candidates)
        for column, part in measure.parts.items()
        if column != STATIC
    }
    scores[STATIC] = np.where(known, np.minimum((rows[0] * rows[1]).sum(axis=1), 1.0), np.nan)
    weights, other_weights = (measure.weights.weights(side) for side in (queries, candidates))
    return measure.combine(weights, other_weights, scores)


Facts = dict[str, Float64Array]


def _facts(hybrid: Hybrid, judged: JudgedSet) -> Facts:
    """The evidence about each distinct text, inner products for each text and for each pair."""
    texts, first, second = _rows(judged)
    print(f"  encoding {len(texts):,} texts of {judged.name}", flush=True)
    found = _encoded(hybrid, texts)
    own, context = found.pop("own"), found.pop("context")

    def dots(a: Float64Array, b: Float64Array) -> Float64Array:
        products = np.empty(len(first))
        for begin in range(0, len(first), _STEP):
            part = slice(begin, begin + _STEP)
            products[part] = np.einsum("ij,ij->i", a[first[part]], b[second[part]])
        return products

    return found | {
        "own": (own**2).sum(axis=1),
        "context": (context**2).sum(axis=1),
        "own_context": (own * context).sum(axis=1),
        "pair_own_own": dots(own, own),
        "pair_own_context": dots(own, context),
        "pair_context_own": dots(context, own),
        "pair_context_context": dots(context, context),
    }


def _encoded(hybrid: Hybrid, texts: list[str]) -> Facts:
    """The evidence about each text, its own embedding and the unit vector of its context."""
    # With a context weight of 1 the context is as long as the share of the text that is matched.
    static, encoder = replace(hybrid.static, context_weight=1.0), hybrid.weights.model

    def encode(batch: list[str]) -> Facts:
        queries, results, covered = static.expander.search(batch, static.results)
        evidence = text_evidence(static.expander.corpus, queries, results, covered)
        mixture = static.mix(queries, results, covered)
        lengths = np.linalg.norm(mixture.context, axis=1, keepdims=True)
        return {
            "covered": covered.astype(np.float64),
            "titled": evidence.titled.astype(np.float64),
            "matched": evidence.matched,
            "whole_static": static.documents.model.whole_words(batch),
            "whole_dense": encoder.whole_words(batch),
            "own": mixture.embeddings,
            "context": mixture.context / np.where(lengths > 0, lengths, 1.0),
        }

    found = thread_map(encode, [texts[i : i + static.chunk] for i in range(0, len(texts), static.chunk)])
    return {name: np.concatenate([each[name] for each in found]) for name in found[0]}


def _pairs(studied: StudiedSet, facts: Facts) -> Pairs:
    _, first, second = _rows(studied.judged)
    covered, titled = facts["covered"] > 0, facts["titled"] > 0
    others = ("matched", "whole_static", "whole_dense", "own", "context", "own_context")
    texts = Texts(covered, titled, *(facts[name] for name in others))
    return Pairs(
        texts.take(first),
        texts.take(second),
        *(facts[f"pair_{name}"] for name in ("own_own", "own_context", "context_own", "context_context")),
        *(
            scores_of(studied.workspace.measure(name), studied.judged)
            for name in ("static", "dense", "web-kernel")
        ),
    )


def _rows(judged: JudgedSet) -> tuple[list[str], Int64Array, Int64Array]:
    """The distinct texts of a set, and which of them are the first and the second of each pair."""
    row: dict[str, int] = {}
    first, second = (
        np.array([row.setdefault(text, len(row)) for text in side]) for side in (judged.left, judged.right)
    )
    return list(row), first, second
