"""Table 4 of Metzler et al. (2007): precision where Lexical finds k candidates: `python -m reproduce.metzler_table4`."""

import numpy as np

from querykin import Workspace
from querykin.compute.arrays import Float64Array, Int64Array
from querykin.defaults import DEFAULT_MEASURE
from querykin.evaluation.significance import Interval, compare
from reproduce import data
from reproduce.judged_sets import read_set
from reproduce.markdown import interval, number, table
from reproduce.matching import Found, matched, searched
from reproduce.metzler_figure2 import tasks
from reproduce.published import PublishedOrdering

# k: queries, then Lexical and Backoff for Excellent, and for Excellent and Good.
PRINTED = {
    1: (40, 0.7500, 0.8125, 0.7500, 0.8125),
    2: (38, 0.3235, 0.4853, 0.3382, 0.5882),
    3: (31, 0.2688, 0.4194, 0.3978, 0.5914),
}
MIN_QUERIES = 10  # minimum number of queries in a row, as in the paper
MAX_RESULTS = 8


def report(workspace: Workspace) -> str:
    """The paper's table and ours."""
    judged = read_set("trec_tasks")
    found, needs = searched(workspace)
    queries = np.arange(int(judged.judged.groups.ids.max()) + 1)
    printed = [[str(k), str(row[0]), *(number(each, 4) for each in row[1:])] for k, row in PRINTED.items()]
    return "\n\n".join(
        [
            "### The paper",
            table(
                ["k", "queries", "Lexical (E)", "Backoff (E)", "Lexical (E, G)", "Backoff (E, G)"], printed
            ),
            "### uqv100, search of a pool, same need",
            _strata(found, needs),
            "### trec_tasks, highly relevant (Excellent)",
            _strata(matched(workspace, judged, 2), queries),
            "### trec_tasks, relevant (Excellent and Good)",
            _strata(matched(workspace, judged, 1), queries),
        ]
    )


def published(workspace: Workspace) -> list[PublishedOrdering]:
    """Backoff above Lexical, over all queries for which Lexical returns something."""
    found = []
    for task in tasks(workspace):
        lexical, backoff = task.found["lexical"], task.found["backoff"]
        counts = lexical.counts()
        queries = np.flatnonzero((counts > 0) & (lexical.relevant > 0))
        ours = _difference(queries, task.groups, backoff.precision_at(counts), lexical.precision_at(counts))
        subject, printed = "`backoff` above `lexical` in precision at k", "in all six cells"
        found.append(PublishedOrdering("Metzler et al. 2007, table 4", subject, printed, task.title, ours))
    return found


def _strata(found: dict[str, Found], groups: Int64Array) -> str:
    lexical, backoff = found["lexical"], found["backoff"]
    counts = lexical.counts()
    precisions = [each.precision_at(counts) for each in (lexical, backoff, found[DEFAULT_MEASURE])]
    rows = []
    for k in range(1, MAX_RESULTS + 1):
        rows += _row(str(k), np.flatnonzero((counts == k) & (lexical.relevant > 0)), groups, precisions)
    rows += _row("any", np.flatnonzero((counts > 0) & (lexical.relevant > 0)), groups, precisions)
    silent = f"Lexical finds nothing for {np.count_nonzero(counts == 0):,} of {len(counts):,} queries."
    header = [
        "k",
        "queries",
        "Lexical",
        "Backoff",
        f"`{DEFAULT_MEASURE}`",
        "Backoff - Lexical, 95 % interval over groups",
    ]
    return f"{table(header, rows)}\n\n{silent}" if rows else silent


def _row(k: str, queries: Int64Array, groups: Int64Array, precisions: list[Float64Array]) -> list[list[str]]:
    if len(queries) < MIN_QUERIES:
        return []
    return [
        [
            k,
            f"{len(queries):,}",
            *(number(float(each[queries].mean()), 4) for each in precisions),
            interval(_difference(queries, groups, precisions[1], precisions[0])),
        ]
    ]


def _difference(
    queries: Int64Array, groups: Int64Array, ours: Float64Array, theirs: Float64Array
) -> Interval:
    sizes = np.bincount(groups[queries])
    some = sizes > 0
    means = [np.bincount(groups[queries], each[queries])[some] / sizes[some] for each in (ours, theirs)]
    return compare(means[0], means[1]).interval


if __name__ == "__main__":
    data.show(report)
