"""Metrics, significance tests, agreement of raters and reports."""

from typing import TYPE_CHECKING

from querykin.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from querykin.evaluation.outcome import EvaluationOutcome
    from querykin.evaluation.rater_agreement import RaterAgreement, rater_agreement
    from querykin.evaluation.report import write_report
    from querykin.evaluation.results import Evaluation, Result, evaluate

__all__ = [
    "Evaluation",
    "EvaluationOutcome",
    "RaterAgreement",
    "Result",
    "evaluate",
    "rater_agreement",
    "write_report",
]

__getattr__ = lazy_imports(
    __name__,
    {
        "EvaluationOutcome": "outcome",
        "RaterAgreement": "rater_agreement",
        "rater_agreement": "rater_agreement",
        "write_report": "report",
        "Evaluation": "results",
        "Result": "results",
        "evaluate": "results",
    },
)
