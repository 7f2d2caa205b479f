"""Summaries of a judgement task: export, agreement of raters, and grades by measure."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from querykin.errors import InputError
from querykin.evaluation.inter_rater import RaterAgreement, rater_agreement
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.safe_csv import safe_cell
from querykin.io.tables import TableWriter
from querykin.io.text_column import TextColumn
from querykin.server.judgement_records import Item, Judgement, JudgementTask


def to_judged_pairs(judgements: Sequence[Judgement]) -> JudgedPairs:
    """The grades as a data set for evaluation and training; pairs that could not be judged are left out."""
    graded = [(each, each.grade) for each in judgements if each.grade is not None]
    queries = TextColumn(each.query for each, _ in graded)
    return JudgedPairs(
        queries,
        TextColumn(each.candidate for each, _ in graded),
        np.array([grade for _, grade in graded]),
        queries,
        TextColumn(each.rater for each, _ in graded),
    )


def export_judgements(judgements: Sequence[Judgement], needs: Mapping[str, str], file_format: str) -> str:
    """Contents of a file for `querykin train` and `querykin evaluate`.

    The columns are query, candidate, rater, grade, and for people the information need and the note. No
    spreadsheet takes a cell for a formula, and every text is read back as it was. Pairs that could not be
    judged are left out.
    """
    text = safe_cell if file_format == "tsv" else str  # CSV is always safe, JSON is not for spreadsheets
    rows = [
        {
            "query": text(each.query),
            "candidate": text(each.candidate),
            "rater": text(each.rater),
            "grade": int(each.grade) if each.grade.is_integer() else each.grade,
            "need": text(needs.get(each.query, "")),
            "note": text(each.note),
        }
        for each in judgements
        if each.grade is not None
    ]
    if not rows:
        raise InputError("there are no judgements yet: nothing to export")
    file = io.StringIO()
    TableWriter(file, file_format, list(rows[0])).write(rows, {})
    return file.getvalue()


@dataclass(frozen=True)
class Disagreement:
    """A pair to which raters gave different grades."""

    query: str
    candidate: str
    judgements: tuple[Judgement, ...]  # the highest grade first
    difference: float  # between the highest and the lowest grade


def disagreements(judgements: Sequence[Judgement]) -> list[Disagreement]:
    """The pairs with different grades, the largest difference first."""
    by_pair: dict[tuple[str, str], list[tuple[float, Judgement]]] = {}
    for each in judgements:
        if each.grade is not None:
            by_pair.setdefault((each.query, each.candidate), []).append((each.grade, each))
    found = []
    for pair, graded in by_pair.items():
        graded.sort(key=lambda each: -each[0])
        difference = graded[0][0] - graded[-1][0]
        if difference:
            found.append(Disagreement(*pair, tuple(each for _, each in graded), difference))
    return sorted(found, key=lambda each: -each.difference)


def agreement(task: JudgementTask, judgements: Sequence[Judgement]) -> RaterAgreement | None:
    """Agreement of the raters; None if no pair has grades of two raters."""
    raters: dict[tuple[str, str], set[str]] = {}
    for each in judgements:
        if each.grade is not None:
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
        if each.grade is not None:
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
