"""Requests computed by a pool of threads over the newest snapshot of the workspace, within limits."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import TypeVar

from cachetools import LRUCache

from querykin.errors import ServiceUnavailable, WorkspaceError
from querykin.server.cluster_catalog import ClusterCatalog
from querykin.server.jobs.queue import Jobs
from querykin.server.judgement_store import JudgementStore
from querykin.server.problems import HTTPProblem
from querykin.server.shard_router import ShardRouter
from querykin.server.snapshot import Snapshot, lost_stores, modification_stamps, state_of
from querykin.server.workspace_version import workspace_version
from querykin.settings_sections import ServerSettings
from querykin.storage.locations import bring_up_to_date, without_location
from querykin.workspace import Workspace

EARLIER_SNAPSHOTS = 3  # that a shard keeps: the router changes to a new one when all shards have it
POLL_SECONDS = 0.5  # seconds between two looks at what is on disk
REMOTE_POLL_SECONDS = 5  # seconds between two listings of what is in object storage
T = TypeVar("T")
_log = logging.getLogger("querykin.server")


class Service:
    """A workspace that serves many clients.

    `snapshot` is replaced as a whole when something new was built; requests in flight keep the old one.
    With `shards` it is a router: they search, and it opens a new state once all of them have it. A workspace
    that is gone or damaged is answered from the last good snapshot; `degraded` says why.
    """

    def __init__(
        self, workspace: Workspace, settings: ServerSettings, shards: ShardRouter | None = None
    ) -> None:
        self.workspace, self.settings, self.shards = workspace, settings, shards
        self.judgements = JudgementStore(workspace.path, settings.judgements, self.require_workspace)
        self.jobs = Jobs(workspace, settings, self.require_workspace)
        self.clusters = ClusterCatalog()
        self.ready = False
        self.degraded = ""
        self._touched = modification_stamps(workspace.path)
        self.snapshot = Snapshot.open(workspace, settings.cache, shards)
        self._earlier: LRUCache[str, Snapshot] = LRUCache(EARLIER_SNAPSHOTS)  # by version
        # The threads of a router wait for shards most of the time.
        self._pool = ThreadPoolExecutor(settings.concurrency if shards else settings.threads, "answer")
        self._busy, self._counting, self._renewing, self._looking_up = 0, Lock(), Lock(), Lock()

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
        """Open the state on disk if it is new; returns whether it was. An error leaves the last good one."""
        with self._renewing:
            try:
                new = self._refresh()
            except Exception as error:
                self.degraded = without_location(str(error) or type(error).__name__, self.workspace.path)
                raise
            self.degraded = ""
            return new

    def _refresh(self) -> bool:
        path = self.workspace.path
        bring_up_to_date(path, REMOTE_POLL_SECONDS)
        now = modification_stamps(path)
        if now == self._touched:
            return False
        self.require_workspace()
        new = state_of(path) != self.snapshot.state
        if new and self.shards and not self.shards.have(workspace_version(path, self.workspace.settings)):
            return False
        if new:
            required = [name for name in self.snapshot.searching if name in self.workspace.indexes.built()]
            snapshot = Snapshot.open(self.workspace, self.settings.cache, self.shards, required)
            self._warm(snapshot)
            if self.shards and not self.shards.have(snapshot.version):
                return False  # it is newer still than the version before
            if self.workspace.shard:
                with self._looking_up:
                    self._earlier[self.snapshot.version] = self.snapshot
            self.snapshot = snapshot
            _log.info("a new state of the workspace")
        self._touched = now
        return new

    def require_workspace(self) -> None:
        """Raise ServiceUnavailable if the workspace is gone: nothing may be created in its place."""
        path = self.workspace.path
        if not path.is_dir() or lost_stores(path, self.snapshot.state):
            lost = " and ".join(lost_stores(path, self.snapshot.state)) if path.is_dir() else "its folder"
            raise ServiceUnavailable(
                f"{path} is gone ({lost} cannot be found); questions are answered from memory, "
                "nothing is stored; next: bring it back, no restart is needed"
            )

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

    def at_version(self, version: str) -> Snapshot:
        """The snapshot of a version that a router reads: the newest, or one that was asked for lately."""
        if self.snapshot.version == version:
            return self.snapshot
        with self._looking_up:
            found: Snapshot | None = self._earlier.get(version)
        if found:
            return found
        raise HTTPProblem(
            409, f"this shard has the versions {', '.join(self.versions)}, not {version[:64]!r}", "version"
        )

    @property
    def versions(self) -> list[str]:
        """The versions of the workspace that can be searched, the newest first."""
        with self._looking_up:
            return list(dict.fromkeys([self.snapshot.version, *self._earlier]))

    def start(self) -> None:
        """Compile and load what the first request would wait for."""
        self._warm(self.snapshot)
        self.ready = True

    def _warm(self, snapshot: Snapshot) -> None:
        warm_up_comparison(snapshot)
        if not self.shards:  # they may not be there yet, and warm up themselves
            warm_up_search(snapshot)

    def close(self) -> None:
        """Stop jobs, and wait for requests in flight."""
        self.ready = False
        self.jobs.close()
        self._pool.shutdown(cancel_futures=True)
        if self.shards:
            self.shards.close()
        self.judgements.close()


def _known_text(snapshot: Snapshot) -> str:
    known = snapshot.repository.live_ids()
    return snapshot.repository.query(int(known[0])) if len(known) else "a text"


def warm_up_comparison(snapshot: Snapshot) -> None:
    """Compare texts and search documents once: kernels are compiled and files are mapped."""
    text = _known_text(snapshot)
    # Pretrained models take a lot of memory: they are loaded on first use.
    own = [name for name in snapshot.measures if not snapshot.workspace.requirements(name).packages]
    snapshot.score([(text, text)], own)
    snapshot.workspace.spelling.warm_up()
    if len(snapshot.workspace.corpus):
        snapshot.search(text)


def warm_up_search(snapshot: Snapshot) -> None:
    """Search the repository once by each measure."""
    text = _known_text(snapshot)
    for name in snapshot.searching:
        snapshot.suggest(text, measure=name)
        snapshot.match([text, text], measure=name)
        snapshot.explain(text, text, name)
    snapshot.examples  # noqa: B018  # chosen before the first visitor
