"""Alfonseca et al.'s table 3 on real data: `python -m reproduce.company`.

The web kernel, single words and phrases, with the weightings and the smoothing that can be set, and what else is
made from the same counts; and how long counting takes.
"""

import os
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from querykin import Workspace
from querykin.compiled import Reals
from querykin.evaluation.metrics import all_metrics
from reproduce import data
from reproduce.judged_sets import JudgedSet, read_sets
from reproduce.markdown import number, table

PUBLISHED = [["web kernel", ".39", ".35", ".32", ".49", ".22"], ["unigrams", ".47", ".53", ".47", ".57", ".26"],
             ["n-grams", ".70", ".57", ".52", ".71", ".54"]]  # fmt: skip
OURS: tuple[tuple[str, dict[str, object]], ...] = (
    ("web-kernel-paper", {}),
    ("web-kernel", {}),
    ("distributional", {}),
    ("distributional", {"weighting": "chi-square"}),
    ("distributional", {"weighting": "root"}),
    ("distributional-ngrams", {}),
    ("distributional-ngrams", {"weighting": "chi-square"}),
    ("distributional-ngrams", {"weighting": "root"}),
    ("latent", {}),
    ("pmi", {}),
)
SMOOTHED = {"bird": (0.01, 0.1, 1.0), "uqv100": (0.01,)}  # long texts take minutes
COLUMNS = ("p@1", "p@3", "p@5", "map", "auc_pr")


def report(workspace: Workspace) -> str:
    """The paper's table, ours for every set, and smoothing."""
    counts = workspace.neighbours
    known = f"{len(counts.phrases):,} listed phrases, {int(counts.usable.sum()):,} of them with enough neighbours."
    parts = [
        f"{_counted(workspace)}; {known}",
        "As published:",
        table(["method", "P@1", "P@3", "P@5", "mAP", "AUC-PR"], PUBLISHED),
    ]
    for judged in read_sets():
        rows = [_row(workspace, judged, name, settings) for name, settings in OURS]
        more = SMOOTHED.get(judged.name, ())
        rows += [_row(workspace, judged, "distributional", {"smoothing": added}) for added in more]
        parts.append(f"{judged.name}:")
        parts.append(
            table(["measure", "settings", "AUC", "P@1", "P@3", "P@5", "mAP", "AUC-PR", "coverage"], rows)
        )
    return "\n\n".join(parts)


def _counted(workspace: Workspace) -> str:
    """How long it takes to count the neighbours, now or when it was measured."""
    kept = workspace.path / "counted-neighbours.txt"
    if not kept.exists():
        # In a folder of its own: the workspace's counts may be there already, and indexes are made from them.
        with TemporaryDirectory(dir=workspace.path) as folder:
            for part in ("corpus", "repository"):
                (Path(folder) / part).symlink_to((workspace.path / part).resolve(), target_is_directory=True)
            start = time.perf_counter()
            Workspace.open(folder).count_neighbours()
            seconds = time.perf_counter() - start
        tokens = workspace.corpus.statistics.tokens
        kept.write_text(
            f"Neighbours of {tokens:,} words counted in {seconds:,.0f} s on {os.cpu_count()} cores", "utf-8"
        )
    return kept.read_text("utf-8")


def _row(workspace: Workspace, judged: JudgedSet, name: str, settings: dict[str, object]) -> list[str]:
    measure = replace(workspace.measure(name), **settings)  # type: ignore[arg-type]
    scores: Reals = measure.score_pairs(judged.left, judged.right)
    groups = np.unique(judged.judged.groups.at(range(len(judged.judged))), return_inverse=True)[1]
    values = all_metrics(scores, judged.judged.grades, groups, judged.relevant).values
    shown = ", ".join(f"{key} {value}" for key, value in settings.items()) or "defaults"
    row = [
        name,
        shown,
        number(values["auc"]),
        *(number(values[column]) for column in COLUMNS),
        f"{values['coverage']:.1%}",
    ]
    print(judged.name, " | ".join(row), flush=True)
    return row


if __name__ == "__main__":
    data.show(report)
