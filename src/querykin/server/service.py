"""Requests computed by a pool of threads over the newest snapshot of the workspace, within limits."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import TypeVar

from querykin.errors import WorkspaceError
from querykin.server.cluster_catalog import ClusterCatalog
from querykin.server.jobs.queue import Jobs
from querykin.server.judgement_store import JudgementStore
from querykin.server.problems import HTTPProblem
from querykin.server.snapshot import Snapshot, modification_stamps, state_of
from querykin.settings import ServerSettings
from querykin.storage.locations import bring_up_to_date
from querykin.workspace import Workspace

POLL_SECONDS = 0.5  # seconds between two looks at what is on disk
REMOTE_POLL_SECONDS = 5  # seconds between two listings of what is in object storage
T = TypeVar("T")
_log = logging.getLogger("querykin.server")


class Service:
    """A workspace that serves many clients.

    `snapshot` is replaced as a whole when something new was built; requests in flight keep the old one.
    """

    def __init__(self, workspace: Workspace, settings: ServerSettings) -> None:
        self.workspace, self.settings = workspace, settings
        self.judgements = JudgementStore(workspace.path, settings.judgements)
        self.jobs = Jobs(workspace, settings)
        self.clusters = ClusterCatalog()
        self.ready = False
        self._touched = modification_stamps(workspace.path)
        self.snapshot = Snapshot.open(workspace, settings.cache)
        self._pool = ThreadPoolExecutor(settings.threads, "answer")
        self._busy, self._counting, self._renewing = 0, Lock(), Lock()

    async def run(self, work: Callable[[Snapshot], T], timeout: float | None = None) -> T:
        """Run work on the newest snapshot in a thread; an HTTPProblem above the limits.

        `timeout` takes the place of that of the settings.
        """
        return await self._in_thread(lambda: self._attempt(work), timeout)

    async def call(self, work: Callable[[], T]) -> T:
        """Run work that needs no snapshot in a thread, within the same limits."""
        return await self._in_thread(work)

    async def _in_thread(self, work: Callable[[], T], timeout: float | None = None) -> T:
        timeout = timeout or self.settings.timeout
        with self._counting:
            if self._busy >= self.settings.concurrency:
                raise HTTPProblem(
                    503, f"{self._busy} requests are under way; try again", "busy", {"Retry-After": "1"}
                )
            self._busy += 1
        job: Future[T] = self._pool.submit(work)
        job.add_done_callback(self._finished)  # the thread's end, not the client's: work cannot be cut short
        try:
            return await asyncio.wait_for(asyncio.wrap_future(job), timeout)
        except TimeoutError:
            allowed = f"{timeout:g} seconds"
            raise HTTPProblem(
                504, f"the answer took longer than {allowed}; ask for less at once", "timeout"
            ) from None

    def _finished(self, _: Future[T]) -> None:
        with self._counting:
            self._busy -= 1

    def _attempt(self, work: Callable[[Snapshot], T]) -> T:
        """Run work, a second time if it failed on a snapshot that a writer has replaced."""
        snapshot = self.snapshot
        try:
            return work(snapshot)
        except (WorkspaceError, FileNotFoundError):
            if not self.refresh() and self.snapshot is snapshot:
                raise
        return work(self.snapshot)

    def refresh(self) -> bool:
        """Open the state on disk if it is new; returns whether it was."""
        with self._renewing:
            bring_up_to_date(self.workspace.path, REMOTE_POLL_SECONDS)
            now = modification_stamps(self.workspace.path)
            if now == self._touched:
                return False
            new = state_of(self.workspace.path) != self.snapshot.state
            if new:
                snapshot = Snapshot.open(self.workspace, self.settings.cache)
                warm(snapshot)
                self.snapshot = snapshot
                _log.info("a new state of the workspace")
            self._touched = now
            return new

    async def watch(self) -> None:
        """Refresh until cancelled; a state that cannot be opened is logged once, the last good one stays."""
        last_error = ""
        while True:
            await asyncio.sleep(POLL_SECONDS)
            try:
                await asyncio.to_thread(self.refresh)
                last_error = ""
            except Exception as error:  # no error may end the polling
                if str(error) != last_error:
                    last_error = str(error)
                    _log.error(
                        "the new state of the workspace cannot be opened", extra={"reason": last_error}
                    )

    def start(self) -> None:
        """Compile and load what the first request would wait for."""
        warm(self.snapshot)
        self.ready = True

    def close(self) -> None:
        """Stop jobs, and wait for requests in flight."""
        self.ready = False
        self.jobs.close()
        self._pool.shutdown(cancel_futures=True)
        self.judgements.close()


def warm(snapshot: Snapshot) -> None:
    """Run each kind of request once: kernels are compiled and files are mapped."""
    known = snapshot.repository.live_ids()
    text = snapshot.repository.query(int(known[0])) if len(known) else "a text"
    # Pretrained models take a lot of memory: they are loaded on first use.
    own = [name for name in snapshot.measures if not snapshot.workspace.requirements(name).packages]
    snapshot.score([(text, text)], own)
    snapshot.workspace.spelling.warm_up()
    if len(snapshot.workspace.corpus):
        snapshot.search(text)
    for name in snapshot.searching:
        snapshot.suggest(text, measure=name)
        snapshot.match([text, text], measure=name)
        snapshot.explain(text, text, name)
    snapshot.examples  # noqa: B018  # chosen before the first visitor
