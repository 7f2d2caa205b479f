"""Figure 2 of Metzler et al. (2007), precision at eleven points of recall: `python -m reproduce.metzler_figure2`."""

from dataclasses import dataclass

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
from reproduce.published import PublishedOrdering

# The orderings that the paper states, by the mean over the eleven points, higher first.
SAID = {
    "Excellent": [
        ("backoff", "stemming"),
        ("backoff", "dense-prob"),
        ("backoff", "sparse-prob"),
        ("stemming", "lexical"),
        ("stemming", "dense-prob"),
        ("stemming", "sparse-prob"),
        ("lexical", "dense-prob"),
        ("lexical", "sparse-prob"),
    ],
    "Excellent and Good": [
        ("backoff", "dense-prob"),
        ("backoff", "sparse-prob"),
        ("dense-prob", "lexical"),
        ("sparse-prob", "lexical"),
        ("dense-prob", "stemming"),
        ("sparse-prob", "stemming"),
        ("backoff", "stemming"),
    ],
}


@dataclass(frozen=True)
class Task:
    """What each method returns for a task, and the panel of the figure that it corresponds to."""

    title: str
    found: dict[str, Found]
    groups: Int64Array
    panel: str


def tasks(workspace: Workspace) -> list[Task]:
    """The three tasks."""
    judged = read_set("trec_tasks")
    queries = np.arange(int(judged.judged.groups.ids.max()) + 1)
    both = "Excellent and Good"
    return [
        Task("trec_tasks, highly relevant (Excellent)", matched(workspace, judged, 2), queries, "Excellent"),
        Task("trec_tasks, relevant (Excellent and Good)", matched(workspace, judged, 1), queries, both),
        Task("uqv100, search of a pool, same need", *searched(workspace), both),
    ]


def report(workspace: Workspace) -> str:
    """The curves of the three tasks."""
    return "\n\n".join(map(_section, tasks(workspace)))


def published(workspace: Workspace) -> list[PublishedOrdering]:
    """The orderings of both panels, by the mean over the eleven points."""
    found = []
    for task in tasks(workspace):
        curves = {name: _by_group(each, task.groups).mean(axis=1) for name, each in task.found.items()}
        for higher, lower in SAID[task.panel]:
            ours = compare(curves[higher], curves[lower]).interval
            subject = f"`{higher}` above `{lower}`"
            found.append(PublishedOrdering("Metzler et al. 2007, figure 2", subject, "", task.title, ours))
    return found


def _section(task: Task) -> str:
    found = task.found
    curves = {name: _by_group(each, task.groups) for name, each in found.items()}
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
        for higher, lower in SAID[task.panel]
    ]
    first = next(iter(found.values()))
    header = ["method", *(f"{point / 10:g}" for point in range(11)), "returned"]
    return "\n\n".join(
        [
            f"### {task.title}: {np.count_nonzero(first.relevant)} queries",
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
