"""How far do the raters of a file agree? Kappas of grades, of relevance and of preferences."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array
from querykin.errors import InputError
from querykin.evaluation.agreement import Agreement, Kappas, agreements, kappas, mean_kappas
from querykin.evaluation.tables import TextTable, format_number
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.tables import plain

HEADINGS = ("pairs", "observed", "expected", "pooled kappa", "simple", "linear", "quadratic")
FIGURES = ("observed", "expected", "pooled", "simple", "linear", "quadratic")
SHOWN_GRADES = 12


@dataclass(frozen=True)
class RaterAgreement:
    """What every two raters say about the pairs that both have graded."""

    raters: Sequence[str]
    pairs: int  # pairs of texts that at least one rater has graded
    scale: Float64Array  # the grades that occur
    relevant: float
    found: Sequence[Agreement]

    def relevance(self, agreement: Agreement) -> Kappas:
        """Agreement on what is relevant and what is not."""
        return kappas(_halves(agreement.confusion, self.scale >= self.relevant), np.array([0.0, 1.0]))

    def kinds(self, agreement: Agreement) -> dict[str, Kappas]:
        """Every way in which two raters can agree, by what people read."""
        relevance = {"relevant or not": self.relevance(agreement)}
        return {"grades": agreement.grades, **relevance, **agreement.preferences}

    def means(self) -> dict[str, Kappas]:
        """The mean over all pairs of raters."""
        each = [self.kinds(agreement) for agreement in self.found]
        return {name: mean_kappas([kinds[name] for kinds in each]) for name in each[0]}

    def confusion(self) -> Int64Array:
        """All pairs of raters together: rows are the grades of the first, columns those of the second."""
        total: Int64Array = np.sum([agreement.confusion for agreement in self.found], axis=0)
        return total


def _halves(confusion: Int64Array, good: BoolArray) -> Int64Array:
    sides = np.stack([~good, good]).astype(np.int64)
    merged: Int64Array = sides @ confusion @ sides.T
    return merged


def rater_agreement(judged: JudgedPairs, relevant: float | None = None) -> RaterAgreement:
    """Compare the raters of judged pairs; a rater grades a pair once.

    >>> from querykin.evaluation.texts import TextColumn
    >>> queries, candidates, raters = TextColumn("qqqq"), TextColumn("abab"), TextColumn(["r", "r", "s", "s"])
    >>> judged = JudgedPairs(queries, candidates, np.array([1.0, 0.0, 1.0, 1.0]), queries, raters)
    >>> found = rater_agreement(judged)
    >>> found.raters, found.confusion().tolist(), found.means()["grades"].observed
    (['r', 's'], [[0, 1], [0, 1]], 0.5)
    """
    if judged.raters is None:
        raise InputError("these judgements do not say who graded; agreement needs raters")
    _refuse_twice(judged, judged.raters.ids)
    groups, numbers = judged.groups.ids, judged.raters.ids
    scale, found = agreements(judged.items, numbers, judged.grades, groups)
    if not found:
        count = len(judged.raters.distinct)
        raise InputError(f"no pair has rows of two raters (there are {count:,}): nothing to compare")
    threshold = judged.threshold() if relevant is None else relevant
    return RaterAgreement(judged.raters.distinct, int(judged.items.max()) + 1, scale, threshold, found)


def _refuse_twice(judged: JudgedPairs, raters: Int64Array) -> None:
    keys = judged.items * (int(raters.max()) + 1) + raters
    order = np.argsort(keys, kind="stable")
    twice = order[1:][np.diff(keys[order]) == 0]
    if len(twice) and judged.raters is not None:
        row = int(twice.min())
        pair = f"{judged.queries[row]!r} and {judged.candidates[row]!r}"
        raise InputError(f"rater {judged.raters[row]!r} has graded {pair} twice; keep one grade for each")


def agreement_tables(found: RaterAgreement) -> list[TextTable]:
    """Tables for people: means, every two raters, and the grades that they gave to the same pairs."""
    several = len(found.found) > 1
    scale = " ".join(f"{grade:g}" for grade in found.scale[:SHOWN_GRADES])
    title = f"{len(found.raters):,} raters, {found.pairs:,} pairs, grades {scale}"
    means = [[name, *_figures(each)] for name, each in found.means().items()]
    note = "pooled kappa: one chance for both raters (Yih & Meek 2007); the others are Cohen's"
    grids = [
        TextTable(
            title + f"; means over {len(found.found):,} pairs of raters" * several,
            ["agreement on", *HEADINGS],
            means,
            note,
        )
    ]
    if several:
        each = [[_names(found, agreement), *_figures(agreement.grades)] for agreement in found.found]
        grids.append(TextTable("Grades, every two raters", ["raters", *HEADINGS], each))
    if len(found.scale) <= SHOWN_GRADES:
        grids.append(_confusion_grid(found))
    return grids


def _confusion_grid(found: RaterAgreement) -> TextTable:
    grades = [f"{grade:g}" for grade in found.scale]
    rows = [[grade, *map(str, row)] for grade, row in zip(grades, found.confusion().tolist(), strict=True)]
    who = _names(found, found.found[0]) if len(found.found) == 1 else "the first and the second of two raters"
    return TextTable(f"Confusion: rows and columns are the grades of {who}", ["", *grades], rows)


def _names(found: RaterAgreement, agreement: Agreement) -> str:
    first, second = agreement.raters
    return f"{found.raters[first]} and {found.raters[second]}"


def _figures(found: Kappas) -> list[str]:
    return [
        f"{found.items:,.1f}".removesuffix(".0"),
        *(format_number(getattr(found, name)) for name in FIGURES),
    ]


def agreement_json(found: RaterAgreement) -> dict[str, Any]:
    """Everything: the means, and for every two raters their kappas and confusion matrix."""
    return {
        "raters": list(found.raters),
        "pairs": found.pairs,
        "grades": found.scale.tolist(),
        "relevant": found.relevant,
        "means": {name: _kappas_json(each) for name, each in found.means().items()},
        "agreements": [
            {
                "raters": [found.raters[number] for number in agreement.raters],
                **{name: _kappas_json(each) for name, each in found.kinds(agreement).items()},
                "confusion": agreement.confusion.tolist(),
            }
            for agreement in found.found
        ],
    }


def _kappas_json(found: Kappas) -> dict[str, float | None]:
    return {name: plain(value) for name, value in asdict(found).items()}
