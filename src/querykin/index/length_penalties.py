"""Penalties for the length of a candidate's results, as Dirichlet-smoothed language models have them.

The negative KL divergence of two language models with Dirichlet smoothing (Zhai & Lafferty 2004) is an inner
product over the query's terms, less the logarithm of the candidate's length plus mu, times the mass of the
query model.
"""

from typing import NamedTuple

import numpy as np

from querykin.compute.arrays import Float64Array, UInt8Array
from querykin.compute.jit import njit
from querykin.index.posting_blocks import BLOCK, FloatArray

STEPS = 255  # the largest value of a byte


class LengthPenalties(NamedTuple):
    """What is subtracted from the score of each row, times `mass`; NaN excludes a row.

    `minimum + step * steps` is the penalty rounded down. It takes an eighth of the memory of `each`, and a
    search that reads the penalty of every row is bound by memory bandwidth.
    """

    each: Float64Array
    steps: UInt8Array
    minimum: float
    step: float
    mass: float = 1.0  # of the query model


NO_PENALTIES = LengthPenalties(np.zeros(0), np.zeros(0, np.uint8), 0.0, 0.0, 0.0)


def length_penalties_of(each: Float64Array) -> LengthPenalties:
    """Penalties of rows, also quantized to bytes."""
    known = each[~np.isnan(each)]
    if not len(known):
        return LengthPenalties(each, np.zeros(len(each), np.uint8), 0.0, 0.0)
    step = float(known.max() - known.min()) / STEPS or 1.0  # any step will do where all are equal
    steps = np.floor((np.where(np.isnan(each), known.max(), each) - known.min()) / step)
    return LengthPenalties(each, steps.astype(np.uint8), float(known.min()), step)


@njit
def penalties_of_block(penalties: LengthPenalties, b: int) -> LengthPenalties:
    """The penalties of one block's rows."""
    part = slice(b * BLOCK, (b + 1) * BLOCK)
    return LengthPenalties(
        penalties.each[part], penalties.steps[part], penalties.minimum, penalties.step, penalties.mass
    )


@njit
def start_scores(scores: FloatArray, penalties: LengthPenalties) -> None:
    """Set the scores of a block's rows to their quantized penalties: an upper bound before any posting."""
    kind = scores.dtype.type
    minimum, step = kind(-penalties.mass * penalties.minimum), kind(-penalties.mass * penalties.step)
    scores[:] = 0
    for row in range(len(penalties.steps)):
        scores[row] = minimum + step * kind(penalties.steps[row])
