"""Metric and preference learning as Yih & Meek (2007) print them: `python -m reproduce.yih_meek_learning`.

Eight measures, and the rank of a candidate by each of them; logistic regression with a Gaussian prior of variance 3; a
candidate's score by preferences is the sum over its rivals of the probability that it is preferred; ten folds over
queries; figures are means over the test folds. `reproduce.learned` has our learner and more measures.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from querykin import Workspace
from querykin.compute.arrays import Float64Array, Int64Array
from querykin.defaults import DEFAULT_MEASURE
from querykin.evaluation.metrics import all_metrics
from querykin.evaluation.significance import Interval, compare
from querykin.learning.combination.features import RANK, pair_features
from querykin.learning.cross_validation import Content, cross_val_predict, group_folds
from querykin.learning.linear import VARIANCE, Prior, fit_weights
from querykin.measures import measures
from reproduce import data
from reproduce.cached_scores import scores_by
from reproduce.equal_settings import scores_at
from reproduce.judged_sets import JudgedSet, read_sets
from reproduce.markdown import interval, number, table
from reproduce.orderings import VERDICTS, by_metric, clear
from reproduce.published import PublishedOrdering
from reproduce.yih_meek_table2 import EXPANDED, RESULTS

SETS = ("neuqs QR", "trec_tasks", "patent")
SURFACE = ("matching", "dice", "jaccard", "overlap", "cosine")
BASELINE = "web-relevance"  # the best single measure of the paper
LEARNED = ("metric learning", "preference learning")
BEFORE_VOTE = "preference learning, before the vote"  # does not depend on the length of a list
PRINTED = {BASELINE: (0.703, 0.683, 0.508, 0.427), LEARNED[0]: (0.735, 0.717, 0.556, 0.477)}
PRINTED[LEARNED[1]] = (0.739, 0.733, 0.569, 0.488)
PRINTED_METRICS = {"auc": "AUC", "p@1": "P@1", "p@3": "P@3", "p@5": "P@5"}
METRICS = {**PRINTED_METRICS, "mean_auc": "mean AUC"}
COMPARED = {"auc": "AUC", "mean_auc": "mean AUC"}
FOLDS = 10


@dataclass(frozen=True)
class Logistic:
    """Weights of the features, and what replaces a missing score: the lowest one seen in training."""

    weights: Float64Array
    intercept: float
    lowest: Float64Array

    @classmethod
    def fit(
        cls, rows: Float64Array, targets: Float64Array, lowest: Float64Array, intercept: bool
    ) -> "Logistic":
        """Maximum a posteriori weights; every row counts once."""
        width = rows.shape[1]
        prior = Prior(np.full(width, VARIANCE), np.zeros(width, np.bool_))
        found = fit_weights(rows, np.ones(len(rows)), targets, prior, intercept)
        return cls(found[:width], float(found[width]) if intercept else 0.0, lowest)

    def logits(self, rows: Float64Array) -> Float64Array:
        """The log odds of each row."""
        logits: Float64Array = filled(rows, self.lowest) @ self.weights + self.intercept
        return logits


def filled(rows: Float64Array, lowest: Float64Array) -> Float64Array:
    """The rows with the lowest score of each feature in place of a missing one."""
    return np.where(np.isnan(rows), lowest, rows)


def fit_metric(rows: Float64Array, relevant: Float64Array) -> Logistic:
    """The probability that a pair is similar."""
    lowest = np.nanmin(rows, axis=0)
    return Logistic.fit(filled(rows, lowest), relevant, lowest, intercept=True)


def fit_preference(rows: Float64Array, grades: Float64Array, lists: Int64Array) -> Logistic:
    """The probability that one candidate is preferred to another of the same query."""
    lowest = np.nanmin(rows, axis=0)
    values = filled(rows, lowest)
    differences = [np.zeros((0, rows.shape[1]))]
    for places in _lists(lists):
        better, worse = np.nonzero(grades[places][:, None] > grades[places][None, :])
        differences.append(values[places[better]] - values[places[worse]])
    together = np.concatenate(differences)
    return Logistic.fit(together, np.ones(len(together)), lowest, intercept=False)


def votes(logits: Float64Array, lists: Int64Array) -> Float64Array:
    """For each candidate the sum over its rivals of the probability that it is preferred.

    >>> votes(np.array([0.0, 0.0, 5.0]), np.array([0, 0, 1])).tolist()
    [0.5, 0.5, 0.0]
    """
    scores = np.zeros(len(logits))
    for places in _lists(lists):
        apart = logits[places][:, None] - logits[places][None, :]
        scores[places] = (1 / (1 + np.exp(-apart))).sum(axis=1) - 0.5  # without itself
    return scores


def report(workspace: Workspace) -> str:
    """The paper's three lines and ours, on every set."""
    rows = [[name, *map(number, values)] for name, values in PRINTED.items()]
    printed = table(["published", *PRINTED_METRICS.values()], rows)
    return "\n\n".join([printed, *(_on(workspace, judged) for judged in read_sets(SETS))])


