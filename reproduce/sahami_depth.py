"""The kernel of Sahami & Heilman (2006) over n, the number of results: `python -m reproduce.sahami_depth`.

The paper prints no n for its kernel. Its set overlap has 200 results and was checked at 500 and 1000.
"""

from dataclasses import replace

import numpy as np

from querykin import Workspace
from querykin.defaults import DEFAULT_MEASURE
from querykin.evaluation.significance import compare
from querykin.measures import Measure
from querykin.measures.expansion_measure import ExpansionMeasure
from reproduce import data
from reproduce.cached_scores import scores_of
from reproduce.evidence import contrast_has_evidence
from reproduce.judged_sets import JudgedSet, auc, read_sets
from reproduce.markdown import number, table
from reproduce.published import PublishedOrdering
from reproduce.sahami_pairs import Contrast, contrasts
from reproduce.sahami_table1 import in_order

SETS = ("uqv100", "neuqs QR", "trec_tasks", "bird")
KERNEL_DEPTHS = (5, 10, 20, 30, 50, 100, 200)
OVERLAP_DEPTHS = (200, 500, 1000)
HALF = 0.5
DEPTHS = {"web-kernel-paper": KERNEL_DEPTHS, "web-kernel": KERNEL_DEPTHS, "set-overlap": OVERLAP_DEPTHS}


def report(workspace: Workspace) -> str:
    """Contrasts in the paper's order, and AUC on judged sets, for each measure and n."""
    sets = read_sets(SETS)
    known = [each for each in contrasts() if contrast_has_evidence(workspace.expander, each)]
    rows = []
    for name, depths in DEPTHS.items():
        for results in depths:
            chosen = workspace.measure(name)
            assert isinstance(chosen, ExpansionMeasure)
            measure = replace(chosen, results=results)
            default = ", the default" if results == chosen.results else ""
            rows.append([name, f"{results}{default}", *_figures(measure, known, sets)])
            print("  " + " | ".join(rows[-1]), flush=True)
    rows.append([DEFAULT_MEASURE, "", *_figures(workspace.measure(DEFAULT_MEASURE), known, sets)])
    header = ["measure", "n", "contrasts in the paper's order, with evidence"]
    return table([*header, *(f"{judged.name}: AUC" for judged in sets)], rows)


def published(workspace: Workspace) -> list[PublishedOrdering]:
    """More contrasts of table 1 in the paper's order than not; they overlap, so the interval is narrower than it should be."""
    known = [each for each in contrasts() if contrast_has_evidence(workspace.expander, each)]
    kernel = workspace.measure("web-kernel-paper")
    assert isinstance(kernel, ExpansionMeasure)
    found = []
    for results in KERNEL_DEPTHS:
        measure = replace(kernel, results=results)
        right = np.array([in_order(measure, each) == "ok" for each in known], np.float64)
        ours = compare(right, np.full(len(right), HALF)).interval
        on = f"contrasts with evidence ({right.sum():.0f} of {len(right)}), {results} results"
        subject = "share of contrasts in the printed order above one half"
        found.append(PublishedOrdering("Sahami & Heilman 2006, table 1", subject, "all", on, ours))
    return found


def _figures(measure: Measure, known: list[Contrast], sets: list[JudgedSet]) -> list[str]:
    right = [in_order(measure, each) == "ok" for each in known]
    aucs = (number(auc(judged.labels, scores_of(measure, judged))) for judged in sets)
    return [f"{sum(right)} of {len(right)}", *aucs]


if __name__ == "__main__":
    data.show(report)
