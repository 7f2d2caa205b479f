"""Figure 2 of Metzler et al. (2007), precision at eleven points of recall: `python -m reproduce.metzler_figure2`."""

import numpy as np

from querykin import Workspace
from querykin.compute.arrays import Float64Array, Int64Array
from querykin.evaluation.metrics import mean
from querykin.evaluation.significance import compare
from reproduce import data
from reproduce.judged_sets import read_set
from reproduce.markdown import interval, number, table
from reproduce.matching import METHODS, Found, matched, searched
from reproduce.orderings import VERDICTS, clear

# The orderings that the paper states, by the mean over the eleven points, higher first.
SAID = {
    "Excellent": [
        ("backoff", "stemming"),
        ("stemming", "lexical"),
        ("lexical", "dense-prob"),
        ("lexical", "sparse-prob"),
    ],
    "Excellent and Good": [
        ("backoff", "dense-prob"),
        ("backoff", "sparse-prob"),
        ("dense-prob", "lexical"),
        ("sparse-prob", "lexical"),
        ("backoff", "stemming"),
    ],
}


def report(workspace: Workspace) -> str:
    """The curves of the three tasks."""
    judged = read_set("trec_tasks")
    found, needs = searched(workspace)
    queries = np.arange(int(judged.judged.groups.ids.max()) + 1)
    return "\n\n".join(
        [
            _section(
                "trec_tasks, highly relevant (Excellent)", matched(workspace, judged, 2), queries, "Excellent"
            ),
            _section(
                "trec_tasks, relevant (Excellent and Good)",
                matched(workspace, judged, 1),
                queries,
                "Excellent and Good",
            ),
            _section("uqv100, search of a pool, same need", found, needs, "Excellent and Good"),
        ]
    )


def _section(title: str, found: dict[str, Found], groups: Int64Array, criterion: str) -> str:
    curves = {name: _by_group(each, groups) for name, each in found.items()}
    rows = [
        [
            name,
            *(number(mean(curves[name][:, point])) for point in range(11)),
            f"{np.mean(found[name].counts()):.1f}",
        ]
        for name in METHODS
    ]
    said = [
        [higher, lower, *_verdict(curves[higher].mean(axis=1), curves[lower].mean(axis=1))]
        for higher, lower in SAID[criterion]
    ]
    first = next(iter(found.values()))
    header = ["method", *(f"{point / 10:g}" for point in range(11)), "returned"]
    return "\n\n".join(
        [
            f"### {title}: {np.count_nonzero(first.relevant)} queries",
            table(header, rows),
            table(
                [
                    "higher in the paper",
                    "lower in the paper",
                    "mean of the eleven points, 95 % interval",
                    "verdict",
                ],
                said,
            ),
        ]
    )


def _by_group(found: Found, groups: Int64Array) -> Float64Array:
    """The mean curve of each group of queries that have relevant candidates."""
    used, curves = found.relevant > 0, found.eleven_points()
    counts = np.bincount(groups[used], minlength=int(groups.max()) + 1)
    sums = np.stack(
        [np.bincount(groups[used], curves[used, point], minlength=len(counts)) for point in range(11)], axis=1
    )
    return np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], np.nan)


def _verdict(higher: Float64Array, lower: Float64Array) -> list[str]:
    found = compare(higher, lower).interval
    return [interval(found), VERDICTS[clear(found)]]


if __name__ == "__main__":
    data.show(report)
