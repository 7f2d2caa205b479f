"""A real browser before a real service: Debian's Chromium, driven by Playwright, and `querykin serve`."""

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
from querykin.server.judgement_store import JudgementStore
from querykin.server.pooling import pool
from querykin.server.snapshot import Snapshot
from topics import DOCUMENTS, FACTS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page

CHROMIUM = shutil.which("chromium")
PROGRAM = str(Path(sys.executable).with_name("querykin"))
FLAGS = (
    "--no-sandbox",  # a container's root may not make one
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
QUERIES = [(title, 1 + number) for facts in FACTS.values() for number, (title, _) in enumerate(facts)]


@pytest.fixture(scope="session")
def stocked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """63 documents, two of them hostile, past queries, and the indexes of three measures."""
    workspace = Workspace.open(tmp_path_factory.mktemp("browser") / "workspace")
    workspace.corpus.add([*DOCUMENTS, *odd_inputs.DOCUMENTS])
    workspace = workspace.reopen()
    workspace.repository.add([*QUERIES, *odd_inputs.QUERIES])
    workspace = workspace.reopen()
    for name in ("web-kernel", "jaccard-stems", "edit"):
        workspace.build(name)
    return workspace.path


@dataclass(frozen=True)
class Site:
    """The service as a process of its own, over a workspace that its tests may change."""

    address: str
    workspace: Path

    def at(self, path: str, **values: str) -> str:
        """A full address."""
        return self.address + path + (f"?{urlencode(values)}" if values else "")


@pytest.fixture(scope="module")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Path], Site]]:
    """Starts services; all are stopped at the end."""
    started: list[subprocess.Popen[str]] = []

    def start(workspace: Path) -> Site:
        log = tmp_path_factory.mktemp("log") / "serve.log"
        with log.open("w") as written:
            command = [PROGRAM, "serve", "--port", "0", "--workspace", str(workspace)]
            process = subprocess.Popen(command, stdout=written, stderr=written, text=True)
        started.append(process)
        return Site(_address(process, log), workspace)

    yield start
    for process in started:
        process.terminate()
        process.wait(30)


def _address(process: "subprocess.Popen[str]", log: Path) -> str:
    """Where the service listens, as soon as it is ready."""
    for _ in range(600):
        text = log.read_text()
        found = re.search(r"on (http://127\.0\.0\.1:\d+)/", text)
        if found and "startup complete" in text:
            return found[1]
        assert process.poll() is None, text
        time.sleep(0.1)
    raise AssertionError(f"the service did not start: {log.read_text()}")


@pytest.fixture(scope="module")
def site(serve: Callable[[Path], Site], stocked: Path, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The service over a copy of the stocked workspace, for the tests of a module."""
    return serve(Path(shutil.copytree(stocked, tmp_path_factory.mktemp("site") / "workspace")))


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    """Debian's Chromium; Playwright's own browsers are never downloaded."""
    api = pytest.importorskip("playwright.sync_api", reason="no playwright here; next: make test-browser")
    if CHROMIUM is None:
        pytest.skip("no chromium here; next: make test-browser")
    with api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield opened
        opened.close()


@dataclass
class Watched:
    """What a page must not do: complain, or ask anybody else."""

    complaints: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)


@pytest.fixture
def opened(browser: "Browser", site: Site) -> Iterator[Callable[..., "Page"]]:
    """Opens pages in contexts of their own; afterwards none may have complained or asked another host."""
    watched, contexts = Watched(), []

    def new(expected: tuple[int, ...] = (), **options: object) -> "Page":
        context = browser.new_context(**options)
        context.set_default_timeout(60_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: _note(watched, message, expected))
        page.on("pageerror", lambda error: watched.complaints.append(str(error)))
        page.on("request", lambda request: _look(watched, request.url))
        return page

    yield new
    for context in contexts:
        context.close()
    assert watched.complaints == []
    assert watched.foreign == []


def _note(watched: Watched, message: "ConsoleMessage", expected: tuple[int, ...]) -> None:
    told = any(f"status of {status}" in message.text for status in expected)
    if message.type in ("error", "warning") and not told:
        watched.complaints.append(message.text)


def _look(watched: Watched, url: str) -> None:
    if urlsplit(url).hostname not in ("127.0.0.1", None) and not url.startswith("data:"):
        watched.foreign.append(url)


@pytest.fixture
def page(opened: Callable[..., "Page"]) -> "Page":
    """One page at desktop size."""
    return opened(viewport={"width": 1200, "height": 900})


@pytest.fixture(scope="module")
def filled(site):
    """The site with a task, judgements of two raters and two evaluations."""
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
    store.close()
    return site
