"""Words, phrases and sentences with graded similarity: `python -m reproduce.similarity_sets`.

Spearman's rank correlation with the grades of people: classic sets of words and phrases, and the sentences of STS.
"""

from collections import defaultdict

import numpy as np

from querykin import Workspace
from querykin.defaults import DEFAULT_MEASURE
from querykin.evaluation.metrics import coverage, spearman
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.tables import as_text, read_table
from querykin.io.text_column import TextColumn
from reproduce import data
from reproduce.cached_scores import scores_by
from reproduce.judged_sets import JudgedSet
from reproduce.markdown import number, table

MEASURES = (
    DEFAULT_MEASURE,
    "hybrid-static",
    "dense",
    "static",
    "web-kernel",
    "web-kernel-paper",
    "result-cosine",
    "latent",
    "distributional",
    "pmi",
    "jaccard-stems",
)


SENTENCES = "stsb "  # the prefix of their names
WORDS_ONLY = ("pmi",)  # compares all words of two texts: minutes for sentences


def sets() -> list[JudgedSet]:
    """The sets of words and phrases, then the splits of STS."""
    return [
        *_read("words", "set", ("term1", "term2", "score"), ""),
        *_read("stsb", "split", ("text1", "text2", "score_0_5"), SENTENCES),
    ]


def _read(file: str, part: str, columns: tuple[str, str, str], prefix: str) -> list[JudgedSet]:
    rows = read_table(str(data.labelled_file(file)), [part, *columns]).rows
    parts: dict[str, list[tuple[str, str, float]]] = defaultdict(list)
    for row in rows:
        a, b, grade = (as_text(row[column]) for column in columns)
        if not (a or b):  # two rows of the file are empty
            continue
        parts[as_text(row[part])].append((a, b, float(grade)))
    found = []
    for name, pairs in parts.items():
        queries, candidates, grades = zip(*pairs, strict=True)
        left = TextColumn(queries)
        judged = JudgedPairs(left, TextColumn(candidates), np.array(grades), left)
        found.append(JudgedSet(f"{prefix}{name}", judged, float(np.median(grades))))
    return found


def report(workspace: Workspace) -> str:
    """One row a set, one column a measure; in brackets the share of pairs that are not covered."""
    names = [name for name in MEASURES if name in workspace.measures()]
    rows = []
    for judged in sets():
        used = [name for name in names if name not in WORDS_ONLY or not judged.name.startswith(SENTENCES)]
        cells = dict.fromkeys(names, "")
        for name, scores in scores_by(workspace, used, judged).items():
            lacking = 1 - coverage(scores, always_scores=False)
            shown = number(spearman(scores, judged.judged.grades))
            shown += f" ({lacking:.0%})" if lacking >= 0.005 and name != "jaccard-stems" else ""
            cells[name] = shown
        rows.append([judged.name, f"{len(judged.judged):,}", *cells.values()])
        print("  " + " | ".join(rows[-1]), flush=True)
    return table(["set", "pairs", *names], rows)


if __name__ == "__main__":
    data.show(report)
