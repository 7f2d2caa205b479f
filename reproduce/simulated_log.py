"""A simulated search log: sessions and clicks made from query variations of uqv100 and the results of a corpus.

No log of real people comes with the data. What is simulated, and how noisy it is, are the constants below.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from querykin import Workspace
from querykin.compute.arrays import Float64Array
from querykin.io.log_files import LogRecord
from querykin.io.tables import as_text, read_table
from reproduce import data

SESSIONS = 1_000  # of each need in the whole log
MORE_QUERIES = 0.5  # probability that a session goes on after a query
OTHER_NEED = 0.2  # probability that a query of a session is about another need
CLICKED = 0.6  # probability of a click after a query
OTHER_PAGE = 0.2  # probability that a click goes to a result of another need
RESULTS = 10  # of a query, which can be clicked
PAUSE = 60.0  # seconds between two queries


@dataclass(frozen=True)
class Needs:
    """Information needs with the variations that are asked in the log, and those that are held out."""

    logged: Mapping[str, Sequence[str]]
    weights: Mapping[str, Float64Array]  # how often people typed each variation
    others: frozenset[str]  # needs that are not in the log


def split_needs(seed: int = 0) -> Needs:
    """Half of the needs of uqv100, each with half of its variations in the log."""
    rows = read_table(str(data.labelled_file("variations")), ["need_id", "query", "count_workers"]).rows
    variations: dict[str, dict[str, int]] = {}
    for row in rows:
        counts = variations.setdefault(as_text(row["need_id"]), {})
        counts[as_text(row["query"])] = int(as_text(row["count_workers"]) or 1)
    rng = np.random.default_rng(seed)
    names = sorted(variations)
    chosen = [names[n] for n in sorted(rng.permutation(len(names))[: len(names) // 2])]
    logged, weights = {}, {}
    for need in chosen:
        queries = sorted(variations[need])
        kept = [queries[n] for n in sorted(rng.permutation(len(queries))[: len(queries) // 2])]
        typed = np.array([variations[need][query] for query in kept], np.float64)
        logged[need], weights[need] = kept, typed / typed.sum()
    return Needs(logged, weights, frozenset(names) - set(chosen))


def clickable(workspace: Workspace, needs: Needs) -> dict[str, tuple[list[str], Float64Array]]:
    """For each logged query its results in the corpus and how probable a click on each is.

    People know what they need: a result is clicked in proportion to 1 / rank and to the number of variations
    of the need that find it.
    """
    found: dict[str, tuple[list[str], Float64Array]] = {}
    for queries in needs.logged.values():
        results = {
            query: [hit.id for hit in workspace.search(query, RESULTS, exact=True).hits] for query in queries
        }
        times: dict[str, int] = {}
        for pages in results.values():
            for page in pages:
                times[page] = times.get(page, 0) + 1
        for query, pages in results.items():
            weights = np.array([times[page] / rank for rank, page in enumerate(pages, start=1)])
            found[query] = pages, weights / weights.sum() if len(weights) else weights
    return found


def simulate(
    needs: Needs, pages: Mapping[str, tuple[list[str], Float64Array]], share: float, seed: int = 0
) -> Iterator[LogRecord]:
    """The records of a share of the log."""
    rng, names = np.random.default_rng(seed), list(needs.logged)
    for need in names:
        for number in range(round(SESSIONS * share)):
            session, time = f"{need} {number}", 0.0
            while True:
                topic = names[rng.integers(len(names))] if rng.random() < OTHER_NEED else need
                query = _draw(rng, needs.logged[topic], needs.weights[topic])
                yield LogRecord(query, session, time, _click(rng, query, needs, pages))
                time += PAUSE
                if rng.random() >= MORE_QUERIES:
                    break


def _click(
    rng: np.random.Generator, query: str, needs: Needs, pages: Mapping[str, tuple[list[str], Float64Array]]
) -> str:
    """The page that is clicked after a query, or nothing."""
    if rng.random() >= CLICKED:
        return ""
    if rng.random() < OTHER_PAGE:
        need = list(needs.logged)[rng.integers(len(needs.logged))]
        query = _draw(rng, needs.logged[need], needs.weights[need])
    found, weights = pages[query]
    return _draw(rng, found, weights) if found else ""


def _draw(rng: np.random.Generator, items: Sequence[str], weights: Float64Array) -> str:
    return items[int(rng.choice(len(items), p=weights))]
