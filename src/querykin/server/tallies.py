"""What do judgements say so far? A table to export, agreement of raters, and how each measure fares."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from querykin.errors import InputError
from querykin.evaluation.judgements import Judgements as Judged
from querykin.evaluation.raters import RaterAgreement, rater_agreement
from querykin.evaluation.texts import Texts
from querykin.evaluation.writing import write_table
from querykin.server.judgements import Item, Judgement, Task


def judged(given: Sequence[Judgement]) -> Judged:
    """Judgements as `evaluate` and `train` know them."""
    queries = Texts(each.query for each in given)
    return Judged(
        queries,
        Texts(each.candidate for each in given),
        np.array([each.grade for each in given]),
        queries,
        Texts(each.rater for each in given),
    )


def exported(given: Sequence[Judgement], form: str) -> str:
    """A file for `querykin train` and `querykin evaluate`: query, candidate, rater, grade."""
    if not given:
        raise InputError("nothing has been judged yet: there is nothing to export")
    file = io.StringIO()
    write_table(judged(given), file, form)
    return file.getvalue()


def agreement(task: Task, given: Sequence[Judgement]) -> RaterAgreement | None:
    """How far raters agree; None while no pair has the grades of two."""
    raters_of: dict[tuple[str, str], set[str]] = {}
    for each in given:
        raters_of.setdefault((each.query, each.candidate), set()).add(each.rater)
    if not any(len(raters) > 1 for raters in raters_of.values()):
        return None
    return rater_agreement(judged(given), task.scale.relevant)


@dataclass(frozen=True)
class Fared:
    """How the suggestions of one measure were graded."""

    measure: str
    judged: int  # suggestions that at least one rater has graded
    mean: float
    good: float  # share of those with a mean grade that counts as good
    first: float | None  # mean grade of what the measure ranks first


def by_measure(task: Task, items: Sequence[Item], given: Sequence[Judgement]) -> list[Fared]:
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
    fared = [_fared(task, measure, ranked) for measure, ranked in found.items()]
    return sorted(fared, key=lambda each: -each.mean)


def _fared(task: Task, measure: str, ranked: Sequence[tuple[int, float]]) -> Fared:
    means = [mean for _, mean in ranked]
    firsts = [mean for rank, mean in ranked if rank == 1]
    least = task.scale.relevant or 0
    good = sum(mean >= least for mean in means) / len(means)
    return Fared(measure, len(means), fmean(means), good, fmean(firsts) if firsts else None)
