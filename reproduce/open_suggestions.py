"""Suggestions from an open pool of web queries, judged: `python -m reproduce.open_suggestions` writes OPEN_SUGGESTIONS.md.

Five suggestions for each of 45 queries from 100,648 web queries. The first run builds the indexes, which takes about ten
minutes on two cores.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from querykin import Workspace
from querykin.compute.arrays import Float64Array
from querykin.evaluation.significance import Interval, compare
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.query_files import read_queries
from querykin.io.tables import as_text, read_table
from querykin.io.text_column import TextColumn
from querykin.retrieval.suggester import Suggester
from reproduce import data, suggestion_calibration, suggestion_features, suggestion_thinning
from reproduce.data import list_file
from reproduce.judged_sets import JudgedSet
from reproduce.markdown import interval, number, table
from reproduce.suggestions import SHOWN

OUT = data.ROOT / "reproduce" / "OPEN_SUGGESTIONS.md"
MEASURES = ("web-kernel", "static", "dense", "hybrid-static", "hybrid")
COMPARED = (
    ("hybrid", "dense"),
    ("hybrid", "web-kernel"),
    ("hybrid-static", "static"),
    ("hybrid-static", "web-kernel"),
)
LIMIT = 5
GOOD = 1.5  # mean grade of two raters, from 0 to 3

_HEAD = """# Suggestions from an open pool

Written by `python -m reproduce.open_suggestions`. Corpus: both encyclopedias ({facts}); repository: {queries:,} web queries.
Measures at their defaults, filter `diverse`, no minimum probability, no spelling correction. Judged: {judged:,} candidates
of {needs} queries, the first five of six systems (`web-kernel`, `static` and `dense` among them), graded from 0 to 3; good is
a mean grade of {good} or more. Brackets hold 95 % bootstrap intervals, paired, over queries.
"""


@dataclass(frozen=True)
class Precision:
    """The suggestions of a measure for each query: the shares of them that are judged, and good."""

    judged: Float64Array
    low: Float64Array  # unjudged suggestions count as bad
    high: Float64Array  # unjudged suggestions count as good

    @classmethod
    def of(cls, lists: Mapping[str, Sequence[str]], judged: JudgedSet) -> "Precision":
        """Judge the suggestions for each query; a missing one is bad."""
        grades = dict(zip(judged.judged.pairs(), judged.judged.grades.tolist(), strict=True))
        known = [[grades.get((query, each)) for each in found] for query, found in lists.items()]

        def share(counted: Sequence[int]) -> Float64Array:
            return np.array(counted) / LIMIT

        return cls(
            share([sum(grade is not None for grade in found) for found in known]),
            share([sum(grade is not None and grade >= GOOD for grade in found) for found in known]),
            share([sum(grade is None or grade >= GOOD for grade in found) for found in known]),
        )

    @property
    def cells(self) -> list[str]:
        """For a table."""
        return [f"{self.judged.mean():.1%}", number(float(self.low.mean())), number(float(self.high.mean()))]


def judged_suggestions() -> JudgedSet:
    """Queries and candidates with the mean grade of both raters."""
    columns = ["query", "candidate", "grade_a", "grade_b"]
    rows = list(read_table(str(data.labelled_file("open_suggestions")), columns).rows)
    queries, candidates = (TextColumn(as_text(row[name]) for row in rows) for name in columns[:2])
    grades = np.array([[float(as_text(row[name])) for name in columns[2:]] for row in rows]).mean(axis=1)
    return JudgedSet("open_suggestions", JudgedPairs(queries, candidates, grades, queries), GOOD)


def repository(encyclopedias: Workspace) -> Workspace:
    """The web queries as a repository over both encyclopedias, indexed once."""
    opened = encyclopedias.beside(data.cache_folder() / "open-suggestions")
    if not len(opened.repository):
        found = read_queries(str(list_file("trec-web-queries")), print)
        opened.repository.add((query, count) for query, count, _ in found)
    opened.build_all(MEASURES)
    return opened


def suggested(suggester: Suggester, queries: Sequence[str]) -> dict[str, list[str]]:
    """The suggestions for each query."""
    found = suggester.suggest(queries, LIMIT)
    return {each.query: [suggestion.query for suggestion in each.suggestions] for each in found}


def plain_suggester(opened: Workspace, name: str) -> Suggester:
    """Suggests without a minimum probability and without spelling correction."""
    return opened.suggester(name, min_probability=0.0, exact=True)


def report(opened: Workspace, judged: JudgedSet) -> str:
    """The report as Markdown."""
    queries = judged.judged.queries.distinct
    found = {
        name: Precision.of(suggested(plain_suggester(opened, name), queries), judged) for name in MEASURES
    }
    return "\n\n".join(
        [
            "## Precision of five suggestions",
            table(
                ["measure", "judged", "P@5, unjudged are bad", "P@5, unjudged are good"],
                [[name, *each.cells] for name, each in found.items()],
            ),
            table(
                ["difference", "unjudged are bad", "unjudged are good"],
                [_difference(ours, theirs, found) for ours, theirs in COMPARED],
            ),
            "## Examples",
            "Suggestions of `hybrid` with their scores and probabilities.",
            f"```\n{_examples(opened)}\n```",
            "## Calibration",
            suggestion_calibration.report(opened, judged),
            "## What did not help",
            suggestion_features.report(opened, judged),
            suggestion_thinning.report(
                opened, lambda suggester: Precision.of(suggested(suggester, queries), judged).cells
            ),
        ]
    )


def _difference(ours: str, theirs: str, found: Mapping[str, Precision]) -> list[str]:
    def apart(kind: str) -> Interval:
        return compare(getattr(found[ours], kind), getattr(found[theirs], kind)).interval

    return [f"{ours} - {theirs}", *(interval(apart(kind)) for kind in ("low", "high"))]


def _examples(opened: Workspace) -> str:
    lines = []
    for found in plain_suggester(opened, "hybrid").suggest(SHOWN, LIMIT):
        lines.append(found.query)
        lines += [f"  {each.score:.3f}  {each.probability:.2f}  {each.query}" for each in found.suggestions]
    return "\n".join(lines)


def main() -> None:
    """Print the report and write it to OPEN_SUGGESTIONS.md, or print which data is missing."""
    if absent := data.missing():
        print(absent)
        return
    opened, judged = repository(data.workspace()), judged_suggestions()
    text = report(opened, judged)
    print(text)
    head = _HEAD.format(
        facts=data.build_facts().partition(", built")[0],
        queries=len(opened.repository),
        judged=len(judged.judged),
        needs=len(judged.judged.queries.distinct),
        good=number(GOOD, 1),
    )
    OUT.write_text(f"{head}\n{text}\n", "utf-8")


if __name__ == "__main__":
    main()
