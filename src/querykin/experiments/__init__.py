"""Evaluation of measures on judged files: pairs, pools and runs."""

from typing import TYPE_CHECKING

from querykin.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from querykin.experiments.evaluation import EvaluationTask, evaluate_file

__all__ = ["EvaluationTask", "evaluate_file"]

__getattr__ = lazy_imports(
    __name__,
    {"EvaluationTask": "evaluation", "evaluate_file": "evaluation"},
)
