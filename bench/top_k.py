"""The top k over real expansions, against a plain loop and SciPy: `python -m bench.top_k [rows]`.

Rows are those of web-kernel over the web queries of `reproduce.repository`, cut to their 128 heaviest terms;
300 of them, taken out, are the queries. One thread.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from reproduce import data
from reproduce.repository import web_queries
from scipy.sparse import csc_array

from querykin.compiled import Longs, Reals, compiled
from querykin.index.lists import Lists, write_lists
from querykin.vectors import Vectors

TERMS, QUERIES = 128, 300
Query = tuple[Longs, Reals]
Search = Callable[[Query, int], Reals]


@compiled
def plain(first: Longs, rows: Longs, weights: Reals, size: int, query: Longs, query_weights: Reals,
          k: int) -> Reals:  # fmt: skip
    """A term-at-a-time loop as anybody would write it: the k best scores, falling."""
    values = np.zeros(size)
    for i in range(len(query)):
        for p in range(first[query[i]], first[query[i] + 1]):
            values[rows[p]] += query_weights[i] * weights[p]
    return -np.sort(-np.partition(values, size - k)[size - k :])


def rows(size: int) -> Vectors:
    """Real rows, their heaviest terms only, on the grid that an index keeps."""
    opened = web_queries(data.workspace())
    numbers = opened.repository.living()[:size]
    full = opened.measure("web-kernel").encode(opened.repository.queries(numbers))  # type: ignore[attr-defined]
    owners = np.repeat(np.arange(len(full)), np.diff(full.first))
    order = np.lexsort((-full.weights, owners))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order)) - np.repeat(full.first[:-1], np.diff(full.first))
    features = np.unique(full.features, return_inverse=True)[1]
    return Vectors(full.first, features, full.weights, "rows").only(place < TERMS).unit().on_grid()


def main() -> None:
    """Print a line for each search."""
    if absent := data.missing():
        print(absent)
        return
    everything = rows(int(sys.argv[1]) if len(sys.argv) > 1 else 10**9)
    asked = np.random.default_rng(0).choice(len(everything), QUERIES, replace=False)
    queries = [everything.row(int(number)) for number in asked]
    held = everything.where(~np.isin(np.arange(len(everything)), asked))
    size = len(held)
    owners = np.repeat(np.arange(size), np.diff(held.first))
    shape = size, int(everything.features.max()) + 1
    columns = csc_array((held.weights, (owners, held.features)), shape=shape)
    order = np.lexsort((owners, held.features))
    first = np.concatenate([[0], np.cumsum(np.bincount(held.features, minlength=shape[1]))])
    plain_lists = first, owners[order], held.weights[order]
    alive = np.ones(size, np.bool_)

    def by_product(query: Query, k: int) -> Reals:
        values = np.asarray(columns[:, query[0]] @ query[1]).ravel()
        return -np.sort(-np.partition(values, size - k)[size - k :])

    with TemporaryDirectory() as folder:
        write_lists(Path(folder), held)
        bytes_each = sum(file.stat().st_size for file in Path(folder).iterdir()) / size
        lists = Lists(Path(folder))
        searches: dict[str, Search] = {
            "querykin": lambda query, k: lists.top(*query, alive, k)[1][:k],
            "plain loop": lambda query, k: plain(*plain_lists, size, *query, k),
            "SciPy CSC": by_product,
        }
        lengths = np.diff(first)
        touched = float(np.mean([lengths[features].sum() for features, _ in queries]))
        print(f"{size:,} rows, {len(held.features) / size:.0f} terms and {bytes_each:.0f} bytes each")
        print(f"a query meets {touched:,.0f} weights, {touched / size:.1f} for every row")
        for k in (10, 50):
            _compare(searches, queries, k)


def _compare(searches: dict[str, Search], queries: list[Query], k: int) -> None:
    medians: dict[str, float] = {}
    answers: dict[str, list[Reals]] = {}
    for name, search in searches.items():
        search(queries[0], k)
        seconds, answers[name] = [], []
        for query in queries:
            start = time.perf_counter()
            answers[name].append(search(query, k))
            seconds.append(time.perf_counter() - start)
        p50, p99 = (1000 * float(np.quantile(seconds, q)) for q in (0.5, 0.99))
        medians[name] = p50
        ratio = f"{p50 / medians['querykin']:.1f} times querykin's"
        print(f"k {k:2}  {name:10}  p50 {p50:7.2f} ms  p99 {p99:7.2f} ms  {ratio}", flush=True)
    for ours, theirs in zip(answers["querykin"], answers["plain loop"], strict=True):
        assert np.allclose(ours, theirs[: len(ours)], atol=1e-9), "the answers differ"


if __name__ == "__main__":
    main()
