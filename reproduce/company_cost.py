"""What distributional similarity costs, and how it grows: `python -m reproduce.company_cost`.

A tenth and all of the corpus, a tenth and all of the web queries; each figure from a process of its own, so that
its memory is its own.
"""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from querykin import Workspace
from querykin.measures import VectorMeasure
from reproduce import data
from reproduce.markdown import table
from reproduce.repository import web_queries

MEASURE = "distributional-ngrams"
VECTORS = 2000  # queries whose rows are timed
K = 10


def counted(share: int) -> dict[str, Any]:
    """Count the neighbours in one of `share` documents, and make some rows."""
    whole = data.workspace()
    with TemporaryDirectory() as folder:
        part = Workspace.open(folder)
        part.corpus.add(_documents(whole, share))
        part = part.reopen()
        before, start = _peak(), time.perf_counter()
        part.count_neighbours()
        seconds = time.perf_counter() - start
        measure = part.measure(MEASURE)
        assert isinstance(measure, VectorMeasure)
        texts = _queries(VECTORS)
        measure.encode(texts[:64])
        again = time.perf_counter()
        measure.encode(texts)
        each = (time.perf_counter() - again) / len(texts)
        size = sum(file.stat().st_size for file in (Path(folder) / "neighbours").rglob("*") if file.is_file())
        return {"tokens": part.corpus.statistics.tokens, "seconds": seconds, "before": before, "peak": _peak(),
                "bytes": size, "vector": each}  # fmt: skip


def paired(share: int) -> dict[str, Any]:
    """The nearest ten of every one of `share` web queries among them all."""
    full = web_queries(data.workspace())
    with TemporaryDirectory(dir=full.path.parent) as folder:
        for name in ("corpus", "neighbours"):
            os.symlink(full.path / name, Path(folder) / name)
        opened = Workspace.open(folder)
        numbers = full.repository.living()[::share]
        opened.repository.add((query, 1) for query in full.repository.queries(numbers))
        start = time.perf_counter()
        opened.build(MEASURE)
        built, again = time.perf_counter() - start, time.perf_counter()
        pairs = sum(len(found.suggestions) for _, found in opened.suggester(MEASURE).all_pairs(K))
        return {"queries": len(opened.repository), "built": built, "seconds": time.perf_counter() - again,
                "pairs": pairs, "peak": _peak()}  # fmt: skip


def report(_: Workspace) -> str:
    """Both tables."""
    counts = [_apart("counted", share) for share in (10, 1)]
    pairs = [_apart("paired", share) for share in (10, 1)]
    rows = [[f"{one['tokens']:,}", f"{one['seconds']:.1f} s", f"{one['tokens'] / one['seconds'] / 1e6:.1f} M",
             f"{one['before']:,.0f} MB", f"{one['peak']:,.0f} MB", f"{one['bytes'] / 1e6:,.0f} MB",
             f"{1000 * one['vector']:.2f} ms"] for one in counts]  # fmt: skip
    head = [
        "tokens",
        "counted in",
        "tokens a second",
        "memory before",
        "at most",
        "on disk",
        "a query's vector",
    ]
    all_pairs = [[f"{one['queries']:,}", f"{one['built']:.0f} s", f"{one['seconds']:.0f} s",
                  f"{1000 * one['seconds'] / one['queries']:.2f} ms", f"{one['pairs']:,}", f"{one['peak']:,.0f} MB"]
                 for one in pairs]  # fmt: skip
    return "\n\n".join([
        f"Measure `{MEASURE}`, {os.cpu_count()} cores; the documents of both corpora, every tenth and all.",
        table(head, rows),
        f"The nearest {K} of every query of the repository (`querykin match --all-pairs`), whole corpus:",
        table(["queries", "rows and index", "all pairs", "a query", "pairs found", "memory at most"], all_pairs),
    ])  # fmt: skip


def _documents(whole: Workspace, share: int) -> Iterable[Any]:
    for segment in whole.corpus.segments:
        yield from (segment.document(place) for place in range(0, len(segment), share))


def _queries(count: int) -> list[str]:
    repository = web_queries(data.workspace()).repository
    return repository.queries(islice(repository.living(), 0, None, max(1, len(repository) // count)))


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _apart(what: str, share: int) -> dict[str, Any]:
    """One figure from another process."""
    command = [sys.executable, "-m", "reproduce.company_cost", what, str(share)]
    done = subprocess.run(command, cwd=data.ROOT, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print("  ", what, share, found, flush=True)
    return found


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps({"counted": counted, "paired": paired}[sys.argv[1]](int(sys.argv[2]))))
    else:
        data.show(report)
