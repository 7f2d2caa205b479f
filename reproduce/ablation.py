"""The contribution of each part of web-kernel, one change at a time: `python -m reproduce.ablation`."""

from dataclasses import replace
from itertools import pairwise

from querykin import Workspace
from querykin.evaluation.significance import compare_auc
from querykin.measures.web_kernel import WebKernel, WebKernelPaper
from querykin.search.expansion import Expander
from reproduce import data
from reproduce.cached_scores import scores_of
from reproduce.judged_sets import JudgedSet, auc, read_sets
from reproduce.kernel_variants import Variant
from reproduce.markdown import interval, number, table

ALL = 1.0  # keep every term of the expansion


def steps(expander: Expander) -> dict[str, WebKernel | WebKernelPaper]:
    """The kernels from the published one to web-kernel; each adds the change in its name to the one before."""
    ours = WebKernel(expander)
    plain = Variant(
        expander,
        results=200,
        terms=50,
        own=0,
        missing=0,
        damping=1,
        keep=ALL,
        row_terms=0,
        log_tf=False,
        stems=False,
    )
    few = replace(plain, results=ours.results)
    return {
        "of the paper: 200 results, 50 terms each": WebKernelPaper(expander),
        f"+ relevance weights (power {ours.power:g})": plain,
        f"+ {ours.results} results": few,
        "+ log tf": replace(few, log_tf=True),
        "+ stems": WebKernel(expander, terms=50, own=0, missing=0, damping=1, keep=ALL, row_terms=0),
        f"+ {ours.terms} terms each": WebKernel(expander, own=0, missing=0, damping=1, keep=ALL, row_terms=0),
        f"+ own words (weight {ours.own:g})": WebKernel(
            expander, missing=0, damping=1, keep=ALL, row_terms=0
        ),
        f"+ more for own words not found (weight {ours.missing:g})": WebKernel(
            expander, damping=1, keep=ALL, row_terms=0
        ),
        f"+ damping (exponent {ours.damping:g})": WebKernel(expander, keep=ALL, row_terms=0),
        f"+ only the heaviest terms ({ours.keep:.0%} of the squared length)": WebKernel(
            expander, row_terms=0
        ),
        f"+ at most {ours.row_terms} terms = web-kernel": ours,
    }


def report(workspace: Workspace) -> str:
    """AUC of each step, and the change with its 95 % interval."""
    sets = read_sets()
    kernels = steps(workspace.expander)
    columns = [_column(judged, list(kernels.values())) for judged in sets]
    rows = [[name, *(column[i] for column in columns)] for i, name in enumerate(kernels)]
    return table(["kernel", *(f"{judged.name}: AUC (change, 95 %)" for judged in sets)], rows)


def _column(judged: JudgedSet, kernels: list[WebKernel | WebKernelPaper]) -> list[str]:
    scores = [scores_of(kernel, judged) for kernel in kernels]
    grades, groups = judged.judged.grades, judged.judged.groups.ids
    changes = [
        compare_auc(after, before, grades, groups, judged.relevant) for before, after in pairwise(scores)
    ]
    values = [number(auc(judged.labels, each)) for each in scores]
    return [
        values[0],
        *(f"{value} ({interval(change)})" for value, change in zip(values[1:], changes, strict=True)),
    ]


if __name__ == "__main__":
    data.show(report)
