"""How good is it? Metrics, tests of significance, agreement of raters and reports, from judged pairs."""

from querykin.evaluation.files import Outcome, Task, evaluate_file
from querykin.evaluation.judgements import Judgements
from querykin.evaluation.raters import RaterAgreement, rater_agreement
from querykin.evaluation.reading import read_judgements
from querykin.evaluation.report import write_report
from querykin.evaluation.results import Evaluation, Result, evaluate
from querykin.evaluation.trec import Run, read_qrels, read_run
from querykin.evaluation.writing import write_judgements, write_run

__all__ = [
    "Evaluation",
    "Judgements",
    "Outcome",
    "RaterAgreement",
    "Result",
    "Run",
    "Task",
    "evaluate",
    "evaluate_file",
    "rater_agreement",
    "read_judgements",
    "read_qrels",
    "read_run",
    "write_judgements",
    "write_report",
    "write_run",
]
