"""How many documents it takes: `web-kernel` over random parts of a corpus.

`python -m reproduce.corpus_size`. The parts of the encyclopedia are judged on `uqv100`, whose queries are about
anything; those of the catalogue on its own queries, as a shop would use it.
"""

from collections.abc import Sequence
from random import Random
from tempfile import TemporaryDirectory

import numpy as np

from querykin import Document, Workspace
from querykin.io.documents import read_documents
from querykin.measures.batch_scorer import BatchScorer
from reproduce import data
from reproduce.chorus import judged_products
from reproduce.judged_sets import JudgedSet, auc, read_set
from reproduce.markdown import number, table

SIZES = (3, 10, 30, 100, 300, 1000, 3000, 10_000)
PAIRS = 1500
PARTS = 3  # random parts of each size


def report(workspace: Workspace) -> str:
    """The report as Markdown."""
    encyclopedia = list(read_documents([data.corpus_file("simplewiki")], print))[::5]
    catalogue = list(read_documents([data.labelled_file("products")], print))
    first = _rows(encyclopedia, read_set("uqv100"))
    second = _rows(catalogue, judged_products())
    rows = [[f"{size:,}", *left, *right] for size, left, right in zip(SIZES, first, second, strict=True)]
    header = [
        "documents",
        *(f"{name}: {column}" for name in ("uqv100", "chorus") for column in ("words", "covered", "AUC")),
    ]
    return table(header, rows)


def _rows(documents: Sequence[Document], judged: JudgedSet) -> list[list[str]]:
    chosen = sorted(Random(0).sample(range(len(judged.judged)), PAIRS))
    left, right = ([side[row] for row in chosen] for side in (judged.left, judged.right))
    labels = judged.labels[chosen]
    rows = []
    for size in SIZES:
        found = []
        for seed in range(PARTS):
            with TemporaryDirectory() as folder:
                workspace = Workspace.open(folder)
                workspace.corpus.add(Random(seed).sample(list(documents), min(size, len(documents))))
                workspace = workspace.reopen()
                scores = BatchScorer({"web-kernel": workspace.measure("web-kernel")}).score(left, right)[
                    "web-kernel"
                ]
                words = float((workspace.corpus.statistics.df > 0).sum())
                found.append((words, float(np.isfinite(scores).mean()), auc(labels, scores)))
        words, covered, area = np.mean(found, axis=0)
        rows.append([f"{words:,.0f}", number(covered), number(area)])
    return rows


if __name__ == "__main__":
    data.show(report)
