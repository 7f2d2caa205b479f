"""What is taken off scores: the length of a candidate's results, under a language model."""

from typing import NamedTuple

import numpy as np

from querykin.compute.arrays import Float64Array, UInt8Array
from querykin.compute.jit import njit
from querykin.index.posting_blocks import BLOCK, Scores

STEPS = 255  # as many as a byte tells apart


class LengthPenalties(NamedTuple):
    """What is taken off the score of each row, times the query's mass; NaN keeps a row from being found.

    Also in steps, rounded down: `least + step * steps` takes an eighth of the room, and reading what every
    row carries is what takes time.
    """

    each: Float64Array
    steps: UInt8Array
    minimum: float
    step: float


NO_PENALTIES = LengthPenalties(np.zeros(0), np.zeros(0, np.uint8), 0.0, 0.0)


def length_penalties_of(each: Float64Array) -> LengthPenalties:
    """The burdens of rows, and their steps."""
    known = each[~np.isnan(each)]
    if not len(known):
        return LengthPenalties(each, np.zeros(len(each), np.uint8), 0.0, 0.0)
    step = float(known.max() - known.min()) / STEPS or 1.0  # where all are equal any will do
    steps = np.floor((np.where(np.isnan(each), known.max(), each) - known.min()) / step)
    return LengthPenalties(each, steps.astype(np.uint8), float(known.min()), step)


@njit
def of_block(length_penalties: LengthPenalties, b: int) -> LengthPenalties:
    """The burdens of one block's rows."""
    part = slice(b * BLOCK, (b + 1) * BLOCK)
    return LengthPenalties(
        length_penalties.each[part],
        length_penalties.steps[part],
        length_penalties.minimum,
        length_penalties.step,
    )


@njit
def start_scores(values: Scores, length_penalties: LengthPenalties, mass: float) -> None:
    """The scores of rows before anything is added, or a little more."""
    minimum, step = (
        values.dtype.type(-mass * length_penalties.minimum),
        values.dtype.type(-mass * length_penalties.step),
    )
    values[:] = 0
    for row in range(len(length_penalties.steps)):
        values[row] = minimum + step * values.dtype.type(length_penalties.steps[row])
