"""Suggestions for popular queries, section 7 of Sahami & Heilman (2006): `python -m reproduce.popular_queries`.

The paper took the popular queries of a year (Google Zeitgeist), suggested at most five past queries for each by its kernel
and its filter, and had them rated; here nobody rates, so the tables say how many suggestions there are, at which
scores, and show some.
"""

import numpy as np

from querykin import Workspace
from querykin.defaults import DEFAULT_MEASURE
from querykin.io.query_files import read_queries
from querykin.retrieval.suggester import Suggestions
from reproduce import data
from reproduce.markdown import number, table

POPULAR = "google-year-in-search"
QUERIES = 300  # the most frequent of those with evidence; the paper had 118
MAX = 5
MEASURES = ("web-kernel-paper", "web-kernel", DEFAULT_MEASURE)
FILTERS = ("paper", "diverse", "none")
THRESHOLDS = (0.85, 0.7, 0.5, 0.3)
SHOWN = 10


def popular(workspace: Workspace) -> list[str]:
    """The queries that stood in most lists, of those that the corpus covers."""
    listed = read_queries(str(data.list_file(POPULAR)), print)
    queries = [query for query, _, _ in sorted(listed, key=lambda row: -row[1])][: 4 * QUERIES]
    covered = workspace.expander.search(queries)[2]
    return [query for query, known in zip(queries, covered, strict=True) if known][:QUERIES]


def report(opened: Workspace) -> str:
    """Number of suggestions by measure, filter and threshold; then some of them."""
    workspace = data.linked(opened, "popular")
    queries = popular(workspace)
    rows, shown = [], []
    for name in MEASURES:
        workspace.build(name)
        workspace = workspace.reopen()
        for rule in FILTERS:
            suggester = workspace.suggester(name, filter=rule, min_probability=0.0, exact=True)
            found = suggester.suggest(queries, MAX)
            rows.append([name, rule, *_counts(found)])
            print("  " + " | ".join(rows[-1]), flush=True)
            if rule == "paper":
                shown.append(found[:SHOWN])
    header = ["measure", "filter", "queries with suggestions", "a query"]
    facts = (
        f"{len(queries)} popular queries, {len(workspace.repository):,} past queries, at most {MAX} suggestions each. The paper: "
        "118 queries, 379 suggestions, 3.2 a query."
    )
    counts = table([*header, *(f"of score {each:g} and more" for each in THRESHOLDS)], rows)
    examples = [
        [each[0].query, *("; ".join(suggestion.query for suggestion in one.suggestions) for one in each)]
        for each in zip(*shown, strict=True)
    ]
    return f"{facts}\n\n{counts}\n\nWith the paper's filter:\n\n{table(['query', *MEASURES], examples)}"


def _counts(found: list[Suggestions]) -> list[str]:
    scores = np.array([suggestion.score for each in found for suggestion in each.suggestions])
    some = sum(bool(each.suggestions) for each in found)
    means = [len(scores), *(int((scores >= threshold).sum()) for threshold in THRESHOLDS)]
    return [str(some), *(number(mean / len(found), 2) for mean in means)]


if __name__ == "__main__":
    data.show(report)
