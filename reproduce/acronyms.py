"""Acronyms and their expansions, as in table 1 of Sahami & Heilman (2006): `python -m reproduce.acronyms`.

Acronyms of computer science papers, each with its expansions and with ten of other acronyms drawn at random. No words are
shared, so only a corpus that mentions both can tell; the letters alone tell nearly always, which the last row shows.
"""

import numpy as np

from querykin import Workspace
from querykin.compute.arrays import Float64Array
from querykin.defaults import DEFAULT_MEASURE
from querykin.evaluation import evaluate
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.tables import as_text, read_table
from querykin.io.text_column import TextColumn
from querykin.measures import measures
from reproduce import data
from reproduce.cached_scores import scores_by
from reproduce.judged_sets import JudgedSet
from reproduce.markdown import interval, number, table

MEASURES = (
    DEFAULT_MEASURE,
    "web-kernel",
    "web-kernel-paper",
    "set-overlap",
    "static",
    "dense",
    "jaccard-stems",
)
BASELINE = "jaccard-stems"
OTHERS = 10  # expansions of other acronyms for each acronym
INITIALS = "initial letters"
METRICS = {"auc": "AUC", "mean_auc": "mean AUC", "p@1": "P@1"}
SEED = 2021


def judged_acronyms() -> JudgedSet:
    """Acronyms with their expansions, relevant, and with others, not relevant."""
    rows = read_table(str(data.labelled_file("acronyms")), ["acronym", "expansion"]).rows
    pairs = [(as_text(row["acronym"]), as_text(row["expansion"])) for row in rows]
    rng, every = np.random.default_rng(SEED), sorted({expansion for _, expansion in pairs})
    queries, candidates, grades = TextColumn(), TextColumn(), []
    for acronym in dict.fromkeys(acronym for acronym, _ in pairs):
        own = [expansion for each, expansion in pairs if each == acronym]
        drawn = [every[place] for place in rng.choice(len(every), OTHERS + len(own), replace=False)]
        others = [expansion for expansion in drawn if expansion not in own][:OTHERS]
        for expansion in (*own, *others):
            queries.append(acronym)
            candidates.append(expansion)
            grades.append(float(expansion in own))
    return JudgedSet("acronyms", JudgedPairs(queries, candidates, np.array(grades), queries), 1)


def initials(acronym: str, expansion: str) -> float:
    """Share of an acronym's letters that are the first letters of the expansion's words, in order.

    >>> initials("SVM", "support vector machine"), initials("AI", "artificial insemination"), initials("AI", "java")
    (1.0, 1.0, 0.0)
    """
    letters, matched = [word[0].lower() for word in expansion.split()], 0
    for letter in acronym.lower():
        if letter in letters:
            matched += 1
            letters = letters[letters.index(letter) + 1 :]
    return matched / len(acronym) if acronym else 0.0


def report(workspace: Workspace) -> str:
    """Every measure, and the letters."""
    judged = judged_acronyms()
    names = [name for name in MEASURES if name in workspace.measures()]
    scores: dict[str, Float64Array] = scores_by(workspace, names, judged)
    scores[INITIALS] = np.array([initials(*pair) for pair in zip(judged.left, judged.right, strict=True)])
    always = [name for name in names if measures[name].kind.always_scores]
    found = evaluate(judged.judged, scores, judged.relevant, BASELINE, [*always, INITIALS])
    rows = [
        [
            result.measure,
            *(number(result.metrics.values[metric]) for metric in METRICS),
            f"{result.metrics.values['coverage']:.1%}",
            interval(result.differences["mean_auc"].interval if result.differences else None),
        ]
        for result in found.results
    ]
    header = ["score", *METRICS.values(), "covered", f"mean AUC against {BASELINE}"]
    return f"{found.pairs:,} pairs of {found.groups:,} acronyms.\n\n{table(header, rows)}"


if __name__ == "__main__":
    data.show(report)
