"""The child process of a job: runs its work and writes progress and outcome to its record."""

import logging
import os
import signal
from importlib import import_module
from logging.config import dictConfig
from multiprocessing import parent_process
from pathlib import Path
from threading import Thread

from querykin.errors import QuerykinError
from querykin.server.jobs.job import State
from querykin.server.jobs.kinds import job_kinds
from querykin.server.jobs.record import JobRecord
from querykin.server.jobs.recorded_progress import RecordedProgress
from querykin.server.json_logging import log_config
from querykin.settings import Settings
from querykin.storage.locations import without_location
from querykin.workspace import Workspace

NICENESS = 10  # requests come first
_log = logging.getLogger("querykin.server")


def run_job(workspace_path: Path, settings: Settings, record: JobRecord, module: str) -> None:
    """Run a job to its end; `module` registers its kind."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the service, which ends this process
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.nice(NICENESS)
    Thread(target=_end_with_parent, daemon=True).start()
    dictConfig(log_config())
    import_module(module)
    job, progress = record.read(), RecordedProgress(record)
    try:
        workspace = Workspace.open(workspace_path, settings, progress=progress)
        result = job_kinds[job.kind].run(workspace, job.arguments, progress)
    except QuerykinError as error:
        record.finish(State.FAILED, error=without_location(str(error), workspace_path))
    except Exception:
        _log.exception("a job failed", extra={"job": job.id, "kind": job.kind})
        record.finish(State.FAILED, error="internal error; see the service's log")
    else:
        record.finish(State.DONE, result)


def _end_with_parent() -> None:
    """End at once when the service is gone: all writers of a workspace are safe against that."""
    if parent := parent_process():
        parent.join()
        os._exit(1)
