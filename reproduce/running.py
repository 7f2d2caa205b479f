"""Running the sections of a file: those of a paper in one process, two processes at a time."""

import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from multiprocessing import get_context

from querykin import Workspace, __version__
from reproduce import data, judged, what_reproduces
from reproduce.chorus import catalogue
from reproduce.markdown import table
from reproduce.published import PublishedOrdering
from reproduce.sections import FILES, Report

WORKERS = 2  # a section uses one core most of the time


@dataclass(frozen=True)
class Done:
    """A section that has been run."""

    text: str
    seconds: float  # of processor time
    orderings: list[PublishedOrdering]


def whole(workspace: Workspace, name: str) -> tuple[str, list[PublishedOrdering]]:
    """All sections of a file, with the processor time of each, and the published orderings of their methods."""
    start = time.perf_counter()
    for attributes in (True, False):
        catalogue(attributes)  # built here, because several sections read it
    with ProcessPoolExecutor(WORKERS, get_context("spawn")) as processes:
        found = [each for some in processes.map(partial(_run_some, name), by_paper(name)) for each in some]
    minutes = (time.perf_counter() - start) / 60
    times = [[each[0], f"{done.seconds:,.0f}"] for each, done in zip(FILES[name], found, strict=True)]
    timed = "## Processor time\n\nSeconds of all cores:\n\n" + table(["section", "seconds"], times)
    text = "\n\n".join([_head(workspace, name, minutes), *(done.text for done in found), timed]) + "\n"
    return text, [ordering for done in found for ordering in done.orderings]


def by_paper(name: str) -> list[list[int]]:
    """The numbers of the sections of a file, those of a paper together: they share what they compute."""
    return [
        [place for place, _ in some]
        for _, some in groupby(enumerate(FILES[name]), lambda each: each[1][0].partition(",")[0])
    ]


def _run_some(name: str, places: list[int]) -> list[Done]:
    workspace, found = data.workspace(), []
    for place in places:
        section = FILES[name][place]
        text, seconds = run(workspace, *section)
        start = _processor_time()
        orderings = what_reproduces.orderings_of(section[1], workspace)
        found.append(Done(text, seconds + _processor_time() - start, orderings))
    return found


def _head(workspace: Workspace, wanted: str, minutes: float) -> str:
    settings = "\n".join(
        f"- `{name}`: `{workspace.measure(name)!r}`" for name in judged.static_measures(workspace)
    )
    return f"""# {wanted.title()}

Written by `python -m reproduce {wanted}` with querykin {__version__} in {minutes:.0f} minutes on {os.cpu_count()} cores (scores cached by
earlier runs are not recomputed); set `QUERYKIN_DATA` to the folder of the data. The paragraphs under "Reading" are written by hand;
a run fails where one has a figure that its tables have not. An interval in brackets is the 95 % bootstrap interval over
groups (queries, needs); a difference counts only where the interval excludes 0.

Corpus: Simple English Wikipedia (2021) and the oldest articles of English Wikipedia (2015, their first 4,000
characters): {data.build_facts()}.

Settings, all defaults:

{settings}
- expansion: windows of {workspace.expander.window} characters; a text is covered when its results hold \
{workspace.expander.idf_coverage:.0%} of its idf mass"""


def run(workspace: Workspace, title: str, module: str, report: Report, reading: str) -> tuple[str, float]:
    """One section, and the processor time it took; it may not write into the shared workspace."""
    print(f"\n## {title}\n", flush=True)
    before, start = data.manifests(workspace), _processor_time()
    text = report(workspace)
    seconds = _processor_time() - start
    print(f"{text}\n\n({seconds:.0f} s of processor time)", flush=True)
    if data.manifests(workspace) != before:
        sys.exit(f"{module} wrote into the workspace that all sections read; use data.linked")
    return f"## {title}\n\n`python -m reproduce.{module}`\n\n{text}{reading_below(reading)}", seconds


def _processor_time() -> float:
    """Of this process and of those that it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def reading_below(reading: str) -> str:
    return f"\n\n### Reading\n\n{reading.strip()}" if reading else ""
