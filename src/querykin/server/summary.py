"""What do judgements say so far? A table to export, agreement of raters, and how each measure fares."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from querykin.errors import InputError
from querykin.evaluation.rater_agreement import RaterAgreement, rater_agreement
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.judgement_writers import write_table
from querykin.io.text_column import TextColumn
from querykin.server.judgement_store import Item, Judgement, JudgementTask


def judged(given: Sequence[Judgement]) -> JudgedPairs:
    """Judgements as `evaluate` and `train` know them."""
    queries = TextColumn(each.query for each in given)
    return JudgedPairs(
        queries,
        TextColumn(each.candidate for each in given),
        np.array([each.grade for each in given]),
        queries,
        TextColumn(each.rater for each in given),
    )


def exported(given: Sequence[Judgement], form: str) -> str:
    """A file for `querykin train` and `querykin evaluate`: query, candidate, rater, grade."""
    if not given:
        raise InputError("nothing has been judged yet: there is nothing to export")
    file = io.StringIO()
    write_table(judged(given), file, form)
    return file.getvalue()


def agreement(task: JudgementTask, given: Sequence[Judgement]) -> RaterAgreement | None:
    """How far raters agree; None while no pair has the grades of two."""
    raters_of: dict[tuple[str, str], set[str]] = {}
    for each in given:
        raters_of.setdefault((each.query, each.candidate), set()).add(each.rater)
    if not any(len(raters) > 1 for raters in raters_of.values()):
        return None
    return rater_agreement(judged(given), task.scale.relevant)


@dataclass(frozen=True)
class MeasureSummary:
    """How the suggestions of one measure were graded."""

    measure: str
    judged: int  # suggestions that at least one rater has graded
    mean: float
    good: float  # share of those with a mean grade that counts as good
    first: float | None  # mean grade of what the measure ranks first


def by_measure(
    task: JudgementTask, items: Sequence[Item], given: Sequence[Judgement]
) -> list[MeasureSummary]:
    """The grades by who proposed the suggestion, the best measure first."""
    grades: dict[tuple[str, str], list[float]] = {}
    for each in given:
        grades.setdefault((each.query, each.candidate), []).append(each.grade)
    found: dict[str, list[tuple[int, float]]] = {}
    for item in items:
        if (item.query, item.candidate) in grades:
            mean = fmean(grades[item.query, item.candidate])
            for proposal in item.proposals:
                found.setdefault(proposal.measure, []).append((proposal.rank, mean))
    summaries = [_fared(task, measure, ranked) for measure, ranked in found.items()]
    return sorted(summaries, key=lambda each: -each.mean)


def _fared(task: JudgementTask, measure: str, ranked: Sequence[tuple[int, float]]) -> MeasureSummary:
    means = [mean for _, mean in ranked]
    firsts = [mean for rank, mean in ranked if rank == 1]
    least = task.scale.relevant or 0
    good = sum(mean >= least for mean in means) / len(means)
    return MeasureSummary(measure, len(means), fmean(means), good, fmean(firsts) if firsts else None)
