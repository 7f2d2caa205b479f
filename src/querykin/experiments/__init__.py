"""Evaluation of measures on judged files: pairs, pools and runs."""

from querykin.experiments.evaluation import EvaluationTask, evaluate_file

__all__ = ["EvaluationTask", "evaluate_file"]
