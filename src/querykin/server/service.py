"""Who computes? Threads over the newest snapshot of the workspace, so many at once and so long at most."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import TypeVar

from querykin.errors import WorkspaceError
from querykin.measures.embedding import EmbeddingMeasure
from querykin.server.judgement_store import JudgementStore
from querykin.server.problems import HTTPProblem
from querykin.server.settings import Settings
from querykin.server.snapshot import Snapshot, modification_stamps, state_of
from querykin.workspace import Workspace

POLL_SECONDS = 0.5  # seconds between two looks at what is on disk
T = TypeVar("T")
_log = logging.getLogger("querykin.server")


class Service:
    """A workspace that answers many people at once.

    `snapshot` is replaced as a whole when something new was built; whoever works with the old one goes on.
    """

    def __init__(self, workspace: Workspace, settings: Settings) -> None:
        self.workspace, self.settings = workspace, settings
        self.judgements = JudgementStore(workspace.path)
        self.ready = False
        self._touched = modification_stamps(workspace.path)
        self.snapshot = Snapshot.open(workspace, settings.cache)
        self._pool = ThreadPoolExecutor(settings.threads, "answer")
        self._busy, self._counting, self._renewing = 0, Lock(), Lock()

    async def run(self, work: Callable[[Snapshot], T]) -> T:
        """Do work on the newest snapshot in a thread; a Problem where that is too much or too long."""
        return await self._in_thread(lambda: self._attempt(work))

    async def call(self, work: Callable[[], T]) -> T:
        """Do work that needs no snapshot in a thread, under the same bounds."""
        return await self._in_thread(work)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        with self._counting:
            if self._busy >= self.settings.concurrency:
                raise HTTPProblem(
                    503, f"{self._busy} requests are under way; try again", "busy", {"Retry-After": "1"}
                )
            self._busy += 1
        job: Future[T] = self._pool.submit(work)
        job.add_done_callback(self._finished)  # the thread's end, not the client's: work cannot be cut short
        try:
            return await asyncio.wait_for(asyncio.wrap_future(job), self.settings.timeout)
        except TimeoutError:
            allowed = f"{self.settings.timeout:g} seconds"
            raise HTTPProblem(
                504, f"the answer took longer than {allowed}; ask for less at once", "timeout"
            ) from None

    def _finished(self, _: Future[T]) -> None:
        with self._counting:
            self._busy -= 1

    def _attempt(self, work: Callable[[Snapshot], T]) -> T:
        """A second try, if the first one failed on a snapshot that a writer has left behind."""
        snapshot = self.snapshot
        try:
            return work(snapshot)
        except (WorkspaceError, FileNotFoundError):
            if not self.refresh() and self.snapshot is snapshot:
                raise
        return work(self.snapshot)

    def refresh(self) -> bool:
        """Look at what is on disk, and open it if it is new; says whether it was."""
        with self._renewing:
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
        """Renew for ever; a state that cannot be opened is told once, and the last good one stays."""
        as_problem = ""
        while True:
            await asyncio.sleep(POLL_SECONDS)
            try:
                await asyncio.to_thread(self.refresh)
                as_problem = ""
            except Exception as error:  # whatever it is, it must not end the looking
                if str(error) != as_problem:
                    as_problem = str(error)
                    _log.error(
                        "the new state of the workspace cannot be opened", extra={"reason": as_problem}
                    )

    def start(self) -> None:
        """Compile and load everything that the first request would wait for."""
        warm(self.snapshot)
        self.ready = True

    def close(self) -> None:
        """Wait for work under way."""
        self.ready = False
        self._pool.shutdown(cancel_futures=True)
        self.judgements.close()


def warm(snapshot: Snapshot) -> None:
    """Ask once for what people will ask: compiled loops are loaded, files are mapped."""
    known = snapshot.repository.live_ids()
    text = snapshot.repository.query(int(known[0])) if len(known) else "a text"
    # Models of other people take a lot of memory: they are loaded for the first who asks for one.
    own = [
        name for name in snapshot.measures if not issubclass(snapshot.workspace.kind(name), EmbeddingMeasure)
    ]
    snapshot.score([(text, text)], own)
    for name in snapshot.searching:
        snapshot.suggest(text, measure=name)
        snapshot.match([text, text], measure=name)
        snapshot.explain(text, text, name)
