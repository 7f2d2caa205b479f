"""The queue of jobs: started by any worker, run one at a time per workspace, cancelled by any worker."""

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from multiprocessing import get_context
from multiprocessing.context import SpawnProcess
from threading import Event, Thread, current_thread
from typing import Any

from filelock import FileLock, Timeout

from querykin.errors import WorkspaceError
from querykin.server.jobs.child import run_job
from querykin.server.jobs.job import Job, State, Step
from querykin.server.jobs.kinds import job_kinds
from querykin.server.jobs.record import JobRecord, records
from querykin.server.not_found import NotFound
from querykin.settings_sections import ServerSettings
from querykin.storage.sqlite_files import PRIVATE
from querykin.storage.store import is_writable
from querykin.workspace import Workspace

MAX_RECORDS = 50  # older finished jobs are removed
MAX_QUEUED = 20
POLL_SECONDS = 0.2
_log = logging.getLogger("querykin.server")
_GRACE_SECONDS = 5  # between SIGTERM and SIGKILL


class Jobs:
    """The jobs of a workspace.

    Each job is supervised by a thread of the worker that started it: the thread waits for its turn, starts
    the child process and ends it when it is cancelled or the service stops. A worker that dies takes its jobs
    with it; they are then interrupted, and can be run again.
    """

    def __init__(
        self,
        workspace: Workspace,
        settings: ServerSettings,
        allow_writing: Callable[[], None] = lambda: None,
    ) -> None:
        self._allow_writing = allow_writing
        self._path, self._settings = workspace.path, replace(workspace.settings, server=settings)
        self._folder = workspace.path / "jobs"
        self._stopping, self._supervisors = Event(), set[Thread]()

    def start(self, kind: str, arguments: Mapping[str, Any]) -> Job:
        """Put a job into the queue; WorkspaceError if the workspace is read-only or the queue is full."""
        found = job_kinds[kind]
        self._allow_writing()
        if not is_writable(self._folder):
            raise WorkspaceError(
                f"{self._path} is not writable, so no job can run in it; next: grant write permission, or "
                "serve a copy"
            )
        waiting = sum(job.state is State.QUEUED for job in self.recent())
        if waiting >= MAX_QUEUED:
            raise WorkspaceError(f"{waiting} jobs are waiting already; next: cancel one, or try again later")
        try:
            self._remove_old()
            record = JobRecord.new(self._folder)
            lock = record.lock()
            lock.acquire()
            record.describe(kind, found.title(arguments), arguments, found.origin(arguments))
        except OSError as error:
            raise WorkspaceError(f"cannot write to {self._folder}: {error.strerror or error}") from error
        supervisor = Thread(target=self._supervise, args=(record, lock, found.run.__module__), daemon=True)
        self._supervisors.add(supervisor)
        supervisor.start()
        return record.read()

    def find(self, job_id: str) -> Job:
        """A job by id; NotFound if there is none."""
        return self._record(job_id).read()

    def recent(self) -> list[Job]:
        """All jobs on record, the newest first, without records that are damaged or removed meanwhile."""
        jobs = []
        for record in records(self._folder):
            with suppress(NotFound):
                jobs.append(record.read())
        return jobs

    def cancel(self, job_id: str) -> None:
        """Stop a job, whichever worker runs it; one that has ended stays as it is."""
        record = self._record(job_id)
        if not record.read().state.is_final:
            record.request_cancel()

    def run_again(self, job_id: str) -> Job:
        """Start a new job with the same arguments."""
        job = self.find(job_id)
        return self.start(job.kind, job.arguments)

    def close(self) -> None:
        """End all child processes of this worker: their jobs are interrupted."""
        self._stopping.set()
        for supervisor in list(self._supervisors):
            supervisor.join()

    def _record(self, job_id: str) -> JobRecord:
        known = {record.id: record for record in records(self._folder)}
        if job_id not in known:
            raise NotFound(f"there is no job {job_id[:60]!r}; the newest {MAX_RECORDS} are kept")
        return known[job_id]

    def _remove_old(self) -> None:
        for record in records(self._folder)[MAX_RECORDS - 1 :]:
            if record.read().state.is_final:
                record.remove()

    def _supervise(self, record: JobRecord, lock: FileLock, module: str) -> None:
        turn = FileLock(self._folder / "lock", timeout=0, mode=PRIVATE)
        try:
            if self._wait_for_turn(record, turn):
                self._run(record, module)
            if record.cancel_requested:
                record.finish(State.CANCELLED)
        except OSError as error:  # the workspace is gone
            _log.error(
                "the record of a job cannot be written", extra={"job": record.id, "reason": str(error)}
            )
        finally:
            turn.release()
            lock.release()
            self._supervisors.discard(current_thread())

    def _wait_for_turn(self, record: JobRecord, turn: FileLock) -> bool:
        """Wait until nothing runs and no older job waits; False if the job must not run any more."""
        while not self._must_stop(record):
            queued = [job.id for job in self.recent() if job.state is State.QUEUED]
            if queued[-1:] == [record.id]:
                with suppress(Timeout):
                    turn.acquire()
                    return True
            self._stopping.wait(POLL_SECONDS)
        return False

    def _must_stop(self, record: JobRecord) -> bool:
        return self._stopping.is_set() or record.cancel_requested

    def _run(self, record: JobRecord, module: str) -> None:
        record.report(Step("starting"))
        arguments = self._path, self._settings, record, module
        process = get_context("spawn").Process(target=run_job, args=arguments, daemon=True)
        process.start()
        while process.is_alive():
            process.join(POLL_SECONDS)
            if self._must_stop(record):
                _end(process)
                return
        if code := process.exitcode:
            ended = f"signal {-code}" if code < 0 else f"code {code}"
            error = f"its process ended with {ended}; see the service's log, and run it again"
            record.finish(State.INTERRUPTED, error=error)


def _end(process: SpawnProcess) -> None:
    process.terminate()
    process.join(_GRACE_SECONDS)
    if process.is_alive():
        process.kill()
        process.join()
