"""Fixtures: Debian's Chromium, driven by Playwright, and a `querykin serve` process."""

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urlsplit

import pytest

import odd_inputs
from querykin import Workspace
from querykin.clustering.thresholds import lowest_threshold
from querykin.defaults import DEFAULT_MEASURE
from querykin.learning.combination.training import CombinationTask, train_combination
from querykin.querylog.counted_queries import CountedQueries
from querykin.server.jobs.job import State
from querykin.server.jobs.record import JobRecord
from querykin.server.judgement_store import JudgementStore
from querykin.server.pooling import pool
from querykin.server.snapshot import Snapshot
from topics import DOCUMENTS, FACTS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page

CHROMIUM = shutil.which("chromium")
PROGRAM = str(Path(sys.executable).with_name("querykin"))
FLAGS = (
    "--no-sandbox",  # root in a container cannot create one
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
QUERIES = [(title, 1 + number) for facts in FACTS.values() for number, (title, _) in enumerate(facts)]


@pytest.fixture(scope="session")
def built_workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Workspace with 63 documents, two of them hostile, past queries, and indexes; tests copy it."""
    workspace = Workspace.open(tmp_path_factory.mktemp("browser") / "workspace")
    workspace.corpus.add([*DOCUMENTS, *odd_inputs.DOCUMENTS])
    workspace = workspace.reopen()
    workspace.repository.add([*QUERIES, *odd_inputs.QUERIES])
    workspace = workspace.reopen()
    for name in (DEFAULT_MEASURE, "jaccard-stems", "edit"):
        workspace.build(name)
    return workspace.path


@dataclass(frozen=True)
class Site:
    """A running service over a workspace that tests may change."""

    origin: str
    workspace: Path

    def url(self, path: str, **parameters: str) -> str:
        """Full URL of a path with parameters."""
        return self.origin + path + (f"?{urlencode(parameters)}" if parameters else "")


@pytest.fixture(scope="module")
def start_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Path], Site]]:
    """Function that starts services; all are stopped at the end."""
    started: list[subprocess.Popen[str]] = []

    def start(workspace: Path) -> Site:
        log = tmp_path_factory.mktemp("log") / "serve.log"
        with log.open("w") as output:
            command = [PROGRAM, "serve", "--port", "0", "--workspace", str(workspace)]
            process = subprocess.Popen(command, stdout=output, stderr=output, text=True)
        started.append(process)
        return Site(_wait_for_origin(process, log), workspace)

    yield start
    for process in started:
        process.terminate()
        process.wait(30)


def _wait_for_origin(process: "subprocess.Popen[str]", log: Path) -> str:
    """Origin of the service, once it is ready."""
    for _ in range(600):
        text = log.read_text()
        match = re.search(r"on (http://127\.0\.0\.1:\d+)/", text)
        if match and "startup complete" in text:
            return match[1]
        assert process.poll() is None, text
        time.sleep(0.1)
    raise AssertionError(f"the service did not start: {log.read_text()}")


@pytest.fixture(scope="module")
def site(
    start_service: Callable[[Path], Site], built_workspace: Path, tmp_path_factory: pytest.TempPathFactory
) -> Site:
    """Service over a copy of the built workspace, shared by the tests of a module."""
    return start_service(
        Path(shutil.copytree(built_workspace, tmp_path_factory.mktemp("site") / "workspace"))
    )


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    """Debian's Chromium; Playwright does not download browsers."""
    api = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed; next: make test-browser"
    )
    if CHROMIUM is None:
        pytest.skip("chromium is not installed; next: make test-browser")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()


@dataclass
class Violations:
    """What a page must not do: log errors, or send requests to other hosts."""

    console_errors: list[str] = field(default_factory=list)
    foreign_requests: list[str] = field(default_factory=list)


