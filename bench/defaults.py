"""What the default measures cost: encoding a text, suggestions, and bytes a row: `python -m bench defaults`.

`hybrid` is the default, `hybrid-static` takes its place without the encoder, `web-kernel` is the part that both have.
"""

from collections.abc import Callable

from bench import workload
from bench.result import Result
from bench.timing import figures, take_turns
from querykin import Workspace
from querykin.index.catalog import indexed_parts
from querykin.retrieval.suggester import Suggester

MEASURES = ("web-kernel", "hybrid-static", "hybrid")
ROWS = 100_000  # past queries; fewer without the shared data
LIMIT = 5


def run() -> Result:
    """Processor time and bytes of each measure."""
    opened = workload.workspace(min(ROWS, workload.rows_wanted()), MEASURES)
    suggesters = {name: opened.suggester(name, exact=True) for name in MEASURES}
    runs = {f"{name}: encode": _encoder(suggester) for name, suggester in suggesters.items()}
    runs |= {f"{name}: suggest": workload.unseen(suggester, LIMIT) for name, suggester in suggesters.items()}
    found = take_turns(runs, workload.unseen_queries(), repeats=3)
    rows, recorded = [], figures(found)
    for name in MEASURES:
        sizes = _bytes(opened, name)
        recorded[f"{name} bytes a row"] = sum(sizes.values())
        times = [cell for what in ("encode", "suggest") for cell in found[f"{name}: {what}"].cells]
        parts = ", ".join(f"{part} {size:.0f}" for part, size in sizes.items())
        rows.append([name, *times, f"{sum(sizes.values()):.0f}", parts])
    text = (
        f"{len(opened.repository):,} past queries; {len(workload.unseen_queries())} queries that are not among them, "
        f"{LIMIT} suggestions each without spelling correction; milliseconds of processor time. Encoding includes the "
        "search. Nothing is cached between queries."
    )
    header = ["measure", "encode p50", "p99", "suggest p50", "p99", "bytes a row", "by index"]
    return Result("defaults", "The default measures", text, header, rows, recorded)


def _encoder(suggester: Suggester) -> Callable[[str], object]:
    """Encodes a query for every index of the measure, after one search."""
    parts = indexed_parts(suggester.retriever.measure)

    def encode(query: str) -> object:
        workload.clear_cached_results(suggester)
        return [part.encode_query_batch([query]) for part in parts]

    return encode


def _bytes(opened: Workspace, name: str) -> dict[str, float]:
    """Bytes a row of each index that a measure searches."""
    indexes = {part.index_name: opened.indexes.index(part) for part in indexed_parts(opened.measure(name))}
    return {part: index.bytes / max(1, sum(map(len, index.segments))) for part, index in indexes.items()}


if __name__ == "__main__":
    print(run().markdown())
