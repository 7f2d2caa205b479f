"""Combinations of several measures, learned from judged pairs (Yih & Meek 2007)."""

from typing import TYPE_CHECKING

from querykin.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from querykin.learning.combination.training import CombinationTask, train_combination

__all__ = ["CombinationTask", "train_combination"]

__getattr__ = lazy_imports(
    __name__,
    {"CombinationTask": "training", "train_combination": "training"},
)
