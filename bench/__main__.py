"""Run the benchmarks, querykin and its peers in one process on the same data: `python -m bench [section...]`.

Sections: `top_k` (nearest rows), `suggestions` (from text to suggestions), `language_models`, `expansion`, `search`
(documents), `first_stage` (what it changes), `profile` (time by stage), `batch` (many queries on one and two cores), `size` (bytes and memory), `defaults`
(the default measures), `cluster` (neighbors of keywords; numbers of them may follow), `all_pairs` (of distributional rows; sizes may follow), `start` (processor time of fresh
processes), `service_cost` (over the library), `scaling`, `ingest` (documents, in one process and in tasks), `repository` (ten million queries; a number may
follow), `log` (ten million edges of a click graph; a number may follow), `shards` (a router over 1 to 4 processes), `verification` (of files when they are opened and first read), and only when named, since they need Java: `spark` (builds in tasks) and
`opensearch`.

Writes `bench/results/SECTION.json`, the headline ratios to `bench/results/ratios.json` and all tables to
`bench/RESULTS.md`. Data is built once (`bench.workload`), which takes most of the time of the first run.
"""

import json
import sys
from collections.abc import Callable

from bench import (
    all_pairs,
    batch,
    cluster,
    defaults,
    expansion,
    first_stage,
    ingest,
    language_models,
    log,
    opensearch,
    profile,
    repository,
    scaling,
    search,
    service_cost,
    shards,
    size,
    spark,
    start,
    suggestions,
    top_k,
    verification,
    workload,
)
from bench.machine import machine
from bench.result import FOLDER, Result
from querykin.compute.threads import limit_blas_threads

SECTIONS: dict[str, Callable[[], Result]] = {
    "top_k": top_k.run,
    "suggestions": suggestions.run,
    "language_models": language_models.run,
    "expansion": expansion.run,
    "search": search.run,
    "first_stage": first_stage.run,
    "profile": profile.run,
    "batch": batch.run,
    "size": size.run,
    "defaults": defaults.run,
    "cluster": cluster.run,
    "all_pairs": all_pairs.run,
    "start": start.run,
    "service_cost": service_cost.run,
    "scaling": scaling.run,
    "ingest": ingest.run,
    "repository": repository.run,
    "log": log.run,
    "shards": shards.run,
    "verification": verification.run,
    "spark": spark.run,
    "opensearch": opensearch.run,
}

NEED_JAVA = ("spark", "opensearch")


def main() -> None:
    """Run the named sections, or all; the tables of other sections are kept."""
    wanted = [each for each in sys.argv[1:] if not each.isdecimal()] or [
        name for name in SECTIONS if name not in NEED_JAVA
    ]
    if unknown := [name for name in wanted if name not in SECTIONS]:
        sys.exit(f"no section {unknown[0]!r}; there are {', '.join(SECTIONS)}")
    where = machine()
    for name in wanted:
        print(f"\n# {name}", flush=True)
        with limit_blas_threads():
            result = SECTIONS[name]()
        result.save(where)
        print(result.markdown(), flush=True)
    _write()


def _write() -> None:
    """Write all stored results as one page, and their ratios."""
    kept = {
        name: json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
        for name in SECTIONS
        if (FOLDER / f"{name}.json").exists()
    }
    ratios = {name: round(value, 2) for found in kept.values() for name, value in found["ratios"].items()}
    (FOLDER / "ratios.json").write_text(json.dumps(ratios, indent=1) + "\n", "utf-8")
    parts = [_HEAD.format(described=workload.described()), _table(ratios)]
    for name, found in kept.items():
        where = found["machine"]
        measured = (
            f"*{where['when']}, commit {where['commit']}, {where['processor']}, {where['cores']} cores of which "
            f"{where['cores obtained']} were obtained, {where['memory_gb']} GB, Python {where['python']}, "
            + ", ".join(f"{package} {version}" for package, version in where["packages"].items())
            + f"; `python -m bench {name}`*"
        )
        result = Result(name, found["title"], found["text"], found["header"], found["rows"], {})
        parts.append(f"{result.markdown()}\n\n{measured}")
    (FOLDER.parent / "RESULTS.md").write_text("\n\n".join(parts) + "\n", "utf-8")
    print("\nwritten: bench/RESULTS.md, bench/results/")


def _table(ratios: dict[str, float]) -> str:
    lines = [f"| {name} | {value:g} |" for name, value in ratios.items()]
    return "\n".join(["| headline | |", "|---|---|", *lines])


_HEAD = """# Benchmarks

Written by `make bench`. Data: {described}. Everything runs in one process on the same rows, and competitors take turns.
Single-threaded work is measured in processor time, so that other load on the machine does not distort the comparison.
Headlines are ratios of medians, how many times faster querykin is, except those in bytes, milliseconds and seconds. The time of a
query is the median of its repeats, three or, for suggestions, five; ± is half the range of the medians of the repeats."""


if __name__ == "__main__":
    main()
