"""The record of a job on disk, which every worker and a restarted service can read.

A job is a folder with `job.json` (what to do, written once), `progress.json` (how far it is, from its turn
on), `outcome.json` (how it ended, written once), `cancel` (somebody asked to stop it) and `lock`, held by the
service that runs it. A job without outcome whose lock is free was interrupted.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from shutil import rmtree
from typing import Any

from filelock import FileLock, Timeout

from querykin.errors import DamagedFile
from querykin.server.jobs.job import Job, State, Step
from querykin.server.not_found import NotFound
from querykin.storage.atomic_write import PRIVATE_FOLDER, create_folder, sync_to_disk, write_text
from querykin.storage.checked_json import verified_json, with_checksum
from querykin.storage.sqlite_files import PRIVATE
from querykin.untrusted_json import InvalidJson, read_json_as

_SERVICE_STOPPED = "the service stopped before it was done; run it again"


@dataclass(frozen=True)
class JobRecord:
    """The folder of one job."""

    path: Path

    @classmethod
    def new(cls, folder: Path) -> "JobRecord":
        """A folder for a new job; ids are in the order of creation."""
        path = folder / f"{datetime.now(UTC):%Y-%m-%dT%H-%M-%S-%f}"
        create_folder(folder, PRIVATE_FOLDER)
        path.mkdir(PRIVATE_FOLDER)
        sync_to_disk(folder)
        return cls(path)

    @property
    def id(self) -> str:
        """The time of creation, which is the name of the folder."""
        return self.path.name

    def lock(self) -> FileLock:
        """The lock that the service holds as long as it runs the job, or keeps it in its queue."""
        return FileLock(self.path / "lock", timeout=0, mode=PRIVATE, thread_local=False)

    def describe(self, kind: str, title: str, arguments: Mapping[str, Any], origin: str) -> None:
        """Write what to do; from now on the job exists for readers."""
        created = datetime.now(UTC).isoformat(timespec="seconds")
        fields = {"kind": kind, "title": title, "arguments": arguments, "origin": origin, "created": created}
        self._write("job", {**fields, "ended": False})

    def report(self, step: Step, message: str = "") -> None:
        """Write how far the work is."""
        self._write("progress", {"step": asdict(step), "message": message})

    def finish(self, state: State, result: Mapping[str, Any] | None = None, error: str = "") -> None:
        """Write how the job ended, unless that is known already."""
        if not (self.path / "outcome.json").exists():
            self._write("outcome", {"state": state, "result": dict(result or {}), "error": error})
            if description := self._read("job"):
                self._write("job", {**description, "ended": True})  # an outcome that is missing is damage

    def request_cancel(self) -> None:
        """Ask the service that runs the job to stop it."""
        (self.path / "cancel").touch(PRIVATE)

    @property
    def cancel_requested(self) -> bool:
        """Whether somebody asked to stop it."""
        return (self.path / "cancel").exists()

    def read(self) -> Job:
        """The job as it is now."""
        try:
            description = self._read("job")
            alive = (
                self._is_alive()
            )  # first: a job that ends meanwhile leaves an outcome, not an interruption
            progress, outcome = self._read("progress") or {}, self._read("outcome")
        except DamagedFile as error:
            raise NotFound(f"{error}, or remove the job") from error
        if description is None:
            raise NotFound(f"the job {self.id} was removed")
        if description.pop("ended", False) and outcome is None:
            raise NotFound(f"the outcome of the job {self.id} is missing; remove it")
        if outcome is None:
            state = (State.RUNNING if progress else State.QUEUED) if alive else State.INTERRUPTED
            outcome = {"state": state, "error": "" if alive else _SERVICE_STOPPED}
        try:
            step = Step(**progress["step"]) if progress else None
            outcome["state"] = State(outcome["state"])
            return Job(self.id, **description, step=step, message=progress.get("message", ""), **outcome)
        except (KeyError, TypeError, ValueError) as error:
            raise NotFound(f"the record of the job {self.id} is damaged ({error!r}); remove it") from error

    def _is_alive(self) -> bool:
        lock = self.lock()
        try:
            lock.acquire()
        except Timeout:
            return True
        except OSError:  # a read-only workspace: nothing runs there
            return False
        lock.release()
        return False

    def remove(self) -> None:
        """Delete the folder."""
        rmtree(self.path, ignore_errors=True)

    def _write(self, name: str, fields: Mapping[str, Any]) -> None:
        content = json.dumps(with_checksum({"id": self.id, **fields}), ensure_ascii=False)
        write_text(self.path / f"{name}.json", content, PRIVATE)

    def _read(self, name: str) -> dict[str, Any] | None:
        path = self.path / f"{name}.json"
        try:
            content = verified_json(read_json_as(path, dict[str, Any]), path)
        except FileNotFoundError:  # not there yet, or removed
            return None
        except (OSError, InvalidJson) as error:
            raise DamagedFile(path, str(error)) from error
        if content.pop("id", None) != self.id:
            raise DamagedFile(path, "it belongs to another job")
        return content


def records(folder: Path) -> list[JobRecord]:
    """The jobs in a folder, the newest first."""
    found = {path.parent for name in ("job", "outcome") for path in folder.glob(f"*/{name}.json")}
    return [JobRecord(path) for path in sorted(found, reverse=True)]
