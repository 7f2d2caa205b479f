"""Scaling with candidates and documents, and an estimate for 116 million: `python -m bench.scaling`.

Candidates: 10,000 to one million, or up to QUERYKIN_BENCH_LARGEST, which may be ten million; where the lists end, queries
are extended by titles. The figures of each size are kept, and a size that was not run is listed as not measured.
Documents: a tenth, all, and all of them twice. The estimate for the 116 million candidates of Sahami & Heilman (2006)
extrapolates from the two largest repositories measured.
"""

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from bench import workload
from bench.index_rows import list_lengths
from bench.result import Result
from bench.size_costs import costs
from bench.timing import take_turns
from querykin import Document, Workspace
from querykin.retrieval.retrievers import IndexRetriever

LARGEST = 116_000_000
_BUILT = 100_000  # rows of the headline for building
CORPORA = {"a tenth": 0.1, "all": 1.0, "twice": 2.0}


def run() -> Result:
    """One row per size."""
    sizes = _sizes()
    header = [
        "",
        "rows",
        "bytes a row",
        "built, rows a second",
        "a second of processor time",
        "build, CPU s",
        "its peak, MB",
        "on disk, MB",
        "serving, peak MB",
        "ten nearest, p50 ms",
        "p99",
        "suggestions, p50 ms",
        "p99",
    ]
    found = [_candidates(size) for size in sizes]
    rows = [[f"{size:,} candidates", *_cells(facts)] for size, facts in zip(sizes, found, strict=True)]
    rows += [
        [f"{size:,} candidates", *["not measured"] * (len(header) - 1)]
        for size in _all_sizes()
        if size not in sizes
    ]
    for name, share in CORPORA.items():
        facts = _documents(share)
        rows.append([f"{facts['documents']:,.0f} documents ({name})", *_cells(facts)])
    figures = {
        f"{size} {name}": value
        for size, facts in zip(sizes, found, strict=True)
        for name, value in facts.items()
    }
    rates = {facts["rows"]: facts["rows a processor second"] for facts in found}
    ratios = {"build_rows_per_cpu_s": rates[_BUILT]} if _BUILT in rates else {}
    return Result("scaling", "Scaling", _text(found[-2:]), header, rows, figures, ratios)


def _sizes() -> list[int]:
    largest = int(os.environ.get("QUERYKIN_BENCH_LARGEST", 1_000_000))
    return [size for size in _all_sizes() if size <= largest or _kept(size).exists()]


def _all_sizes() -> list[int]:
    real = [10_000, 100_000, workload.ROWS, 1_000_000, 3_000_000, 10_000_000]
    return real if workload.real() else [2_000, workload.MADE_UP_ROWS]


def _kept(size: int) -> Path:
    """The figures of a size that was measured."""
    return workload.home(str(size)) / "scaling.json"


def _candidates(size: int) -> dict[str, float]:
    kept = _kept(size)
    if kept.exists():
        return dict(json.loads(kept.read_text("utf-8")))
    facts = {**costs(size), **_measured(workload.workspace(size))}
    kept.write_text(json.dumps(facts, indent=1) + "\n", "utf-8")
    return facts


def _measured(opened: Workspace) -> dict[str, float]:
    retriever = opened.retriever("web-kernel")
    assert isinstance(retriever, IndexRetriever)
    index, measure, suggester = retriever.index, retriever.measure, opened.suggester("web-kernel")
    live = index.live_rows(opened.repository)
    rows = {query: measure.encode_queries([query]) for query in workload.unseen_queries()}
    unseen_queries = [query for query, row in rows.items() if len(row.features)]

    times = take_turns(
        {
            "search": lambda query: index.search(measure, rows[query], 10, opened.repository, live),
            "suggest": workload.unseen(suggester, 5),
        },
        unseen_queries,
        repeats=3,
    )
    row_count = sum(map(len, index.segments))
    names = np.unique(np.concatenate([rows[query].features for query in unseen_queries]))
    lengths = list_lengths(index, names)
    met = [lengths[np.searchsorted(names, rows[query].features)].sum() for query in unseen_queries]
    return {
        "rows": row_count,
        "bytes a row": index.bytes / row_count,
        "terms": index.terms,
        "rows a second": row_count / workload.build_seconds(opened),
        "rows a processor second": row_count / workload.build_seconds(opened, clock="processor"),
        "documents": len(opened.corpus),
        "p50": times["search"].p50,
        "p99": times["search"].p99,
        "suggest p50": times["suggest"].p50,
        "suggest p99": times["suggest"].p99,
        "met": float(np.median(met)),
    }


def _cells(facts: dict[str, float]) -> list[str]:
    rows = facts["rows"]
    on_disk = rows * sum(facts.get(f"{name} bytes", np.nan) for name in ("repository", "index")) / 1e6
    return [
        f"{rows:,.0f}",
        f"{facts['bytes a row']:.0f}",
        f"{facts['rows a second']:,.0f}",
        f"{facts['rows a processor second']:,.0f}",
        *(
            _cell(each)
            for each in (facts.get("build s"), facts.get("build MB"), on_disk, facts.get("serve MB"))
        ),
        f"{facts['p50']:.2f}",
        f"{facts['p99']:.2f}",
        f"{facts['suggest p50']:.2f}",
        f"{facts['suggest p99']:.2f}",
    ]


def _cell(value: float | None) -> str:
    return "" if value is None or np.isnan(value) else f"{value:,.0f}"


def _documents(share: float) -> dict[str, float]:
    """The same 10,000 candidates over a part of the corpus, or over a corpus with every document twice."""
    rows = 10_000 if workload.real() else 2_000
    home = workload.folder() / f"{'real' if workload.real() else 'made-up'}-corpus-{share:g}"
    opened = Workspace.open(home)
    if not len(opened.corpus):
        shutil.rmtree(home, ignore_errors=True)
        opened.corpus.add(_some_documents(share))
        opened = opened.reopen()
    return _measured(workload.filled(opened, rows))


def _some_documents(share: float) -> Iterator[Document]:
    corpus = workload.corpus().corpus
    step = round(1 / min(1.0, share))
    for copy in range(max(1, round(share))):
        for segment in corpus.segments:
            for place in range(0, len(segment), step):
                document = segment.document(place)
                yield replace(document, id=f"{copy}:{document.id}")


def _text(two: list[dict[str, float]]) -> str:
    """The extrapolation from the two largest repositories to 116 million."""
    smaller, largest = two[0], two[-1]
    growth = np.log(largest["p50"] / smaller["p50"]) / np.log(largest["rows"] / smaller["rows"])
    gigabytes = largest["bytes a row"] * LARGEST / 2**30
    hours = LARGEST / largest["rows a second"] / 3600
    milliseconds = largest["p50"] * (LARGEST / largest["rows"]) ** growth
    return (
        f"Rows of {largest['terms']:.0f} terms; search and suggestions one thread, processor time; built on all cores. A weight takes "
        f"{largest['bytes a row'] / largest['terms']:.1f} bytes including all overhead. The posting lists of a query hold {largest['met']:,.0f} weights of the "
        f"largest repository (median) and take {1e6 * largest['p50'] / max(1.0, largest['met']):.1f} ns per weight, most of which are skipped; relative to the next "
        f"smaller repository, time grew with the power {growth:.2f} of the number of rows. {LARGEST:,} candidates (Sahami & Heilman 2006) would take "
        f"{gigabytes:,.0f} GB, {hours:,.0f} hours of building on these {os.cpu_count()} cores and, if that power holds, {milliseconds:,.0f} ms a search on one core."
    )


if __name__ == "__main__":
    print(run().markdown())
