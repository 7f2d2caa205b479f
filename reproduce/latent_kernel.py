"""A latent semantic kernel derived from the web kernel: `python -m reproduce.latent_kernel`.

The eigenvectors of the web kernel's Gram matrix over a sample of web queries are the left singular vectors of
their rows; the right ones project any other row, as in the Nystroem method. Texts are compared by the cosine of their
projections, and by web-kernel plus a fraction of that cosine. For comparison: web-kernel plus a fraction of existing
measures.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.utils.extmath import randomized_svd

from querykin import Workspace
from querykin.compute.arrays import Float64Array, Int64Array
from querykin.evaluation import Evaluation, evaluate
from querykin.io.query_files import read_queries
from querykin.measures.web_kernel import WebKernel
from querykin.text.tokenizer import words
from querykin.vectors import Vectors
from reproduce import data
from reproduce.cached_scores import scores_by
from reproduce.constants import METRICS, Half, mean_interval
from reproduce.data import list_file
from reproduce.judged_sets import JudgedSet, read_sets
from reproduce.markdown import interval, number, table
from reproduce.orderings import clear

SETS = ("uqv100", "bird", "neuqs QR", "trec_tasks", "patent", "dbpedia")
SAMPLES = 3  # disjoint; the first is used at every rank, the others at the highest
QUERIES = 20_000  # per sample
RANKS = (100, 300, 600)
SHARES = (0.25, 0.5)
OTHERS = ("latent", "static")
BESIDE = "web-kernel + .25 `static`"  # added before the latent kernel
TITLES = dict(zip(METRICS, ("AUC", "mean AUC"), strict=True))
BASE = "web-kernel"
Scores = Mapping[str, Float64Array]  # by the kernels' names


@dataclass(frozen=True)
class Directions:
    """The principal directions of the rows of a sample, in descending order."""

    features: Int64Array  # of the sample, ascending
    loadings: NDArray[np.float32]  # feature by direction
    explained: Float64Array  # share of the squared norm of the rows in the first directions

    @classmethod
    def of(cls, rows: Vectors, rank: int) -> Self:
        """The eigenvectors of the Gram matrix, as weights of features."""
        features = np.unique(rows.features)
        matrix = _matrix(rows, features)
        _, values, right = randomized_svd(matrix, rank, n_iter=3, random_state=0)
        return cls(features, right.T, np.cumsum(values**2) / float((matrix.data**2).sum()))

    def project(self, rows: Vectors) -> NDArray[np.float32]:
        """The coordinates of other rows; features that are not in the sample are ignored."""
        found: NDArray[np.float32] = _matrix(rows, self.features) @ self.loadings
        return found


def report(workspace: Workspace) -> str:
    """Both metrics of each kernel on each set, their differences from web-kernel, and the two halves."""
    kernel = workspace.measure(BASE)
    assert isinstance(kernel, WebKernel)
    sets = read_sets(SETS)
    spaces = [Directions.of(kernel.encode_candidates(queries), max(RANKS)) for queries in samples(sets)]
    scores = [_scores(workspace, kernel, judged, spaces) for judged in sets]
    found = [evaluate(s.judged, each, s.relevant, BASE) for s, each in zip(sets, scores, strict=True)]
    explained = ", ".join(f"{spaces[0].explained[rank - 1]:.0%} at rank {rank}" for rank in RANKS)
    parts = [
        f"Samples of {QUERIES:,} web queries, none of them among the judged texts; {len(spaces[0].features):,} stems. "
        f"Of the rows' squared length the latent space holds {explained}. Differences are from web-kernel, bold where the "
        "interval leaves out 0; the last column counts those, better and worse."
    ]
    for metric, title in TITLES.items():
        header = ["kernel", *(f"{judged.name}: {title}" for judged in sets), "+, -"]
        parts.append(table(header, _lines(found, metric)))
    header = ["kernel", "first half: AUC", "mean AUC", "held out: AUC", "mean AUC"]
    parts += ["Means over the sets, on the halves of their groups that `reproduce.constants` uses:"]
    parts += [table(header, _halves(sets, scores))]
    if BESIDE in scores[0]:
        parts += [f"What .25 of rank {RANKS[-1]} adds to {BESIDE}:"]
        parts += [table(["set", *TITLES.values()], _beside(sets, scores))]
    return "\n\n".join(parts)


def samples(sets: list[JudgedSet]) -> list[list[str]]:
    """Random web queries, without those that have the same words as a judged text."""
    sides = [side.distinct for judged in sets for side in (judged.judged.queries, judged.judged.candidates)]
    taken = {tuple(words(text)) for side in sides for text in side}
    queries = (query for query, _, _ in read_queries(str(list_file("trec-web-queries")), print))
    unjudged = [query for query in queries if tuple(words(query)) not in taken]
    order = np.random.default_rng(2006).permutation(len(unjudged))
    return [[unjudged[i] for i in order[n * QUERIES : (n + 1) * QUERIES]] for n in range(SAMPLES)]


def _scores(workspace: Workspace, kernel: WebKernel, judged: JudgedSet, spaces: list[Directions]) -> Scores:
    print(f"  {judged.name}", flush=True)
    pairs = judged.judged
    rows = kernel.encode_candidates([*pairs.queries.distinct, *pairs.candidates.distinct])
    left, right = pairs.queries.ids, len(pairs.queries.distinct) + pairs.candidates.ids
    plain = rows.dot(rows, left, right)
    scores = {BASE: plain}
    places = spaces[0].project(rows)
    for rank in RANKS:
        cosine = cosines(places[:, :rank], left, right)
        scores[f"rank {rank}"] = np.where(np.isnan(plain), np.nan, cosine)
        scores |= _mixed(f"rank {rank}", plain, cosine)
    for sample, space in enumerate(spaces[1:], 2):
        name, cosine = f"rank {RANKS[-1]}, sample {sample}", cosines(space.project(rows), left, right)
        scores |= _mixed(name, plain, cosine, SHARES[:1])
    usable = [name for name in OTHERS if name in workspace.measures()]
    for name, values in scores_by(workspace, usable, judged).items():
        scores |= _mixed(f"`{name}`", plain, np.nan_to_num(values))
    return scores


def _mixed(
    name: str, plain: Float64Array, other: Float64Array, shares: Sequence[float] = SHARES
) -> dict[str, Float64Array]:
    """Web-kernel plus a fraction of another score; NaN for texts that are not covered."""
    return {f"web-kernel + {number(share, 2)} {name}": plain + share * other for share in shares}


def cosines(places: NDArray[np.float32], left: Int64Array, right: Int64Array) -> Float64Array:
    """The cosine of pairs of rows; 0 where one of them is empty."""
    lengths = np.sqrt((places.astype(np.float64) ** 2).sum(axis=1))
    unit = places / np.where(lengths > 0, lengths, 1)[:, None]
    found: Float64Array = np.einsum("ij,ij->i", unit[left], unit[right])
    return found


def _matrix(rows: Vectors, features: Int64Array) -> csr_array:
    places = np.searchsorted(features, rows.features).clip(max=len(features) - 1)
    known = features[places] == rows.features
    kept = rows.select(known)
    shape = (len(rows), len(features))
    return csr_array((kept.weights.astype(np.float32), places[known], kept.indptr), shape=shape)


def _lines(found: list[Evaluation], metric: str) -> Iterator[list[str]]:
    for name in (result.measure for result in found[0].results):
        each = [evaluation.result(name) for evaluation in found]
        values = [number(one.metrics.values[metric]) for one in each]
        if name == BASE:
            yield [BASE, *values, ""]
            continue
        changes = [one.differences[metric].interval for one in each]
        shown = [f"**{interval(one)}**" if clear(one) else interval(one) for one in changes]
        counts = ", ".join(str([clear(one) for one in changes].count(sign)) for sign in (1, -1))
        cells = (f"{value} ({change})" for value, change in zip(values, shown, strict=True))
        yield [name, *cells, counts]


def _halves(sets: list[JudgedSet], scores: list[Scores]) -> Iterator[list[str]]:
    """The effect of each kernel on either half, as means over the sets."""
    for name in list(scores[0])[1:]:
        cells = []
        for held_out in (False, True):
            changes = [
                Half(judged, judged.half() != held_out).change(each[name], each[BASE])
                for judged, each in zip(sets, scores, strict=True)
            ]
            cells += [interval(mean_interval([change[metric] for change in changes])) for metric in METRICS]
        yield [name, *cells]


def _beside(sets: list[JudgedSet], scores: list[Scores]) -> Iterator[list[str]]:
    """The effect of the latent kernel after static vectors have been added."""
    for judged, each in zip(sets, scores, strict=True):
        both = each[BESIDE] + each[f"web-kernel + .25 rank {RANKS[-1]}"] - each[BASE]
        change = Half(judged, np.ones(len(judged.judged), np.bool_)).change(both, each[BESIDE])
        yield [judged.name, *(interval(change[metric]) for metric in TITLES)]


if __name__ == "__main__":
    data.show(report)
