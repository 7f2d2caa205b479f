"""Summaries of a judgement task: export, agreement of raters, and grades by measure."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from querykin.errors import InputError
from querykin.evaluation.inter_rater import RaterAgreement, rater_agreement
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.judgement_writers import write_table
from querykin.io.text_column import TextColumn
from querykin.server.judgement_store import Item, Judgement, JudgementTask


def to_judged_pairs(judgements: Sequence[Judgement]) -> JudgedPairs:
    """The judgements as a data set for evaluation and training."""
    queries = TextColumn(each.query for each in judgements)
    return JudgedPairs(
        queries,
        TextColumn(each.candidate for each in judgements),
        np.array([each.grade for each in judgements]),
        queries,
        TextColumn(each.rater for each in judgements),
    )


def export_judgements(judgements: Sequence[Judgement], file_format: str) -> str:
    """Contents of a file for `querykin train` and `querykin evaluate`: query, candidate, rater, grade."""
    if not judgements:
        raise InputError("there are no judgements yet: nothing to export")
    file = io.StringIO()
    write_table(to_judged_pairs(judgements), file, file_format)
    return file.getvalue()


def agreement(task: JudgementTask, judgements: Sequence[Judgement]) -> RaterAgreement | None:
    """Agreement of the raters; None if no pair has grades of two raters."""
    raters: dict[tuple[str, str], set[str]] = {}
    for each in judgements:
        raters.setdefault((each.query, each.candidate), set()).add(each.rater)
    if not any(len(names) > 1 for names in raters.values()):
        return None
    return rater_agreement(to_judged_pairs(judgements), task.scale.relevant)


@dataclass(frozen=True)
class MeasureSummary:
    """Grades of the suggestions of one measure; several raters' grades of a pair are averaged first."""

    measure: str
    judged: int  # number of suggestions with at least one grade
    mean_grade: float
    relevant_share: float  # share of suggestions whose mean grade is relevant
    mean_top_grade: float | None  # mean grade of the suggestions at rank 1


def summarize_measures(
    task: JudgementTask, items: Sequence[Item], judgements: Sequence[Judgement]
) -> list[MeasureSummary]:
    """Summary of each measure, by descending mean grade."""
    grades: dict[tuple[str, str], list[float]] = {}
    for each in judgements:
        grades.setdefault((each.query, each.candidate), []).append(each.grade)
    ranked_grades: dict[str, list[tuple[int, float]]] = {}
    for item in items:
        if (item.query, item.candidate) in grades:
            mean = fmean(grades[item.query, item.candidate])
            for proposal in item.proposals:
                ranked_grades.setdefault(proposal.measure, []).append((proposal.rank, mean))
    summaries = [_summarize(task, measure, ranked) for measure, ranked in ranked_grades.items()]
    return sorted(summaries, key=lambda each: -each.mean_grade)


def _summarize(
    task: JudgementTask, measure: str, ranked_grades: Sequence[tuple[int, float]]
) -> MeasureSummary:
    grades = [grade for _, grade in ranked_grades]
    top_grades = [grade for rank, grade in ranked_grades if rank == 1]
    relevant_share = sum(grade >= (task.scale.relevant or 0) for grade in grades) / len(grades)
    mean_top_grade = fmean(top_grades) if top_grades else None
    return MeasureSummary(measure, len(grades), fmean(grades), relevant_share, mean_top_grade)
