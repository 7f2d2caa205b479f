"""Cost of distributional similarity and its growth: `python -m reproduce.cooccurrence_cost`.

A tenth and all of the corpus, a tenth and all of the web queries. Each figure comes from a separate process, so that
memory is measured separately.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from querykin import Document, Settings, Workspace
from querykin.measures import VectorMeasure
from querykin.querylog.phrase_lists import phrase_lists
from querykin.settings_sections import CooccurrenceSettings
from reproduce import data
from reproduce.markdown import table
from reproduce.memory import Watch

MEASURE = "distributional-ngrams"
VECTORS = 2000  # queries whose rows are timed
K = 10
THRESHOLD = 0.5
LIMITS = (64, 256, 1024)  # MiB
Found = dict[str, Any]


def counted(share: int) -> Found:
    """Count co-occurrences in every `share`-th document, encode some rows, and train the vectors of `latent`."""
    whole = data.workspace()
    with TemporaryDirectory() as folder:
        part = Workspace.open(folder)
        part.corpus.add(_documents(whole, share))
        part = part.reopen()
        with Watch() as counting:
            part.update_derived("distributional")
        measure = part.measure(MEASURE)
        assert isinstance(measure, VectorMeasure)
        texts = _queries(VECTORS)
        measure.encode_candidates(texts[:64])
        start = time.perf_counter()
        measure.encode_candidates(texts)
        each = (time.perf_counter() - start) / len(texts)
        with Watch() as learning:
            part.update_derived("latent")
        size = sum(
            file.stat().st_size for file in (Path(folder) / "cooccurrence").rglob("*") if file.is_file()
        )
        return {
            "tokens": part.corpus.statistics.tokens,
            "seconds": counting.seconds,
            "taken": counting.taken,
            "bytes": size,
            "vector": each,
            "latent": learning.seconds,
            "learning": learning.taken,
        }


def limited(memory: int) -> Found:
    """Count co-occurrences in all documents with a memory limit in MiB."""
    whole = data.workspace()
    with TemporaryDirectory(dir=whole.path.parent) as folder:
        (Path(folder) / "corpus").symlink_to(whole.path.resolve() / "corpus", target_is_directory=True)
        opened = Workspace.open(folder, Settings(cooccurrence=CooccurrenceSettings(memory=memory)))
        words = opened.corpus.vocabulary.count
        _load_program(Path(folder) / "small")
        phrase_lists(opened.corpus, opened.repository)  # reads all titles, which must not be timed
        with Watch() as counting:
            opened.update_derived("distributional")
        return {"memory": memory, "seconds": counting.seconds, "taken": counting.taken, "words": words}


def _load_program(folder: Path) -> None:
    """Count a tiny corpus, so that compiled code is in memory."""
    small = Workspace.open(folder)
    small.corpus.add([Document("1", "a b", "a b c"), Document("2", "", "b c d")])
    small.reopen().update_derived("distributional")


def nearest(share: int) -> Found:
    """The ten nearest of every `share`-th web query among these queries."""
    return paired(share, K, None)


def reaching(share: int) -> Found:
    """Every pair of every `share`-th web query that reaches the threshold."""
    return paired(share, None, THRESHOLD)


def paired(share: int, k: int | None, threshold: float | None) -> Found:
    """All pairs among every `share`-th web query, with the build time of their index."""
    full = data.workspace()
    with TemporaryDirectory(dir=full.path.parent) as folder:
        for name in ("corpus", "cooccurrence"):
            (Path(folder) / name).symlink_to((full.path / name).resolve(), target_is_directory=True)
        opened = Workspace.open(folder)
        numbers = full.repository.live_ids()[::share]
        opened.repository.add((query, 1) for query in full.repository.queries(numbers))
        start = time.perf_counter()
        opened.build(MEASURE)
        built = time.perf_counter() - start
        with Watch() as searching:
            listed = opened.suggester(MEASURE, threshold=threshold).all_pairs(k)
            pairs = sum(len(found.suggestions) for _, found in listed)
        return {
            "queries": len(opened.repository),
            "built": built,
            "seconds": searching.seconds,
            "pairs": pairs,
            "taken": searching.taken,
        }


def report(_: Workspace) -> str:
    """Tables of time and memory at both sizes."""
    counts, tens, pairs = (
        [_in_subprocess(what, share) for share in (10, 1)] for what in ("counted", "nearest", "reaching")
    )
    limits = [_in_subprocess("limited", memory) for memory in LIMITS]
    return "\n\n".join(
        [
            f"Measure `{MEASURE}`, {os.cpu_count()} cores; the documents of both corpora, every tenth and all; web queries, "
            "every tenth and all, over the whole corpus. Memory is what the step takes at most beside what was there before "
            "it, without files that are mapped.",
            table(
                ["", "1x", "10x", "times"],
                [
                    *_counting(*counts),
                    *_pairing(f"nearest {K}", *tens),
                    *_pairing(f"all from {THRESHOLD} on", *pairs),
                ],
            ),
            f"Counting all documents ({limits[0]['words']:,} words of vocabulary) under a limit:",
            table(
                ["limit", "counted in", "memory taken"],
                [
                    [f"{one['memory']:,} MiB", f"{one['seconds']:.1f} s", f"{one['taken']:,.0f} MiB"]
                    for one in limits
                ],
            ),
        ]
    )


def _counting(few: Found, many: Found) -> list[list[str]]:
    slow, fast = (one["tokens"] / one["seconds"] / 1e6 for one in (few, many))
    return [
        _grown("tokens", few["tokens"], many["tokens"], "{:,.0f}"),
        _grown("counted in", few["seconds"], many["seconds"], "{:.1f} s"),
        _grown("tokens a second", slow, fast, "{:.1f} M"),
        _grown("memory of counting", few["taken"], many["taken"], "{:,.0f} MiB"),
        _grown("counts on disk", few["bytes"] / 1e6, many["bytes"] / 1e6, "{:,.0f} MB"),
        _grown("a query's vector", 1000 * few["vector"], 1000 * many["vector"], "{:.2f} ms"),
        _grown("vectors of `latent` learned in", few["latent"], many["latent"], "{:.1f} s"),
        _grown("memory of learning them", few["learning"], many["learning"], "{:,.0f} MiB"),
    ]


def _pairing(what: str, few: Found, many: Found) -> list[list[str]]:
    return [
        _grown(f"all pairs, {what}: queries", few["queries"], many["queries"], "{:,.0f}"),
        _grown("rows and index", few["built"], many["built"], "{:.1f} s"),
        _grown("all pairs", few["seconds"], many["seconds"], "{:.1f} s"),
        _grown(
            "a query",
            1000 * few["seconds"] / few["queries"],
            1000 * many["seconds"] / many["queries"],
            "{:.2f} ms",
        ),
        _grown("pairs found", few["pairs"], many["pairs"], "{:,.0f}"),
        _grown("memory of all pairs", few["taken"], many["taken"], "{:,.0f} MiB"),
    ]


def _grown(what: str, few: float, many: float, form: str) -> list[str]:
    return [what, form.format(few), form.format(many), f"{many / few:.1f}" if few else "-"]


def _documents(whole: Workspace, share: int) -> Iterable[Any]:
    for segment in whole.corpus.segments:
        yield from (segment.document(place) for place in range(0, len(segment), share))


def _queries(count: int) -> list[str]:
    repository = data.workspace().repository
    return repository.queries(islice(repository.live_ids(), 0, None, max(1, len(repository) // count)))


def _in_subprocess(what: str, share: int) -> Found:
    """One measurement in a separate process."""
    command = [sys.executable, "-m", "reproduce.cooccurrence_cost", what, str(share)]
    done = subprocess.run(command, cwd=data.ROOT, capture_output=True, text=True, check=True)
    found: Found = json.loads(done.stdout.splitlines()[-1])
    print("  ", what, share, found, flush=True)
    return found


if __name__ == "__main__":
    if len(sys.argv) == 3:
        steps = {"counted": counted, "limited": limited, "nearest": nearest, "reaching": reaching}
        print(json.dumps(steps[sys.argv[1]](int(sys.argv[2]))))
    else:
        data.show(report)
