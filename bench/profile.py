"""Processor time of the stages of a suggestion and of a search: `python -m bench.profile`.

Functions are wrapped and timed; the time of a stage excludes the stages inside it. Nothing else runs in between, so
caches are warmer than in the comparisons of the other tables.
"""

import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Any
from unittest.mock import patch

from bench import workload
from bench.result import Result
from querykin.index import block_max
from querykin.index import posting_lists as lists
from querykin.index.index import Index
from querykin.index.quantized_matrix import QuantizedMatrix
from querykin.measures.vector_measure import VectorMeasure
from querykin.retrieval import threshold_algorithm
from querykin.retrieval.hybrid_retriever import HybridRetriever
from querykin.retrieval.retrievers import Retriever
from querykin.retrieval.suggester import Suggester
from querykin.search import postings_engine
from querykin.search.expansion import Expander
from querykin.spelling.corrector import SpellingCorrector

SUGGESTION = {  # the outermost first
    "suggestion": (Suggester, "suggest"),
    "spelling": (SpellingCorrector, "correct"),
    "hybrid": (HybridRetriever, "search"),
    "word vectors": (QuantizedMatrix, "add_weighted"),
    "reaching": (threshold_algorithm, "_reaching"),
    "row": (VectorMeasure, "encode_queries"),
    "expansion": (Expander, "expand"),
    "results": (Expander, "search"),
    "proposals": (postings_engine, "first_stage"),
    "order": (postings_engine, "rank_postings"),
    "nearest": (Index, "search"),
    "rows near the best": (block_max, "top_positions"),
    "filters": (Suggester, "_choose"),
}
MEANING = {
    "spelling": "spelling: a quarter of the queries have a word that is looked for",
    "proposals": "first-stage retrieval of 300 documents, compiled code",
    "order": "ranking of these, compiled code",
    "results": "the rest of the search: word lookup, caching and truncation of results",
    "expansion": "windows around the query's words",
    "row": "weights, centroid, truncation to the largest terms",
    "rows near the best": "the nearest rows, compiled code",
    "nearest": "the rest of the index search: order of ties",
    "word vectors": "inner products with the word vectors of all rows, compiled code",
    "reaching": "rows whose sum may be among the best, compiled code",
    "hybrid": "the rest of the hybrid search",
    "filters": "diversity filter",
    "suggestion": "everything else",
}
SEARCH = {"rest": (Index, "search"), "rows near the best": (lists, "top_k")}
MEASURES = ("web-kernel", "hybrid-static")
LANGUAGE_MODELS = ("sparse-prob", "dense-prob")
REPEATS = 3


def run() -> Result:
    """Mean times over the queries."""
    opened = workload.workspace(workload.rows_wanted(), (*MEASURES, *LANGUAGE_MODELS))
    unseen_queries = workload.unseen_queries()
    suggestions = {
        name: _stages(SUGGESTION, workload.unseen(opened.suggester(name), 5), unseen_queries)
        for name in MEASURES
    }
    searches = {
        name: _stages(SEARCH, partial(_nearest, opened.retriever(name)), unseen_queries)
        for name in LANGUAGE_MODELS
    }
    spent = suggestions | searches
    meanings = MEANING | {"rest": "the rest, from the query's row"}
    rows = [
        [meaning, *(_cell(stages, stage) for stages in spent.values())] for stage, meaning in meanings.items()
    ]
    rows.append(["**together**", *(f"{sum(stages.values()):.2f}" for stages in spent.values())])
    figures = {f"{name} {stage}": value for name, stages in spent.items() for stage, value in stages.items()}
    text = (
        f"{len(opened.repository):,} past queries, {len(unseen_queries)} that are not among them; milliseconds of processor time, one "
        "thread, means; a stage excludes the stages inside it. Nothing else runs in between. Suggestions by "
        f"{' and '.join(MEASURES)}; the ten nearest rows, without the search for documents, by {' and '.join(LANGUAGE_MODELS)}."
    )
    return Result("profile", "Where the time goes", text, ["stage, ms", *spent], rows, figures)


def _cell(stages: dict[str, float], stage: str) -> str:
    return f"{stages[stage]:.2f}" if stages.get(stage) else ""


def _nearest(retriever: Retriever, query: str) -> object:
    return retriever.search([query], 10)


def _stages(
    watched: dict[str, tuple[Any, str]], work: Callable[[Any], object], unseen_queries: list[Any]
) -> dict[str, float]:
    """Mean milliseconds of each stage, excluding the stages inside it."""
    spent: dict[str, float] = defaultdict(float)
    inside: list[float] = []

    def timed(stage: str, function: Callable[..., object]) -> Callable[..., object]:
        def run(*given: object, **named: object) -> object:
            inside.append(0.0)
            start = time.process_time()
            try:
                return function(*given, **named)
            finally:
                taken = time.process_time() - start
                spent[stage] += taken - inside.pop()
                if inside:
                    inside[-1] += taken

        return run

    with ExitStack() as replaced:
        for stage, (owner, name) in watched.items():
            replaced.enter_context(patch.object(owner, name, timed(stage, getattr(owner, name))))
        for query in unseen_queries:
            work(query)
        spent.clear()
        for query in unseen_queries * REPEATS:
            work(query)
    return {stage: 1000 * spent[stage] / (REPEATS * len(unseen_queries)) for stage in watched}


if __name__ == "__main__":
    print(run().markdown())
