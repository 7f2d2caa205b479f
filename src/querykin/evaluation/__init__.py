"""Evaluation on judged pairs and ranked lists: metrics, significance, rater agreement and reports."""

from querykin.evaluation.outcome import EvaluationOutcome
from querykin.evaluation.rater_agreement import RaterAgreement, rater_agreement
from querykin.evaluation.report import write_report
from querykin.evaluation.results import Evaluation, Result, evaluate
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.judgement_files import read_judged_pairs
from querykin.io.judgement_writers import write_judged_pairs, write_run
from querykin.io.trec import Run, read_qrels, read_run

__all__ = [
    "Evaluation",
    "EvaluationOutcome",
    "JudgedPairs",
    "RaterAgreement",
    "Result",
    "Run",
    "evaluate",
    "rater_agreement",
    "read_judged_pairs",
    "read_qrels",
    "read_run",
    "write_judged_pairs",
    "write_report",
    "write_run",
]
