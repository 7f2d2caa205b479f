"""Judged pairs made ready for a learner, and what it reaches on pairs it has not seen."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from querykin.compiled import Longs, Reals
from querykin.evaluation.judgements import Judgements
from querykin.learning.folds import fold_numbers

Content: TypeAlias = Mapping[str, Any]  # of a model


class Lesson(ABC):
    """Judged pairs with all that a learner needs to know of them, computed once."""

    judged: Judgements

    @abstractmethod
    def learn(self, rows: Longs) -> Content:
        """The content of a model learnt from these rows alone."""

    @abstractmethod
    def scores(self, content: Content, rows: Longs) -> Reals:
        """What such a model gives to these rows; they hold whole groups."""


def cross_validated(
    lesson: Lesson, folds: int, seed: int = 0, done: Callable[[int], None] = lambda rows: None
) -> Reals:
    """The score of every pair by a model that was learnt without the pair's whole group."""
    return held_out(lesson.judged.groups.numbers, folds, lesson.learn, lesson.scores, seed, done)


def held_out(
    groups: Longs,
    folds: int,
    learn: Callable[[Longs], Content],
    scores: Callable[[Content, Longs], Reals],
    seed: int = 0,
    done: Callable[[int], None] = lambda rows: None,
) -> Reals:
    """What is said of every row by what was learnt from the other folds."""
    numbers = fold_numbers(groups, folds, seed)
    found = np.full(len(groups), np.nan)
    for fold in range(folds):
        rows = np.flatnonzero(numbers == fold)
        found[rows] = scores(learn(np.flatnonzero(numbers != fold)), rows)
        done(len(rows))
    return found
