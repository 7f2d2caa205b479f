"""Search of an open pool: `python -m reproduce.pool`.

Every variation of a need in uqv100 searches for the others of its need among all variations of all needs and all web
queries, as `querykin evaluate --pool` does. Web queries were not judged and count as not relevant.
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from querykin import Workspace
from querykin.defaults import DEFAULT_MEASURE
from querykin.evaluation.results import Result
from querykin.experiments.evaluation import EvaluationTask, evaluate_file
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.query_files import read_queries
from querykin.progress import Advance
from reproduce import data
from reproduce.data import list_file
from reproduce.markdown import interval, number, table
from reproduce.matching import variations

MEASURES = ("jaccard-stems", "idf-cosine", "web-kernel", "static", "dense", DEFAULT_MEASURE)
BASELINE = MEASURES[0]
COLUMNS = {
    "map": "MAP",
    "p@1": "P@1",
    "p@5": "P@5",
    "recall@10": "recall@10",
    "recall@100": "recall@100",
    "recall@1000": "recall@1000",
}
COMPARED = ("map", "recall@10", "recall@100", "recall@1000")


def report(workspace: Workspace) -> str:
    """Metrics of each measure, and the differences from the baseline."""
    judged, names = variations(), [name for name in MEASURES if name in workspace.measures()]
    web = [query for query, _, _ in read_queries(str(list_file("trec-web-queries")), print)]
    queries = judged.queries.distinct
    with TemporaryDirectory(prefix="reproduce-pool-") as folder:
        file = Path(folder) / "variations.jsonl"
        file.write_text("\n".join(_lines(judged)), "utf-8")
        task = EvaluationTask(str(file), names, pool=web, relevant=1, baseline=BASELINE, progress=Timed())
        found = evaluate_file(workspace, task).evaluation
    pool = len({*queries, *web})
    best_first = sorted(found.results, key=lambda result: -result.metrics.values["map"])
    return "\n\n".join(
        [
            f"{len(queries):,} variations of {found.groups} needs search a pool of {pool:,} queries: themselves and {len(web):,} web "
            f"queries, {len({*queries} & {*web})} of which are variations too. A query never has to find itself; the nearest "
            "thousand count, equal scores in random order; a need's value is the mean of its variations'.",
            table(
                ["measure", *COLUMNS.values()], [[result.measure, *_figures(result)] for result in best_first]
            ),
            f"Against {BASELINE}:",
            table(
                ["measure", *(COLUMNS[metric] for metric in COMPARED)],
                [[result.measure, *_differences(result)] for result in best_first if result.differences],
            ),
        ]
    )


def _lines(judged: JudgedPairs) -> Iterator[str]:
    columns = (judged.queries, judged.candidates, judged.groups)
    for query, candidate, need in zip(*(column.at(range(len(judged))) for column in columns), strict=True):
        yield json.dumps({"query": query, "candidate": candidate, "group": need, "grade": 1})


def _figures(result: Result) -> list[str]:
    return [number(result.metrics.values[metric]) for metric in COLUMNS]


def _differences(result: Result) -> list[str]:
    return [interval(result.differences[metric].interval) for metric in COMPARED]


class Timed:
    """Prints messages and the time of each task."""

    def message(self, text: str) -> None:
        """Print the message."""
        print(f"  {text}", flush=True)

    @contextmanager
    def task(self, title: str, total: int | None) -> Iterator[Advance]:
        """Print the time of the task."""
        start = time.perf_counter()
        yield lambda steps: None
        print(f"  {title}: {time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    data.show(report)
