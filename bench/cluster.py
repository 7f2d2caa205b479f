"""The cost of clustering: rows and neighbors of keywords: `python -m bench cluster [size...]`.

Each keyword costs a row in every index of the measure, and a search among all others down to the threshold. Both are
measured for a sample of the keywords, in processor time on all cores, against an index of all of them.
"""

import sys
import time
from collections.abc import Callable

import numpy as np

from bench import workload
from bench.result import Result
from querykin import Workspace
from querykin.clustering.neighbor_graph import MAX_NEIGHBORS
from querykin.clustering.thresholds import default_threshold
from querykin.index.catalog import indexed_parts
from querykin.retrieval.retrievers import Retriever

MEASURES = ("web-kernel", "hybrid-static", "dense", "hybrid")
KEYWORDS = 100_000  # fewer without the shared data
SAMPLE = 2048


def run() -> Result:
    """Milliseconds a keyword, and minutes for all of them."""
    sizes = [int(each) for each in sys.argv[1:] if each.isdecimal()]
    table, figures, ratios = [], dict[str, float](), dict[str, float]()
    for size in sizes or [min(KEYWORDS, workload.rows_wanted())]:
        opened = workload.workspace(size, MEASURES)
        for name in MEASURES:
            retriever, threshold = opened.retriever(name), default_threshold(name)
            texts = _sample(opened)
            rows, alone, together = (
                _milliseconds(work, texts) for work in _works(opened, name, retriever, threshold)
            )
            minutes = size * (rows + together) / 60_000 / 2
            table.append(
                [
                    f"{size:,}",
                    name,
                    f"{threshold:g}",
                    f"{rows:.2f}",
                    f"{alone:.2f}",
                    f"{together:.2f}",
                    f"{minutes:.1f}",
                ]
            )
            figures |= {
                f"{size} {name} rows": rows,
                f"{size} {name} alone": alone,
                f"{size} {name} together": together,
            }
            ratios[f"neighbors_{name}_{size}_together_vs_alone"] = alone / together
    text = (
        f"Milliseconds of processor time a keyword, over a sample of {SAMPLE:,} keywords: its rows in the indexes of the "
        f"measure; its neighbors, {MAX_NEIGHBORS} at most that reach the threshold, each keyword searched alone and not "
        "read from the index (a tenth of the sample), and all of them together, as `querykin cluster` does. Minutes are "
        "for rows and neighbors of all keywords on two cores that do nothing else, computed from the milliseconds."
    )
    header = ["keywords", "measure", "threshold", "rows", "neighbors, alone", "together", "minutes"]
    return Result("cluster", "Clusters", text, header, table, figures, ratios)


def _sample(opened: Workspace) -> list[str]:
    live_ids = opened.repository.live_ids()
    chosen = np.random.default_rng(2004).choice(live_ids, min(SAMPLE, len(live_ids)), replace=False)
    return opened.repository.queries(np.sort(chosen))


def _works(
    opened: Workspace, name: str, retriever: Retriever, threshold: float
) -> list[Callable[[list[str]], int]]:
    """What is measured; each returns the number of keywords it was done for."""
    parts, k = indexed_parts(retriever.measure), MAX_NEIGHBORS + 1

    def rows(texts: list[str]) -> int:
        workload.clear_cached_results(opened.suggester(name))
        for part in parts:
            part.encode_candidates(texts)
        return len(texts)

    def alone(texts: list[str]) -> int:
        workload.clear_cached_results(opened.suggester(name))
        for text in texts[::10]:
            retriever.search([f"{text} "], k, threshold)  # a text that is not in the index
        return len(texts[::10])

    def together(texts: list[str]) -> int:
        retriever.search(texts, k, threshold)
        return len(texts)

    return [rows, alone, together]


def _milliseconds(work: Callable[[list[str]], int], texts: list[str]) -> float:
    """Processor time a keyword, without that of compilation."""
    work(texts[:64])
    start = time.process_time()
    done = work(texts)
    return 1000 * (time.process_time() - start) / done