@pytest.fixture
def open_page(browser: "Browser", site: Site) -> Iterator[Callable[..., "Page"]]:
    """Function that opens pages in new contexts; at the end none may have violations."""
    violations, contexts = Violations(), []

    def new(expected_statuses: tuple[int, ...] = (), **options: object) -> "Page":
        context = browser.new_context(**options)
        context.set_default_timeout(60_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: _check_message(violations, message, expected_statuses))
        page.on("pageerror", lambda error: violations.console_errors.append(str(error)))
        page.on("request", lambda request: _check_host(violations, request.url))
        return page

    yield new
    for context in contexts:
        context.close()
    assert violations.console_errors == []
    assert violations.foreign_requests == []


def _check_message(
    violations: Violations, message: "ConsoleMessage", expected_statuses: tuple[int, ...]
) -> None:
    is_expected = any(f"status of {status}" in message.text for status in expected_statuses)
    if message.type in ("error", "warning") and not is_expected:
        violations.console_errors.append(message.text)


def _check_host(violations: Violations, url: str) -> None:
    if urlsplit(url).hostname not in ("127.0.0.1", None) and not url.startswith("data:"):
        violations.foreign_requests.append(url)


@pytest.fixture
def page(open_page: Callable[..., "Page"]) -> "Page":
    """A page at desktop size."""
    return open_page(viewport={"width": 1200, "height": 900})


KEYWORDS = [
    ("garden hose", 1000), ("hose for gardens", 500), ("garden hoses", 80), ("apple pie", 90),
    ("apple pie recipe", 10), ("apple pies", 4), ("java island", 1), *odd_inputs.QUERIES,
]  # fmt: skip


@pytest.fixture(scope="module")
def keyword_list(site: Site) -> str:
    """The id of a keyword list whose keywords are compared by static."""
    workspace = Workspace.open(site.workspace)
    listed = workspace.keyword_lists.add("Queries.csv", CountedQueries.collect(KEYWORDS))
    workspace.open_keyword_list(listed.id).neighbor_graph("static", lowest_threshold("static"))
    return listed.id


@pytest.fixture(scope="module")
def judged_site(site):
    """Site with a task, judgements of two raters, two evaluations, a trained measure and a failed job."""
    store, snapshot = JudgementStore(site.workspace), Snapshot.open(Workspace.open(site.workspace))
    queries = ["space exploration", "java island", "baseball pitcher", "apple pie"]
    items = pool(snapshot, queries, ["web-kernel", "jaccard-stems"], 4, "seen")
    store.create("spring range", "quality", ["web-kernel", "jaccard-stems"], items)
    for number, item in enumerate(items):
        store.record(item.query, item.candidate, number % 4, "Ann", "spring range")
        if number % 3:
            store.record(item.query, item.candidate, (number + number // 5) % 4, "Ben", "spring range")
    rows = [
        f"{each.query}\t{each.candidate}\t{each.rater}\t{each.grade:g}\n"
        for each in store.given("spring range")
    ]
    judged = site.workspace.parent / "judgements.tsv"
    judged.write_text("query\tcandidate\trater\tgrade\n" + "".join(rows))
    for measures in ("jaccard-stems,web-kernel", "web-kernel,edit"):
        command = [
            PROGRAM,
            "evaluate",
            str(judged),
            "--measures",
            measures,
            "--workspace",
            str(site.workspace),
        ]
        subprocess.run(command, check=True, capture_output=True)
    store.set_needs("spring range", {"space exploration": "news of missions, not their history"})
    store.record(items[0].query, items[0].candidate, None, "Ben", "spring range", "what is meant?")
    store.close()
    training = CombinationTask(str(judged), "trained", ["web-kernel", "jaccard-stems"])
    train_combination(Workspace.open(site.workspace), training)
    job = JobRecord.new(site.workspace / "jobs")
    job.describe("evaluate", "Evaluate the judgements of “spring range”", {}, "/judge")
    job.finish(State.FAILED, error="nothing is judged in this task yet; judge some suggestions first")
    return site
