"""All pairs of distributional rows, as `match --all-pairs` finds them: `python -m bench all_pairs [size...]`.

Alfonseca, Hall & Hartmann (2009) scored 2.25 trillion pairs of 1.5 million queries on a cluster. Here every query of a
repository is searched for among the others by `distributional`, the cosine over the contexts of its words, in one
workspace that grows from size to size.
"""

import sys
import time
from typing import NamedTuple

import numpy as np

from bench import workload
from bench.result import Result
from querykin import Workspace
from querykin.compute.arrays import Int64Array
from querykin.retrieval.suggester import pairs_batch

MEASURE, THRESHOLD, K = "distributional", 0.3, 10
SIZES = (37_500, 75_000, 150_000)  # the last is a tenth of the paper's
PAPER = 1_500_000  # queries of Alfonseca et al.
SAMPLE = (
    16_384  # queries that are searched for, in runs of consecutive ones; all of them where there are fewer
)


class Cost(NamedTuple):
    """What some of the queries of a repository cost."""

    queries: int  # of the repository
    searched: int
    seconds: float  # processor time of the searches
    matches: int
    rows: int  # that were encoded since the size before
    built: float  # processor time of these

    @property
    def all_seconds(self) -> float:
        """The processor time of searching for all queries."""
        return self.seconds * self.queries / self.searched


def run() -> Result:
    """One row for each size, which only grow."""
    sizes = sorted(int(each) for each in sys.argv[1:] if each.isdecimal()) or SIZES
    opened = workload.named_workspace("all-pairs")
    found = [_cost(opened, size) for size in sizes]
    growth = _growth(found)
    figures = {f"{cost.queries} all pairs s": cost.all_seconds for cost in found} | {"growth": growth}
    header = [
        "queries",
        "searched for",
        "all pairs, s",
        "pairs a second",
        "a query, ms",
        "matches",
        "a row, ms",
    ]
    table = [_line(cost) for cost in found]
    return Result("all_pairs", "All pairs", _text(found, growth), header, table, figures)


def _cost(opened: Workspace, size: int) -> Cost:
    before, start = len(opened.repository), time.process_time()
    opened = workload.filled(opened, size, (MEASURE,))
    built = time.process_time() - start
    suggester = opened.suggester(MEASURE, filter="none", threshold=THRESHOLD)
    chosen = _sample(opened.repository.live_ids(), pairs_batch(K))
    list(suggester.pairs_of(chosen[:8], K))  # compiles
    start = time.process_time()
    matches = sum(len(found.suggestions) for _, found in suggester.pairs_of(chosen, K))
    seconds = time.process_time() - start
    print(f"  {size:,} queries: {seconds:.0f} s for {len(chosen):,}", flush=True)
    return Cost(size, len(chosen), seconds, matches, size - before, built)


def _sample(live: Int64Array, run: int) -> Int64Array:
    """Runs of consecutive queries at even distances, as many as are searched for at once in each."""
    runs = -(-len(live) // run)
    chosen = np.unique(np.linspace(0, runs - 1, min(runs, SAMPLE // run)).astype(np.int64))
    return np.concatenate([live[number * run : (number + 1) * run] for number in chosen])


def _growth(found: list[Cost]) -> float:
    """The power of the number of queries that the cost of all pairs grows with, over the last two sizes."""
    (first, last) = found[-2:] if len(found) > 1 else found * 2
    if first.queries == last.queries:
        return float("nan")
    return float(np.log(last.all_seconds / first.all_seconds) / np.log(last.queries / first.queries))


def _line(cost: Cost) -> list[str]:
    pairs = cost.queries * (cost.queries - 1)
    return [
        f"{cost.queries:,}",
        f"{cost.searched:,}",
        f"{cost.all_seconds:,.0f}",
        f"{pairs / cost.all_seconds:,.0f}",
        f"{1000 * cost.seconds / cost.searched:.2f}",
        f"{cost.matches / cost.searched:.1f}",
        f"{1000 * cost.built / cost.rows:.2f}" if cost.rows else "",
    ]


def _text(found: list[Cost], growth: float) -> str:
    last = found[-1]
    hours = last.all_seconds * (PAPER / last.queries) ** growth / 3600
    return (
        f"`{MEASURE}` (unigrams), at most {K} matches that reach {THRESHOLD}; each query against all others, which are exact. "
        f"Where fewer queries were searched for than there are, the processor seconds of all are computed from theirs. A row "
        f"includes the co-occurrence counts where there were none. Between the last two sizes the cost of all pairs grew with the "
        f"power {growth:.2f} of the number of queries; if it goes on like that, the {PAPER:,} queries of Alfonseca et al. (2009), "
        f"2.25 trillion pairs, take {hours:,.0f} hours of one core."
    )


if __name__ == "__main__":
    print(run().markdown())
