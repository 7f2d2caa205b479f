"""What is taken off scores: the length of a candidate's results, under a language model."""

from typing import NamedTuple

import numpy as np

from querykin.compiled import Bytes, Reals, compiled
from querykin.index.blocks import BLOCK, Scores

STEPS = 255  # as many as a byte tells apart


class Burdens(NamedTuple):
    """What is taken off the score of each row, times the query's mass; NaN keeps a row from being found.

    Also in steps, rounded down: `least + step * steps` takes an eighth of the room, and reading what every
    row carries is what takes time.
    """

    each: Reals
    steps: Bytes
    least: float
    step: float


NO_BURDENS = Burdens(np.zeros(0), np.zeros(0, np.uint8), 0.0, 0.0)


def burdens_of(each: Reals) -> Burdens:
    """The burdens of rows, and their steps."""
    known = each[~np.isnan(each)]
    if not len(known):
        return Burdens(each, np.zeros(len(each), np.uint8), 0.0, 0.0)
    step = float(known.max() - known.min()) / STEPS or 1.0  # where all are equal any will do
    steps = np.floor((np.where(np.isnan(each), known.max(), each) - known.min()) / step)
    return Burdens(each, steps.astype(np.uint8), float(known.min()), step)


@compiled
def of_block(burdens: Burdens, b: int) -> Burdens:
    """The burdens of one block's rows."""
    part = slice(b * BLOCK, (b + 1) * BLOCK)
    return Burdens(burdens.each[part], burdens.steps[part], burdens.least, burdens.step)


@compiled
def start_scores(values: Scores, burdens: Burdens, mass: float) -> None:
    """The scores of rows before anything is added, or a little more."""
    least, step = values.dtype.type(-mass * burdens.least), values.dtype.type(-mass * burdens.step)
    values[:] = 0
    for row in range(len(burdens.steps)):
        values[row] = least + step * values.dtype.type(burdens.steps[row])
