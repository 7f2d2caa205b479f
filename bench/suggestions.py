"""Suggestions for unseen queries, compared with a sentence model: `python -m bench.suggestions`.

The sentence model: all-MiniLM-L6-v2 (ONNX, eight bits, one thread) embeds the query, FAISS finds the nearest embeddings
by exhaustive search or by a graph (HNSW), and the same filter selects. querykin: search, expand, weight, retrieve,
filter. Both run from text to suggestions in one thread. `hybrid` shows what the encoder adds to `hybrid-static`.
"""

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from bench import workload
from bench.result import Result
from bench.timing import figures, take_turns
from querykin import Workspace
from querykin.compute.arrays import Int64Array
from querykin.index.quantized_matrix import QuantizedMatrix
from querykin.index.ranking import Ranking
from querykin.measures.expansion_measure import ExpansionMeasure
from querykin.measures.vector_measure import VectorMeasure
from querykin.querylog.repository import Repository
from querykin.retrieval.retrievers import Retriever
from querykin.retrieval.suggester import Suggester

MEASURES = ("web-kernel", "hybrid-static", "hybrid")
LIMIT = 5
LINKS, EFFORT = 32, 64  # of the graph: links of a node, and nodes visited (efSearch)


class Faiss(Retriever):
    """Nearest embeddings from a FAISS index."""

    def __init__(
        self, measure: VectorMeasure, repository: Repository, query_ids: Int64Array, index: Any
    ) -> None:
        self.measure, self.repository = measure, repository
        self._query_ids, self._index = query_ids, index

    def search(
        self, queries: Sequence[str], k: int, min_score: float = -np.inf, min_count: int = 1
    ) -> list[Ranking]:
        """Embed the queries, then search the index."""
        measure = cast(VectorMeasure, self.measure)
        rows = [measure.encode_query_batch([query]).row(0)[1].astype(np.float32) for query in queries]
        scores, places = self._index.search(np.stack(rows), k)
        return [
            Ranking(self._query_ids[found], values.astype(np.float64))
            for found, values in zip(places, scores, strict=True)
        ]


def run() -> Result:
    """Processor time from text to suggestions."""
    opened = workload.workspace(workload.rows_wanted(), (*MEASURES, "dense"))
    suggesters = {name: opened.suggester(name) for name in MEASURES}
    ours = suggesters["web-kernel"]
    flat, graph = (Suggester(retriever, opened.repository) for retriever in _faiss(opened))

    runs: dict[str, Callable[[str], object]] = {
        f"querykin, {name}": workload.unseen(suggester, LIMIT) for name, suggester in suggesters.items()
    }
    runs |= {
        "MiniLM + FAISS HNSW": lambda query: graph.suggest([query], LIMIT),
        "MiniLM + FAISS flat": lambda query: flat.suggest([query], LIMIT),
    }
    measure = cast(VectorMeasure, flat.retriever.measure)
    parts: dict[str, Callable[[str], object]] = {
        "  querykin: search": lambda query: _results(ours, query),
        "  querykin: search, expand, weigh": lambda query: _row(ours, query),
        "  MiniLM: embed": lambda query: measure.encode_query_batch([query]),
    }
    known = [
        query for query in workload.unseen_queries() if len(measure.encode_query_batch([query]).features)
    ]
    found = take_turns(runs | parts, known)
    theirs = found["MiniLM + FAISS HNSW"].p50
    text = (
        f"{len(opened.repository):,} past queries; {len(known)} queries that are not among them, {LIMIT} suggestions "
        "each, filtered for diversity; milliseconds of processor time, one thread. Nothing is cached between "
        f"queries. HNSW: {LINKS} links, efSearch {EFFORT}. In the last column, how many times faster than MiniLM with HNSW."
    )
    rows = [[name, *it.cells, f"{theirs / it.p50:.1f}"] for name, it in found.items()]
    ratios = {"suggest_vs_minilm_hnsw": theirs / found["querykin, web-kernel"].p50} | {
        f"suggest_{name}_vs_minilm_hnsw": theirs / found[f"querykin, {name}"].p50 for name in MEASURES[1:]
    }
    header = ["", "p50", "p99", "times faster"]
    return Result("suggestions", "From text to suggestions", text, header, rows, figures(found), ratios)


def _results(ours: Suggester, query: str) -> object:
    measure = cast(ExpansionMeasure, ours.retriever.measure)
    measure.expander.clear_cache()
    return measure.expander.search([query])


def _row(ours: Suggester, query: str) -> object:
    measure = cast(ExpansionMeasure, ours.retriever.measure)
    measure.expander.clear_cache()
    return measure.encode_query_batch([query])


def _faiss(opened: Workspace) -> tuple[Faiss, Faiss]:
    import faiss

    faiss.omp_set_num_threads(2)
    segments = opened.index("dense").segments
    query_ids = np.concatenate([segment.query_ids for segment in segments]).astype(np.int64)
    matrix = np.concatenate(
        [cast(QuantizedMatrix, segment.rows).rows(np.arange(len(segment))) for segment in segments]
    ).astype(np.float32)
    flat = faiss.IndexFlatIP(matrix.shape[1])
    graph = faiss.IndexHNSWFlat(matrix.shape[1], LINKS, faiss.METRIC_INNER_PRODUCT)
    graph.hnsw.efSearch = EFFORT
    for index in (flat, graph):
        index.add(matrix)
    faiss.omp_set_num_threads(1)
    measure = cast(VectorMeasure, opened.measure("dense"))
    exact, approximate = (Faiss(measure, opened.repository, query_ids, index) for index in (flat, graph))
    return exact, approximate


if __name__ == "__main__":
    print(run().markdown())
