"""What groups are like at thresholds that a measure may have by default."""

from collections.abc import Mapping

import numpy as np

from querykin import Workspace
from querykin.clustering.thresholds import default_threshold
from querykin.compute.arrays import BoolArray, Int64Array
from reproduce.cached_scores import scores_by
from reproduce.cluster_methods import MEASURES, stars
from reproduce.cluster_quality import Measured
from reproduce.cluster_sets import Half
from reproduce.markdown import number, table
from reproduce.open_suggestions import judged_suggestions

THRESHOLDS = (0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8)


def defaults(encyclopedias: Workspace, measured: Mapping[str, Mapping[str, Measured]]) -> str:
    """Quality, grouped web queries and judged suggestions by measure and threshold."""
    judged = judged_suggestions()
    rows = []
    for measure, scores in scores_by(encyclopedias, [*MEASURES], judged).items():
        needs, among = (
            measured[name][stars(measure).name] for name in ("uqv100", "uqv100 among web queries")
        )
        for threshold in THRESHOLDS:
            above = judged.labels[scores >= threshold]
            rows.append(
                [
                    measure + (", default" if threshold == default_threshold(measure) else ""),
                    f"{threshold:g}",
                    *(number(each.quality([threshold] * 2).b_cubed.f()) for each in (needs, among)),
                    f"{_share_grouped(among, threshold):.1%}",
                    f"{number(float(above.mean()), 2)} of {len(above)}",
                ]
            )
    header = ["measure", "threshold", "F, uqv100", "F, among web queries", "web queries in a group"]
    return table([*header, "good pairs at or above"], rows)


def _share_grouped(measured: Measured, threshold: float) -> float:
    """The share of the keywords without a class that are in a group with others."""
    halves = zip(measured.listed.halves, measured.cuts, strict=True)
    return float(np.concatenate([_grouped(half, cut(threshold)) for half, cut in halves]).mean())


def _grouped(half: Half, clusters: Int64Array) -> BoolArray:
    grouped: BoolArray = np.bincount(clusters)[clusters][~half.judged] > 1
    return grouped
