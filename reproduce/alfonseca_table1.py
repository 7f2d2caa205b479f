"""Table 1 of Alfonseca et al. (2009), contexts of [acid fast bacteria]: `python -m reproduce.alfonseca_table1`.

The published counts under the geometric mean of querykin, and the contexts of the same query in our corpus.
"""

import numpy as np

from querykin import Workspace
from querykin.compute.arrays import Float64Array, Int64Array
from querykin.cooccurrence.association import associated, geometric_means
from querykin.text.tokenizer import tokenize
from querykin.vectors import Vectors
from reproduce import data
from reproduce.markdown import table

QUERY = "acid fast bacteria"
PRINTED = {
    "acidogenicity": (11, 6, 4, 6.41506),
    "auramin": (2, 5, 2, 2.71441),
    "bacillae": (3, 10, 4, 4.93242),
    "carbolfuchsin": (1, 28, 2, 8.24257),
    "dehydrogena": (5, 3, 3, 3.55689),
    "diphtheroid": (5, 9, 92, 16.05709),
    "fuchsine": (42, 3, 4, 7.95811),
    "glycosilation": (3, 2, 3, 2.62074),
}
SHOWN = 8  # contexts shown from our corpus


def report(workspace: Workspace) -> str:
    """Both tables."""
    words = QUERY.split()
    ours = geometric_mean(
        Vectors(np.arange(0, 25, 8), np.tile(np.arange(8), 3), _printed_counts(), "printed")
    )
    rows = [
        [context, *map(str, counts), f"{printed:.5f}", f"{mean:.5f}"]
        for (context, (*counts, printed)), mean in zip(PRINTED.items(), ours.weights, strict=True)
    ]
    return "\n\n".join(
        [
            table(["context", *words, "printed mean", "ours"], rows),
            f"In our corpus {len(_contexts(workspace)[1].features):,} words occur within three words of each of the three. Those most strongly associated by chi-square:",
            table(["context", *words, "mean", "chi-square"], _own_rows(workspace)),
        ]
    )


def geometric_mean(rows: Vectors) -> Vectors:
    """The geometric mean of all rows, by context."""
    return geometric_means(np.array([0, len(rows)]), np.arange(len(rows)), rows, 1 + int(rows.features.max()))


def _printed_counts() -> Float64Array:
    return np.array([counts[:3] for counts in PRINTED.values()], np.float64).T.ravel()


def _contexts(workspace: Workspace) -> tuple[Vectors, Vectors]:
    """The co-occurrence counts of each word of the query, and their means."""
    numbers: Int64Array = workspace.corpus.vocabulary.lookup(tokenize([QUERY])).astype(np.int64)
    rows = workspace.cooccurrence.rows(numbers, False)
    return rows, geometric_mean(rows)


def _own_rows(workspace: Workspace) -> list[list[str]]:
    counts, (rows, means) = workspace.cooccurrence, _contexts(workspace)
    strong = associated(means, counts.marginals, counts.total, "chi-square")
    mean = dict(zip(means.features.tolist(), means.weights.tolist(), strict=True))
    word_rows = [
        dict(zip(*(values.tolist() for values in rows.row(r)), strict=True)) for r in range(len(rows))
    ]
    return [
        [
            workspace.corpus.vocabulary.word(context),
            *(f"{row[context]:g}" for row in word_rows),
            f"{mean[context]:.5f}",
            f"{strong.weights[at]:,.0f}",
        ]
        for at in np.argsort(-strong.weights, kind="stable")[:SHOWN].tolist()
        for context in [int(strong.features[at])]
    ]


if __name__ == "__main__":
    data.show(report)
