"""Figures 1 and 2 of Sahami & Heilman (2006) on judged suggestions: `python -m reproduce.sahami_figures`.

Figure 1: the mean rating of suggestions with a score of at least t. Figure 2: the same against their number
per query. The suggestions of the paper come from its kernel and were rated from 1 to 5; ours come from other systems and
were judged 0 to 2 (trec_tasks) or 0 and 1 (neuqs).
"""

from itertools import pairwise

import numpy as np

from querykin import Workspace
from querykin.compute.arrays import Float64Array, Int64Array
from querykin.defaults import DEFAULT_MEASURE
from querykin.evaluation.metrics import spearman
from querykin.evaluation.ranked_groups import thresholds
from querykin.evaluation.significance import compare
from reproduce import data
from reproduce.cached_scores import scores_by
from reproduce.judged_sets import JudgedSet, read_sets
from reproduce.markdown import number, table
from reproduce.published import PublishedOrdering

SETS = ("trec_tasks", "neuqs QR")
MEASURES = ["web-kernel-paper", "web-kernel", DEFAULT_MEASURE]
HALF = 0.5
THRESHOLDS = np.arange(0.85, 0.0, -0.05)  # in the paper down to .3


def report(workspace: Workspace) -> str:
    """Both figures as one table per set."""
    return "\n\n".join(_on(workspace, judged) for judged in read_sets(SETS))


def published(workspace: Workspace) -> list[PublishedOrdering]:
    """The rating rises with the score: suggestions at or above .5 against those below, query by query."""
    found = []
    for judged in read_sets(SETS):
        for name, scores in scores_by(workspace, MEASURES, judged).items():
            high = scores >= HALF
            grades, groups = judged.judged.grades, judged.judged.groups.ids
            sides = [_means(grades[rows], groups[rows], int(groups.max()) + 1) for rows in (high, ~high)]
            ours = compare(sides[0], sides[1]).interval
            subject = f"grade of suggestions with K >= {HALF:g} above the grade of the others"
            on = f"{judged.name}, `{name}`"
            found.append(PublishedOrdering("Sahami & Heilman 2006, figure 1", subject, "", on, ours))
    return found


def _means(grades: Float64Array, groups: Int64Array, count: int) -> Float64Array:
    """The mean grade of each query; NaN without a suggestion."""
    sizes = np.bincount(groups, minlength=count)
    means: Float64Array = np.bincount(groups, grades, count) / np.where(sizes, sizes, np.nan)
    return means


def _on(workspace: Workspace, judged: JudgedSet) -> str:
    scores = scores_by(workspace, MEASURES, judged)
    columns = {name: _points(judged, values) for name, values in scores.items()}
    rows = [
        [f"{threshold:.2f}", *(cell for points in columns.values() for cell in points[place])]
        for place, threshold in enumerate(THRESHOLDS)
    ]
    header = [f"{name}: {what}" for name in MEASURES for what in ("mean grade", "suggestions a query")]
    trends = [
        f"- {name}: the mean grade {_trend(points)} (rank correlation of score and grade: {number(spearman(scores[name], judged.judged.grades))})"
        for name, points in columns.items()
    ]
    overall = f"All judged suggestions: mean grade {judged.judged.grades.mean():.3f}."
    return "\n\n".join(
        [f"### {judged.name}", table(["score at least", *header], rows), overall, "\n".join(trends)]
    )


def _points(judged: JudgedSet, scores: Float64Array) -> list[list[str]]:
    """Mean grade and number per query at each threshold; a dash where nothing is left."""
    groups = int(judged.judged.groups.ids.max()) + 1
    kept = thresholds(scores, judged.judged.grades, judged.relevant)
    points = []
    for threshold in THRESHOLDS:
        above = np.flatnonzero(kept.scores >= threshold - 1e-9)
        pairs, grades = (int(kept.pairs[above[-1]]), kept.grades[above[-1]]) if len(above) else (0, np.nan)
        points.append([number(grades / max(1, pairs)), f"{pairs / groups:.1f}"])
    return points


def _trend(points: list[list[str]]) -> str:
    means = [float(mean) for mean, _ in points if mean != "-"]
    falls = sum(lower <= higher for higher, lower in pairwise(means))
    return f"falls with the threshold at {falls} of {len(means) - 1} steps"


if __name__ == "__main__":
    data.show(report)
