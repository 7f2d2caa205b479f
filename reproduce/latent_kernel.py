"""A latent semantic kernel behind the web kernel: `python -m reproduce.latent_kernel`.

The eigenvectors of the web kernel's Gram matrix over a sample of web queries are the left singular vectors of
their rows; the right ones place any other row among them, which is what Nystroem's method does as well. Texts are
compared by the cosine of their places, and by web-kernel plus a share of that cosine.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.utils.extmath import randomized_svd

from querykin import Workspace
from querykin.compiled import Longs, Reals
from querykin.evaluation import Evaluation, evaluate
from querykin.measures.web_kernel import WebKernel
from querykin.query_lists import read_queries
from querykin.text import words
from querykin.vectors import Vectors
from reproduce import data
from reproduce.judged_sets import JudgedSet, read_sets
from reproduce.markdown import interval, number, table
from reproduce.orderings import clear
from reproduce.suggestions import list_file

SETS = ("uqv100", "bird", "neuqs QR", "trec_tasks", "patent", "dbpedia")
QUERIES = 20_000
FEWER = 5_000  # of them: does it matter how many there are?
RANKS = (100, 300, 600)
SHARES = (0.25, 0.5)
METRICS = {"auc": "AUC", "mean_auc": "mean AUC"}
BASE = "web-kernel"


@dataclass(frozen=True)
class Directions:
    """The directions in which the rows of a sample differ most, the greatest first."""

    features: Longs  # that the sample has, rising
    loadings: NDArray[np.float32]  # feature by direction
    held: Reals  # share of the rows' squared length that the first directions hold

    @classmethod
    def of(cls, rows: Vectors, rank: int) -> Self:
        """The eigenvectors of the rows' inner products, as weights of features."""
        features = np.unique(rows.features)
        matrix = _matrix(rows, features)
        _, values, right = randomized_svd(matrix, rank, n_iter=3, random_state=0)
        return cls(features, right.T, np.cumsum(values**2) / float((matrix.data**2).sum()))

    def places(self, rows: Vectors) -> NDArray[np.float32]:
        """Where other rows stand: one coordinate a direction; features that the sample lacks do not count."""
        found: NDArray[np.float32] = _matrix(rows, self.features) @ self.loadings
        return found


def report(workspace: Workspace) -> str:
    """Both metrics of each kernel on each set, and how they differ from web-kernel's."""
    kernel = workspace.measure(BASE)
    assert isinstance(kernel, WebKernel)
    sets = read_sets(SETS)
    queries = sample(sets)
    rows = kernel.encode(queries)
    directions = Directions.of(rows, max(RANKS))
    fewer = Directions.of(rows.take(np.arange(FEWER)), RANKS[1])
    found = [_evaluated(kernel, judged, directions, fewer) for judged in sets]
    held = ", ".join(f"{directions.held[rank - 1]:.0%} at rank {rank}" for rank in RANKS)
    parts = [
        f"{len(queries):,} web queries, none of them among the judged texts, {rows.covered.mean():.0%} covered; "
        f"{len(directions.features):,} stems. Of the rows' squared length the latent space holds {held}. "
        "Differences are from web-kernel, bold where the interval leaves out 0."
    ]
    for metric, title in METRICS.items():
        header = ["kernel", *(f"{judged.name}: {title}" for judged in sets), "clearly better, worse"]
        parts.append(table(header, _lines(found, metric)))
    return "\n\n".join(parts)


def sample(sets: list[JudgedSet]) -> list[str]:
    """Web queries in a random order, without those that some judged text spells with the same words."""
    sides = [side.distinct for judged in sets for side in (judged.judged.queries, judged.judged.candidates)]
    taken = {tuple(words(text)) for side in sides for text in side}
    asked = (query for query, _, _ in read_queries(str(list_file("trec-web-queries")), print))
    free = [query for query in asked if tuple(words(query)) not in taken]
    return [free[place] for place in np.random.default_rng(2006).permutation(len(free))[:QUERIES]]


def _evaluated(kernel: WebKernel, judged: JudgedSet, directions: Directions, fewer: Directions) -> Evaluation:
    print(f"  {judged.name}", flush=True)
    pairs = judged.judged
    rows = kernel.encode([*pairs.queries.distinct, *pairs.candidates.distinct])
    left, right = pairs.queries.numbers, len(pairs.queries.distinct) + pairs.candidates.numbers
    plain = rows.dot(rows, left, right)
    scores = {BASE: plain}
    places, few = directions.places(rows), fewer.places(rows)
    for rank in RANKS:
        scores |= dict(_latent(f"rank {rank}", plain, cosines(places[:, :rank], left, right)))
    name = f"rank {few.shape[1]}, of {FEWER:,} queries"
    scores |= dict(_latent(name, plain, cosines(few, left, right)))
    return evaluate(pairs, scores, judged.relevant, BASE)


def _latent(name: str, plain: Reals, cosine: Reals) -> Iterator[tuple[str, Reals]]:
    """The latent kernel alone and its mixtures; like the plain one it has no opinion on texts not covered."""
    yield name, np.where(np.isnan(plain), np.nan, cosine)
    for share in SHARES:
        yield f"web-kernel + {share:g} {name}", plain + share * cosine


def cosines(places: NDArray[np.float32], left: Longs, right: Longs) -> Reals:
    """The cosine of each two rows; 0 where one of them is empty."""
    lengths = np.sqrt((places.astype(np.float64) ** 2).sum(axis=1))
    unit = places / np.where(lengths > 0, lengths, 1)[:, None]
    found: Reals = np.einsum("ij,ij->i", unit[left], unit[right])
    return found


def _matrix(rows: Vectors, features: Longs) -> csr_array:
    places = np.searchsorted(features, rows.features).clip(max=len(features) - 1)
    known = features[places] == rows.features
    kept = rows.only(known)
    shape = (len(rows), len(features))
    return csr_array((kept.weights.astype(np.float32), places[known], kept.first), shape=shape)


def _lines(found: list[Evaluation], metric: str) -> Iterator[list[str]]:
    for result in found[0].results:
        each = [evaluation.result(result.measure) for evaluation in found]
        values = [number(one.metrics.values[metric]) for one in each]
        if result.measure == BASE:
            yield [BASE, *values, ""]
            continue
        intervals = [one.differences[metric].interval for one in each]
        shown = [f"**{interval(one)}**" if clear(one) else interval(one) for one in intervals]
        counts = ", ".join(str([clear(one) for one in intervals].count(sign)) for sign in (1, -1))
        cells = (f"{value} ({change})" for value, change in zip(values, shown, strict=True))
        yield [result.measure, *cells, counts]


if __name__ == "__main__":
    data.show(report)
