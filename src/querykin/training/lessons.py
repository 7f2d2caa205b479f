"""Judged pairs made ready for a learner, and what it reaches on pairs it has not seen."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from querykin.compiled import Longs, Reals
from querykin.evaluation.judgements import Judgements
from querykin.learning.folds import fold_numbers


class Lesson(ABC):
    """Judged pairs with all that a learner needs to know of them, computed once."""

    judged: Judgements

    @abstractmethod
    def learn(self, rows: Longs) -> Mapping[str, Any]:
        """The content of a model learnt from these rows alone."""

    @abstractmethod
    def scores(self, content: Mapping[str, Any], rows: Longs) -> Reals:
        """What such a model gives to these rows; they hold whole groups."""


def cross_validated(
    lesson: Lesson, folds: int, seed: int = 0, done: Callable[[int], None] = lambda rows: None
) -> Reals:
    """The score of every pair by a model that was learnt without the pair's whole group."""
    numbers = fold_numbers(lesson.judged.groups.numbers, folds, seed)
    scores = np.full(len(lesson.judged), np.nan)
    for fold in range(folds):
        held_out = np.flatnonzero(numbers == fold)
        content = lesson.learn(np.flatnonzero(numbers != fold))
        scores[held_out] = lesson.scores(content, held_out)
        done(len(held_out))
    return scores
