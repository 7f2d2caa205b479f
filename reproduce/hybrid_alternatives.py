"""Other ways to weigh the parts of `hybrid`, with its constants: the section of HYBRID.md on what did not work."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from querykin.compute.arrays import Float64Array
from querykin.measures.part_weights import DENSE, of_sum_1
from reproduce.hybrid_parts import Constants, Pairs, Texts, Weigh, geometric_mean, mean
from reproduce.hybrid_sets import StudiedSet
from reproduce.markdown import number, table


def _geometric_mean_of_sum_1(first: Float64Array, second: Float64Array) -> Float64Array:
    return of_sum_1(geometric_mean(first, second))


def _least_trusted(first: Float64Array, second: Float64Array) -> Float64Array:
    return np.where((first[:, DENSE] <= second[:, DENSE])[:, None], first, second)


WEIGHTS: dict[str, Weigh] = {
    "a true kernel: features scaled by the roots of the weights": geometric_mean,
    "geometric mean of the weights": _geometric_mean_of_sum_1,
    "weights of the text that is trusted less": _least_trusted,
    "weights of the query alone": lambda first, _: first,
}
CONSTANTS: dict[str, dict[str, float]] = {
    "web-kernel without the root": {"root": 1.0},
    "no evidence of titles": {"title_distrust": 0.0},
    "no word vectors of documents for known words": {"context_weight": 0.0},
}


def _all_words_known(texts: Texts) -> Texts:
    ones = np.ones(len(texts.covered))
    return replace(texts, whole_static=ones, whole_dense=ones)


def _nothing_known(texts: Texts) -> Texts:
    return replace(_all_words_known(texts), titled=np.zeros(len(texts.covered), np.bool_))


EVIDENCE: dict[str, Callable[[Texts], Texts]] = {
    "no evidence of word pieces": _all_words_known,
    "no evidence at all: the same weights for all covered texts": _nothing_known,
}


def alternatives(sets: Mapping[str, tuple[StudiedSet, Pairs]], shipped: Constants) -> str:
    """The figure of each alternative on each set, beside that of `hybrid` as shipped."""

    def row(
        name: str, constants: Constants, weigh: Weigh = mean, change: Callable[[Texts], Texts] | None = None
    ) -> list[str]:
        cells = [name]
        for studied, pairs in sets.values():
            if change:
                pairs = replace(pairs, first=change(pairs.first), second=change(pairs.second))
            cells.append(number(studied.value(pairs.hybrid(constants, weigh))))
        return cells

    rows = [row("as shipped", shipped)]
    rows += [row(name, shipped, weigh) for name, weigh in WEIGHTS.items()]
    rows += [row(name, replace(shipped, **changed)) for name, changed in CONSTANTS.items()]
    rows += [row(name, shipped, change=change) for name, change in EVIDENCE.items()]
    return table(["hybrid", *sets], rows)
