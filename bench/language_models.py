"""Kullback-Leibler divergences over all candidates, compared with the same formula in SciPy: `python -m bench.language_models`."""

from collections.abc import Callable
from typing import cast

import numpy as np

from bench import workload
from bench.index_rows import columns_of, renamed
from bench.result import Result
from bench.timing import figures, take_turns
from querykin import Workspace
from querykin.compute.arrays import Float64Array
from querykin.retrieval.retrievers import IndexRetriever

MEASURES = ("sparse-prob", "dense-prob")
K = 10
QUERIES = 100


def run() -> Result:
    """The ten nearest candidates by each measure, from the query's row to the ranking, in one thread."""
    opened = workload.workspace(workload.rows_wanted(), MEASURES)
    rows: list[list[str]] = []
    recorded: dict[str, float] = {}
    ratios: list[float] = []
    met: list[str] = []
    for name in MEASURES:
        ours, theirs, unseen_queries, weights = _contestants(opened, name)
        met.append(f"{np.median(weights):,.0f}")
        found = take_turns({"querykin": ours, "SciPy": theirs}, unseen_queries, repeats=3)
        ratios.append(found["SciPy"].p50 / found["querykin"].p50)
        rows += [[name, who, *it.cells, f"{it.p50 / found['querykin'].p50:.1f}"] for who, it in found.items()]
        recorded |= figures(found, name)
    text = (
        f"{len(opened.repository):,} candidates; the {K} nearest. A query meets {' and '.join(met)} weights (medians of "
        f"{' and '.join(MEASURES)}). SciPy: columns of the query's terms, log(1 + g w) of their "
        "weights, product, and the same last step; milliseconds of processor time, one thread."
    )
    header = ["measure", "", "p50", "p99", "times ours"]
    return Result(
        "language_models", "Language models", text, header, rows, recorded, {"kl_vs_scipy": min(ratios)}
    )


Row = int


def _contestants(
    opened: Workspace, name: str
) -> tuple[Callable[[Row], object], Callable[[Row], object], list[Row], list[int]]:
    retriever = cast(IndexRetriever, opened.retriever(name))
    measure, index, repository = retriever.measure, retriever.index, opened.repository
    stats = np.concatenate([segment.candidate_stats for segment in index.segments])
    usable = np.flatnonzero(stats > 0)
    vectors = [measure.encode_queries([query]) for query in workload.unseen_queries()[:QUERIES]]
    vectors = [row for row in vectors if len(row.features)]
    names = np.unique(np.concatenate([row.features for row in vectors]))
    columns = columns_of(index, names)
    live = index.live_rows(repository)

    def theirs(number: Row) -> Float64Array:
        query = vectors[number]
        places, weights = renamed(query, names)
        some = columns[:, places]
        scaling = measure.tf_scaling(names[places])
        if scaling is not None:
            some.data = np.log1p(np.repeat(scaling, np.diff(some.indptr)) * some.data)
        values = np.asarray(some @ weights).ravel()[usable]
        scores = measure.score_from_dot(values, measure.query_stats(query)[0], stats[usable])
        best = np.argpartition(-scores, K)[:K]
        return -np.sort(-scores[best])

    def ours(number: Row) -> Float64Array:
        return index.search(measure, vectors[number], K, repository, live)[0].scores

    _check(ours, theirs, len(vectors), len(stats))
    met = [int(np.diff(columns.indptr)[renamed(row, names)[0]].sum()) for row in vectors]
    return ours, theirs, list(range(len(vectors))), met


def _check(
    ours: Callable[[Row], Float64Array],
    theirs: Callable[[Row], Float64Array],
    count: int,
    rows: int,
) -> None:
    for number in range(min(10, count)):
        if not np.allclose(ours(number), theirs(number), rtol=1e-6):
            raise AssertionError(f"{ours(number)} is not {theirs(number)} of {rows} rows")


if __name__ == "__main__":
    print(run().markdown())
