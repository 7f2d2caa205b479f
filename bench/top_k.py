"""Exact top-k search over real expansions, compared with other implementations: `python -m bench.top_k`."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import numpy as np
from scipy.sparse import csr_array

from bench import workload
from bench.index_rows import renamed, rows_of
from bench.result import Result
from bench.sparse_peers import SEARCHERS, Query, Searcher
from bench.timing import Latency, figures, one_after_another, take_turns
from querykin.measures.vector_measure import VectorMeasure

DEPTHS = (10, 50, 200, 1000)
ALONE = (10, 200, 1000)  # also measured without the others in between
QUERIES = 200
RATIOS = {"TermAtATime": "taat", "QdrantEdge": "qdrant_edge", "ScipyColumns": "scipy_csc"}


def run() -> Result:
    """Every implementation on the same rows and queries, one thread."""
    rows, queries = expansions(workload.rows_wanted())
    with TemporaryDirectory() as folder:
        searchers = [_prepared(kind, rows, Path(folder) / kind.__name__) for kind in SEARCHERS]
        found = {k: _race(searchers, queries, k) for k in DEPTHS}
        alone = {k: one_after_another(_runs(searchers, k), queries, repeats=3) for k in ALONE}
    lengths = np.diff(rows.tocsc().indptr)
    met = np.array([lengths[features].sum() for features, _ in queries])
    text = (
        f"{rows.shape[0]:,} rows of {rows.nnz / rows.shape[0]:.0f} terms ({workload.described()}); "
        f"{len(queries)} queries that are not among them, whose posting lists hold {np.median(met):,.0f} weights each "
        f"(median; 99th percentile {np.quantile(met, 0.99):,.0f}). One thread, in memory, all exact; "
        f"milliseconds of processor time, each query the median of {found[10]['Querykin'].repeats} repeats. "
        "They take turns after every query, so that caches are full of what the others read; alone: after all queries, "
        "as when a process does nothing else."
    )
    races = {f"top {k}": race for k, race in found.items()}
    races |= {f"top {k}, alone": race for k, race in alone.items()}
    header = ["", *(f"{race}, {what}" for race in races for what in ("p50", "p99", "times ours"))]
    table = [_row(searcher, list(races.values())) for searcher in searchers]
    recorded = {name: value for k in DEPTHS for name, value in figures(found[k], f"top{k}").items()}
    recorded |= {name: value for k in ALONE for name, value in figures(alone[k], f"top{k} alone").items()}
    ratios = _ratios(found) | {
        f"top{k}_alone_vs_{name}": race[kind].p50 / race["Querykin"].p50
        for k, race in alone.items()
        for kind, name in RATIOS.items()
    }
    return Result("top_k", "The nearest candidates", text, header, table, recorded, ratios)


def expansions(rows: int) -> tuple[csr_array, list[Query]]:
    """The rows of candidates and, over the same columns, of queries that are not in the repository."""
    opened = workload.workspace(rows)
    found, names = rows_of(opened.index("web-kernel"))
    measure = cast(VectorMeasure, opened.retriever("web-kernel").measure)
    unseen_queries = [renamed(measure.encode_queries([query]), names) for query in workload.unseen_queries()]
    return found, [query for query in unseen_queries if len(query[0])][:QUERIES]


def _prepared(kind: type[Searcher], rows: csr_array, folder: Path) -> Searcher:
    print(f"  {kind.name}", flush=True)
    return kind(rows, folder)


def _race(searchers: list[Searcher], queries: list[Query], k: int) -> dict[str, Latency]:
    """Latencies by class; an implementation that disagrees with the plain loop is an error."""
    for query in queries[:20]:
        answers = {type(searcher).__name__: searcher.top(query, k) for searcher in searchers}
        for name, answer in answers.items():
            expected = answers["TermAtATime"][: len(answer)]
            if not np.allclose(answer, expected, rtol=1e-4, atol=1e-5):  # single precision
                raise AssertionError(f"{name} finds {answer}, not {expected}")
    return take_turns(_runs(searchers, k), queries, repeats=3)


def _runs(searchers: list[Searcher], k: int) -> dict[str, Callable[[Query], object]]:
    def of(searcher: Searcher) -> Callable[[Query], object]:
        return lambda query: searcher.top(query, k)

    return {type(searcher).__name__: of(searcher) for searcher in searchers}


def _row(searcher: Searcher, races: list[dict[str, Latency]]) -> list[str]:
    cells = [searcher.name]
    for race in races:
        mine, ours = race[type(searcher).__name__], race["Querykin"]
        cells += [*mine.cells, f"{mine.p50 / ours.p50:.1f}"]
    return cells


def _ratios(found: dict[int, dict[str, Latency]]) -> dict[str, float]:
    ten = found[10]
    ratios = {f"top10_vs_{name}": ten[kind].p50 / ten["Querykin"].p50 for kind, name in RATIOS.items()}
    return ratios | {
        "top10_p99_vs_taat": ten["TermAtATime"].p99 / ten["Querykin"].p99,
        **{f"top{k}_vs_taat": found[k]["TermAtATime"].p50 / found[k]["Querykin"].p50 for k in DEPTHS[1:]},
    }


if __name__ == "__main__":
    print(run().markdown())