def published(workspace: Workspace) -> list[PublishedOrdering]:
    """Both kinds of learning above web-relevance, and preferences above the metric; the AUC also within queries."""
    pairs = [(LEARNED[0], BASELINE), (LEARNED[1], BASELINE), (LEARNED[1], LEARNED[0])]
    figures = by_metric(PRINTED_METRICS, PRINTED)
    found = []
    for judged in read_sets(SETS):
        folds = by_fold(judged, scores(workspace, judged))
        for (higher, lower), (metric, title) in product(pairs, METRICS.items()):
            column = metric if metric in PRINTED_METRICS else "auc"
            printed = ", ".join(number(figures[name][column]) for name in (higher, lower))
            subject, on = f"{higher} above {lower} in {title}", f"{judged.name}, {RESULTS} results each"
            ours = _difference(folds, higher, lower, metric)
            found.append(PublishedOrdering("Yih & Meek 2007, table 2", subject, printed, on, ours))
    return found


def scores(workspace: Workspace, judged: JudgedSet) -> dict[str, Float64Array]:
    """The scores of web-relevance, and of both learners without the query of a pair."""
    single = scores_by(workspace, [*SURFACE], judged)
    single |= {name: scores_at(workspace, judged, name, RESULTS) for name in EXPANDED}
    always = [name for name in single if measures[name].kind.always_scores]
    made = pair_features(single, always, judged.left, judged.right, np.zeros(len(judged.judged)))
    rows = made.only([*single, *(RANK + name for name in single)]).values
    groups, grades = judged.judged.groups.ids, judged.judged.grades
    relevant = judged.labels.astype(np.float64)

    def metric(train: Int64Array) -> Content:
        return {"model": fit_metric(rows[train], relevant[train])}

    def preference(train: Int64Array) -> Content:
        return {"model": fit_preference(rows[train], grades[train], made.lists[train])}

    def logits(content: Content, test: Int64Array) -> Float64Array:
        found: Logistic = content["model"]
        return found.logits(rows[test])

    def voted(content: Content, test: Int64Array) -> Float64Array:
        return votes(logits(content, test), made.lists[test])

    return {
        BASELINE: single[BASELINE],
        LEARNED[0]: cross_val_predict(groups, FOLDS, metric, logits),
        LEARNED[1]: cross_val_predict(groups, FOLDS, preference, voted),
        BEFORE_VOTE: cross_val_predict(groups, FOLDS, preference, logits),
    }


def by_fold(judged: JudgedSet, found: dict[str, Float64Array]) -> dict[str, dict[str, Float64Array]]:
    """The figures of each method on each test fold."""
    groups, grades = judged.judged.groups.ids, judged.judged.grades
    fold_of = group_folds(groups, FOLDS)
    folds = [np.flatnonzero(fold_of == fold) for fold in range(FOLDS)]
    figures = {}
    for name, values in found.items():
        each = [
            all_metrics(values[rows], grades[rows], groups[rows], judged.relevant).values for rows in folds
        ]
        figures[name] = {metric: np.array([fold[metric] for fold in each]) for metric in METRICS}
    return figures


def _on(workspace: Workspace, judged: JudgedSet) -> str:
    found = scores(workspace, judged) | scores_by(workspace, [DEFAULT_MEASURE], judged)
    folds = by_fold(judged, found)
    rows = []
    for name, figures in folds.items():
        ours = [_difference(folds, name, BASELINE, metric) for metric in COMPARED]
        against = [f"{interval(each)}, {VERDICTS[clear(each)]}" if name != BASELINE else "" for each in ours]
        rows.append([name, *(number(float(figures[metric].mean())) for metric in METRICS), *against])
    header = [*METRICS.values(), *(f"{title} against {BASELINE}" for title in COMPARED.values())]
    return f"### {judged.name}, {RESULTS} results each\n\n{table(['method', *header], rows)}"


def _difference(folds: dict[str, dict[str, Float64Array]], higher: str, lower: str, metric: str) -> Interval:
    return compare(folds[higher][metric], folds[lower][metric]).interval


def _lists(lists: Int64Array) -> Sequence[Int64Array]:
    order = np.argsort(lists, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(lists[order])) + 1)


if __name__ == "__main__":
    data.show(report)
