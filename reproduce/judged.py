"""How well each measure tells alike from unlike on three judged sets: `python -m reproduce.judged`."""

import time
from collections.abc import Callable

import numpy as np
from scipy.stats import spearmanr

from querykin import Workspace
from querykin.compiled import Reals
from querykin.text import stems, words
from reproduce import data
from reproduce.judged_sets import JudgedSet, auc, auc_change, ranked, read_sets
from reproduce.markdown import number, table

MEASURES = ("web-kernel", "web-kernel-paper", "tfidf", "result-cosine", "set-overlap", "idf-cosine", "cosine")
Scorer = Callable[[JudgedSet], Reals]


def report(workspace: Workspace) -> str:
    """The table of the measures, and web-kernel against the best other one."""
    sets = read_sets()
    scorers: dict[str, Scorer] = {name: _scorer(workspace, name) for name in MEASURES}
    scorers["stemmed Jaccard"] = jaccard
    scorers["web-kernel"](JudgedSet("", ["warm"], ["up"], np.zeros(1), [""]))  # compiles outside the clock
    rows, rivals = [], []
    for judged in sets:
        timed = {name: _timed(scorer, judged) for name, scorer in scorers.items()}
        rows += [_row(judged, name, *each) for name, each in timed.items()]
        rivals.append(_best_other(judged, {name: scores for name, (scores, _) in timed.items()}))
    header = ["set", "measure", "pairs", "AUC", "Spearman with the grade", "coverage", "seconds"]
    rival_header = ["set", "best other measure", "AUC of web-kernel less its AUC", "95 % interval"]
    return "\n\n".join([table(header, rows), table(rival_header, rivals)])


def _scorer(workspace: Workspace, name: str) -> Scorer:
    # Reopened: every measure pays for its own searches.
    return lambda judged: workspace.reopen().measure(name).score_pairs(judged.left, judged.right)


def _timed(scorer: Scorer, judged: JudgedSet) -> tuple[Reals, float]:
    start = time.perf_counter()
    return scorer(judged), time.perf_counter() - start


def _row(judged: JudgedSet, name: str, scores: Reals, seconds: float) -> list[str]:
    graded = len(np.unique(judged.grades)) > 2
    spearman = float(spearmanr(judged.grades, ranked(scores)).statistic) if graded else np.nan
    covered = float(np.mean(~np.isnan(scores)))
    return [judged.name, name, f"{len(scores):,}", number(auc(judged.labels, scores)), number(spearman),
            f"{covered:.1%}", f"{seconds:.1f}"]  # fmt: skip


def _best_other(judged: JudgedSet, scores: dict[str, Reals]) -> list[str]:
    ours = scores.pop("web-kernel")
    best = max(scores, key=lambda name: auc(judged.labels, scores[name]))
    difference = auc(judged.labels, ours) - auc(judged.labels, scores[best])
    low, high = auc_change(judged, scores[best], ours)
    return [judged.name, best, f"{difference:+.3f}", f"[{low:+.3f}, {high:+.3f}]"]


def jaccard(judged: JudgedSet) -> Reals:
    """The share of stems two texts have in common: |Q & S| / |Q or S|."""
    sides = [[set(stems(words(text))) for text in side] for side in (judged.left, judged.right)]
    return np.array([len(a & b) / (len(a | b) or 1) for a, b in zip(*sides, strict=True)])


if __name__ == "__main__":
    data.show(report)
