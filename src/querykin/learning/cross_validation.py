"""Cross-validation by group: all pairs of a query are in one fold."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.errors import InputError
from querykin.io.judged_pairs import JudgedPairs

Content: TypeAlias = Mapping[str, Any]  # of a model


class TrainingData(ABC):
    """Judged pairs with the features that a learner needs, computed once for all folds."""

    judged: JudgedPairs

    @abstractmethod
    def learn(self, rows: Int64Array) -> Content:
        """Fit a model to these rows only and return its content."""

    @abstractmethod
    def scores(self, content: Content, rows: Int64Array) -> Float64Array:
        """Scores of these rows, which are whole groups, by a fitted model."""


def cross_validate(
    training_data: TrainingData, folds: int, seed: int = 0, done: Callable[[int], None] = lambda rows: None
) -> Float64Array:
    """Score every pair with a model fitted without the pair's group."""
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
    """Out-of-fold scores of every row: each fold is scored by a model fitted to the other folds.

    `done` is called after each fold with the number of its rows.
    """
    fold_of_row = group_folds(groups, folds, seed)
    predictions = np.full(len(groups), np.nan)
    for fold in range(folds):
        test = np.flatnonzero(fold_of_row == fold)
        predictions[test] = scores(learn(np.flatnonzero(fold_of_row != fold)), test)
        done(len(test))
    return predictions


def group_folds(groups: Int64Array, folds: int, seed: int = 0) -> Int64Array:
    """The fold of every row: all rows of a group in one fold, folds of about equal size.

    Groups go to the fold with the fewest rows so far, largest group first, as in scikit-learn's
    `GroupKFold(shuffle=False)`; groups of equal size are taken in a random order that depends on the seed.
    `GroupKFold` has no such mode (with `shuffle=True` it ignores the sizes), and its assignment would differ:
    ours must stay the same so that published figures remain comparable.

    >>> group_folds(np.array([0, 0, 1, 1, 2, 2]), 3).tolist()[::2]
    [1, 2, 0]
    """
    names, group_of_row, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    if not 2 <= folds <= len(names):
        raise InputError(
            f"--folds must be from 2 to the number of groups, {len(names)} here (a group is a query unless "
            f"the file has a group column), got {folds}"
        )
    order = np.random.default_rng(seed).permutation(len(names))
    order = order[np.argsort(-sizes[order], kind="stable")]
    fold_of_group, fold_sizes = np.zeros(len(names), np.int64), np.zeros(folds, np.int64)
    for group in order:
        fold_of_group[group] = np.argmin(fold_sizes)
        fold_sizes[fold_of_group[group]] += sizes[group]
    return fold_of_group[group_of_row]
