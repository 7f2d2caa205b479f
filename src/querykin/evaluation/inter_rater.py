"""Agreement of the raters of a judgement file: kappas of grades, of relevance and of preferences."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array
from querykin.counted_nouns import counted
from querykin.errors import InputError
from querykin.evaluation.agreement import Agreement, Kappas, agreements, kappas, mean_kappas
from querykin.evaluation.tables import TextTable, format_number
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.tables import plain

COLUMNS = {  # headings of the fields of Kappas, after the number of pairs
    "observed": "observed",
    "expected": "expected",
    "pooled": "pooled kappa",
    "simple": "simple",
    "linear": "linear",
    "quadratic": "quadratic",
}
HEADINGS = ("pairs", *COLUMNS.values())
MAX_GRADES = 12  # grades of a scale that tables show


@dataclass(frozen=True)
class RaterAgreement:
    """The agreement of every two raters on the pairs that both have graded."""

    raters: Sequence[str]
    pairs: int  # pairs of texts that at least one rater has graded
    scale: Float64Array  # the grades that occur
    relevant: float
    agreements: Sequence[Agreement]

    def relevance(self, agreement: Agreement) -> Kappas:
        """Agreement on relevance, the grades from `relevant` on."""
        return kappas(_binarized(agreement.confusion, self.scale >= self.relevant), np.array([0.0, 1.0]))

    def kinds(self, agreement: Agreement) -> dict[str, Kappas]:
        """The kappas of two raters by kind of agreement, under the names shown to users."""
        relevance = {"relevant or not": self.relevance(agreement)}
        return {"grades": agreement.grades, **relevance, **agreement.preferences}

    def means(self) -> dict[str, Kappas]:
        """The mean over all pairs of raters."""
        each = [self.kinds(agreement) for agreement in self.agreements]
        return {name: mean_kappas([kinds[name] for kinds in each]) for name in each[0]}

    def confusion(self) -> Int64Array:
        """The sum over all pairs of raters: rows are grades of the first, columns of the second."""
        total: Int64Array = np.sum([agreement.confusion for agreement in self.agreements], axis=0)
        return total


def _binarized(confusion: Int64Array, is_relevant: BoolArray) -> Int64Array:
    classes = np.stack([~is_relevant, is_relevant]).astype(np.int64)
    merged: Int64Array = classes @ confusion @ classes.T
    return merged


def rater_agreement(judged: JudgedPairs, relevant: float | None = None) -> RaterAgreement:
    """Compare the raters of judged pairs; a rater may grade a pair only once.

    >>> from querykin.io.text_column import TextColumn
    >>> queries, candidates, raters = TextColumn("qqqq"), TextColumn("abab"), TextColumn(["r", "r", "s", "s"])
    >>> judged = JudgedPairs(queries, candidates, np.array([1.0, 0.0, 1.0, 1.0]), queries, raters)
    >>> found = rater_agreement(judged)
    >>> found.raters, found.confusion().tolist(), found.means()["grades"].observed
    (['r', 's'], [[0, 1], [0, 1]], 0.5)
    """
    if judged.raters is None:
        raise InputError("these judgements have no raters; agreement needs a rater for each grade")
    _check_graded_once(judged, judged.raters.ids)
    scale, compared = agreements(judged.items, judged.raters.ids, judged.grades, judged.groups.ids)
    if not compared:
        count = len(judged.raters.distinct)
        raise InputError(f"no pair has rows of two raters (there are {count:,}): nothing to compare")
    threshold = judged.threshold() if relevant is None else relevant
    return RaterAgreement(judged.raters.distinct, int(judged.items.max()) + 1, scale, threshold, compared)


def _check_graded_once(judged: JudgedPairs, raters: Int64Array) -> None:
    keys = judged.items * (int(raters.max()) + 1) + raters
    order = np.argsort(keys, kind="stable")
    repeated = order[1:][np.diff(keys[order]) == 0]
    if len(repeated) and judged.raters is not None:
        row = int(repeated.min())
        pair = f"{judged.queries[row]!r} and {judged.candidates[row]!r}"
        raise InputError(f"rater {judged.raters[row]!r} has graded {pair} twice; keep one grade for each")


def agreement_tables(result: RaterAgreement) -> list[TextTable]:
    """Tables of the means, of every two raters, and of the confusion of grades."""
    several = len(result.agreements) > 1
    scale = " ".join(f"{grade:g}" for grade in result.scale[:MAX_GRADES])
    title = f"{len(result.raters):,} raters, {counted(result.pairs, 'pair')}, grades {scale}"
    title += f"; means over {len(result.agreements):,} pairs of raters" * several
    means = [[name, *_cells(each)] for name, each in result.means().items()]
    note = "pooled kappa: one chance for both raters (Yih & Meek 2007); the others are Cohen's"
    tables = [TextTable(title, ["agreement on", *HEADINGS], means, note)]
    if several:
        rows = [[_names(result, agreement), *_cells(agreement.grades)] for agreement in result.agreements]
        tables.append(TextTable("Grades, every two raters", ["raters", *HEADINGS], rows))
    if len(result.scale) <= MAX_GRADES:
        tables.append(_confusion_table(result))
    return tables


def _confusion_table(result: RaterAgreement) -> TextTable:
    grades = [f"{grade:g}" for grade in result.scale]
    rows = [[grade, *map(str, row)] for grade, row in zip(grades, result.confusion().tolist(), strict=True)]
    one = len(result.agreements) == 1
    who = _names(result, result.agreements[0]) if one else "the first and the second of two raters"
    return TextTable(f"Confusion: rows and columns are the grades of {who}", ["", *grades], rows)


def _names(result: RaterAgreement, agreement: Agreement) -> str:
    first, second = agreement.raters
    return f"{result.raters[first]} and {result.raters[second]}"


def _cells(values: Kappas) -> list[str]:
    items = f"{values.items:,.1f}".removesuffix(".0")
    return [items, *(format_number(getattr(values, name)) for name in COLUMNS)]


def agreement_json(result: RaterAgreement) -> dict[str, Any]:
    """The means, and the kappas and confusion matrix of every two raters."""
    return {
        "raters": list(result.raters),
        "pairs": result.pairs,
        "grades": result.scale.tolist(),
        "relevant": result.relevant,
        "means": {name: _kappas_json(each) for name, each in result.means().items()},
        "agreements": [
            {
                "raters": [result.raters[number] for number in agreement.raters],
                **{name: _kappas_json(each) for name, each in result.kinds(agreement).items()},
                "confusion": agreement.confusion.tolist(),
            }
            for agreement in result.agreements
        ],
    }


def _kappas_json(values: Kappas) -> dict[str, float | None]:
    return {name: plain(value) for name, value in asdict(values).items()}
