"""What each part of web-kernel adds, one change at a time: `python -m reproduce.ablation`."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from querykin import Workspace
from querykin.compiled import Reals
from querykin.expansion import Expander
from querykin.measures.web_kernel import WebKernel, WebKernelPaper
from querykin.vectors import Vectors
from querykin.weighting.tfidf import centroid
from reproduce import data
from reproduce.judged_sets import JudgedSet, auc, auc_change, read_sets
from reproduce.markdown import number, table

ALL = 1.0  # keep every term of the expansion


@dataclass(frozen=True)
class PlainKernel(WebKernel):
    """The web kernel over words instead of stems, without the text's own words."""

    log_tf: bool = False

    def encode_chunk(self, texts: Sequence[str]) -> Vectors:
        """Unit rows over words."""
        expansions, corpus = self.expander.expand(texts, self.results), self.expander.corpus
        same = np.arange(corpus.vocabulary.count, dtype=np.int32)
        return centroid(expansions, self._shares(expansions), same, corpus.statistics.idf, self.terms,
                        self.log_tf, self.space)  # fmt: skip


def steps(expander: Expander) -> dict[str, WebKernel | WebKernelPaper]:
    """The kernels from the printed one to ours; each differs from the one before in what its name says."""
    ours = WebKernel(expander)
    few, power = ours.results, ours.power
    return {
        "as printed: 200 results, 50 terms each": WebKernelPaper(expander),
        f"+ relevance weights (power {power:g})": PlainKernel(expander, results=200, power=power, terms=50),
        f"+ {few} results": PlainKernel(expander, results=few, power=power, terms=50),
        "+ log tf": PlainKernel(expander, results=few, power=power, terms=50, log_tf=True),
        "+ stems": WebKernel(
            expander, results=few, power=power, terms=50, own=0, missing=0, damping=1, keep=ALL
        ),
        f"+ {ours.terms} terms each": WebKernel(expander, own=0, missing=0, damping=1, keep=ALL),
        f"+ own words (weight {ours.own:g})": WebKernel(expander, missing=0, damping=1, keep=ALL),
        f"+ more for own words not found (weight {ours.missing:g})": WebKernel(expander, damping=1, keep=ALL),
        f"+ damping (exponent {ours.damping:g})": WebKernel(expander, keep=ALL),
        f"+ only the heaviest terms ({ours.keep:.0%} of the squared length) = web-kernel": ours,
    }


def report(workspace: Workspace) -> str:
    """AUC of each step, and the change with its 95 % interval."""
    sets = read_sets()
    kernels = steps(workspace.expander)
    columns = [_column(judged, kernels) for judged in sets]
    rows = [[name, *(column[i] for column in columns)] for i, name in enumerate(kernels)]
    return table(["kernel", *(f"{judged.name}: AUC (change, 95 %)" for judged in sets)], rows)


def _column(judged: JudgedSet, kernels: dict[str, WebKernel | WebKernelPaper]) -> list[str]:
    scores = [kernel.score_pairs(judged.left, judged.right) for kernel in kernels.values()]
    values = [number(auc(judged.labels, each)) for each in scores]
    changes = [_change(judged, before, after) for before, after in pairwise(scores)]
    return [f"{value} {change}".strip() for value, change in zip(values, ["", *changes], strict=True)]


def _change(judged: JudgedSet, before: Reals, after: Reals) -> str:
    difference = auc(judged.labels, after) - auc(judged.labels, before)
    low, high = auc_change(judged, before, after)
    return f"({difference:+.3f} [{low:+.3f}, {high:+.3f}])"


if __name__ == "__main__":
    data.show(report)
