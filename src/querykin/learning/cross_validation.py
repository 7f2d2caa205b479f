"""Judged pairs made ready for a learner, and what it reaches on pairs it has not seen."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.io.judged_pairs import JudgedPairs
from querykin.learning.folds import group_folds

Content: TypeAlias = Mapping[str, Any]  # of a model


class TrainingData(ABC):
    """Judged pairs with all that a learner needs to know of them, computed once."""

    judged: JudgedPairs

    @abstractmethod
    def learn(self, rows: Int64Array) -> Content:
        """The content of a model learnt from these rows alone."""

    @abstractmethod
    def scores(self, content: Content, rows: Int64Array) -> Float64Array:
        """What such a model gives to these rows; they hold whole groups."""


def cross_validate(
    training_data: TrainingData, folds: int, seed: int = 0, done: Callable[[int], None] = lambda rows: None
) -> Float64Array:
    """The score of every pair by a model that was learnt without the pair's whole group."""
    return cross_val_predict(
        training_data.judged.groups.ids, folds, training_data.learn, training_data.scores, seed, done
    )


def cross_val_predict(
    groups: Int64Array,
    folds: int,
    learn: Callable[[Int64Array], Content],
    scores: Callable[[Content, Int64Array], Float64Array],
    seed: int = 0,
    done: Callable[[int], None] = lambda rows: None,
) -> Float64Array:
    """What is said of every row by what was learnt from the other folds."""
    numbers = group_folds(groups, folds, seed)
    found = np.full(len(groups), np.nan)
    for fold in range(folds):
        rows = np.flatnonzero(numbers == fold)
        found[rows] = scores(learn(np.flatnonzero(numbers != fold)), rows)
        done(len(rows))
    return found
