"""Alfonseca et al.'s table 3 on real data: `python -m reproduce.cooccurrence`.

Compares the web kernel with distributional similarity of words and phrases under the available weightings and
smoothing, and with other measures from the same counts. Reports which differences are significant and their likely
causes. More smoothing, which takes minutes on long texts: `python -m reproduce.cooccurrence smoothing`.
"""

import os
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from zlib import crc32

import numpy as np

from querykin import Workspace
from querykin.compute.arrays import Float64Array
from querykin.defaults import DEFAULT_MEASURE
from querykin.evaluation import evaluate
from querykin.evaluation.metrics import all_metrics
from reproduce import cooccurrence_causes, data
from reproduce.cached_scores import scores_of
from reproduce.judged_sets import JudgedSet, read_sets
from reproduce.markdown import interval, number, table
from reproduce.orderings import difference

PUBLISHED = {  # web kernel, unigrams, n-grams
    "web-kernel-paper": (0.39, 0.35, 0.32, 0.49, 0.22),
    "distributional": (0.47, 0.53, 0.47, 0.57, 0.26),
    "distributional-ngrams": (0.70, 0.57, 0.52, 0.71, 0.54),
}
BOTH = ("distributional", "distributional-ngrams")
EVERYTHING = 2**31 - 1  # terms per row
VARIANTS: tuple[dict[str, object], ...] = (
    {},
    {"weighting": "root"},
    {"weighting": "chi-square"},
    {"weighting": "chi-square", "terms": EVERYTHING},
    {"smoothing": 0.01},
)
SMOOTHED = (0.0, 0.01, 0.1, 1.0)
COLUMNS = {"p@1": "P@1", "p@3": "P@3", "p@5": "P@5", "map": "mAP", "auc_pr": "AUC-PR"}
COMPARED = {"auc": "AUC", "p@1": "P@1", "p@3": "P@3", "p@5": "P@5", "map": "mAP"}


@dataclass(frozen=True)
class Line:
    """A measure under settings that differ from the defaults."""

    measure: str
    settings: Mapping[str, object]

    def __str__(self) -> str:
        return f"{self.measure}{', ' if self.settings else ''}{self.shown if self.settings else ''}"

    @property
    def shown(self) -> str:
        """The settings as text."""
        given = {**self.settings, **({"terms": "all"} if "terms" in self.settings else {})}
        return ", ".join(f"{key} {value}" for key, value in given.items()) or "defaults"


LINES = [
    Line("web-kernel-paper", {}),
    Line("web-kernel", {}),
    Line(DEFAULT_MEASURE, {}),
    *(Line(*each) for each in product(BOTH, VARIANTS)),
    Line("latent", {}),
    Line("pmi", {}),
]
UNIGRAMS, NGRAMS = (Line(name, {}) for name in BOTH)
PRINTED, ADAPTED, LATENT = (Line(name, {}) for name in ("web-kernel-paper", "web-kernel", "latent"))
PAIRS = [
    (NGRAMS, UNIGRAMS),
    (UNIGRAMS, PRINTED),
    (NGRAMS, PRINTED),
    (UNIGRAMS, ADAPTED),
    (NGRAMS, ADAPTED),
    (LATENT, PRINTED),
    (LATENT, UNIGRAMS),
    *((Line(name, {}), Line(name, {"weighting": "chi-square"})) for name in BOTH),
    *((Line(name, {"smoothing": 0.01}), Line(name, {})) for name in BOTH),
]


def report(opened: Workspace) -> str:
    """The counts, the table of the paper, and for every set our table, the differences and their likely causes."""
    workspace, counted = recounted(opened)
    parts = [
        counted,
        cooccurrence_causes.listed(workspace),
        "As published:",
        table(["method", *COLUMNS.values()], _published()),
    ]
    for judged in read_sets():
        parts += [
            f"### {judged.name}",
            *_set(workspace, judged),
            *cooccurrence_causes.causes(workspace, judged),
        ]
    return "\n\n".join(parts)


def _published() -> list[list[str]]:
    return [[name, *(number(value, 2) for value in values)] for name, values in PUBLISHED.items()]


def smoothing(opened: Workspace) -> str:
    """Every amount of smoothing on every set."""
    workspace, _ = recounted(opened)
    lines = [Line(name, {"smoothing": added}) for name in BOTH for added in SMOOTHED]
    tables = [
        f"### {judged.name}\n\n{_table([_row(judged, line, _scores(workspace, judged, line)) for line in lines])}"
        for judged in read_sets()
    ]
    return "\n\n".join(tables)


def recounted(opened: Workspace) -> tuple[Workspace, str]:
    """Count the corpus from scratch with a fixed repository; returns the workspace and the times."""
    workspace = data.linked(opened, "cooccurrence")
    start = time.perf_counter()
    workspace.update_derived("distributional", rebuild=True)
    counted = time.perf_counter()
    workspace.update_derived("latent")
    learned = time.perf_counter()
    return workspace, (
        f"Co-occurrences of {workspace.corpus.statistics.tokens:,} words counted in {counted - start:,.0f} s on "
        f"{os.cpu_count()} cores; the vectors of `latent` learned from them in {learned - counted:,.0f} s. "
        f"Repository: {len(workspace.repository):,} web queries."
    )


def _set(workspace: Workspace, judged: JudgedSet) -> list[str]:
    """All measures on a set, and the differences with their intervals."""
    scores = {str(line): _scores(workspace, judged, line) for line in LINES}
    rows = [_row(judged, line, scores[str(line)]) for line in LINES]
    return [_table(rows), _differences(judged, scores)]


def _scores(workspace: Workspace, judged: JudgedSet, line: Line) -> Float64Array:
    phrases = f"{crc32(workspace.cooccurrence.phrases.hashes.tobytes()):08x}"
    measure = replace(workspace.measure(line.measure), **line.settings)
    return scores_of(measure, judged, phrases if line.measure in BOTH else "")


def _table(rows: list[list[str]]) -> str:
    return table(["measure", "settings", "AUC", *COLUMNS.values(), "coverage"], rows)


def _row(judged: JudgedSet, line: Line, scores: Float64Array) -> list[str]:
    groups = np.unique(judged.judged.groups.at(range(len(judged.judged))), return_inverse=True)[1]
    values = all_metrics(scores, judged.judged.grades, groups, judged.relevant).values
    figures = (number(values[column]) for column in COLUMNS)
    row = [line.measure, line.shown, number(values["auc"]), *figures, f"{values['coverage']:.1%}"]
    print(judged.name, " | ".join(row), flush=True)
    return row


def _differences(judged: JudgedSet, scores: Mapping[str, Float64Array]) -> str:
    names = {str(line) for pair in PAIRS for line in pair}
    some = {name: scores[name] for name in scores if name in names}
    found = evaluate(judged.judged, some, judged.relevant, str(PRINTED), [])
    rows = [
        [
            f"{a} - {b}",
            *(interval(difference(metric, str(a), str(b), found, judged, some)) for metric in COMPARED),
        ]
        for a, b in PAIRS
    ]
    return table(["difference", *COMPARED.values()], rows)


if __name__ == "__main__":
    data.show(smoothing if sys.argv[1:] == ["smoothing"] else report)
