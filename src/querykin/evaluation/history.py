"""What was measured lately? The last evaluations of a workspace, with their plots."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from querykin.errors import InputError, UnknownName
from querykin.evaluation.outcome import EvaluationOutcome
from querykin.evaluation.previous_run import PreviousRun, read_previous_run
from querykin.evaluation.report import content
from querykin.evaluation.tables import as_json
from querykin.storage.atomic_write import write_text

NEWEST = 20  # evaluations that are kept
LARGEST = 20_000  # groups whose figures are kept one by one, for tests against a later evaluation


@dataclass(frozen=True)
class StoredRun:
    """An evaluation on disk: ID.json as `evaluate --format json` has it, ID.html its tables and plots."""

    path: Path

    @property
    def id(self) -> str:
        """What it is called: the time it was made."""
        return self.path.stem

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """What was evaluated, when, and what came out."""
        try:
            return dict(json.loads(self.path.read_text("utf-8")))
        except (OSError, ValueError, TypeError) as error:
            raise InputError(f"{self.path} is no evaluation ({error}); remove it") from error

    @property
    def report(self) -> str:
        """Its tables and plots, as a piece of a page; empty where they were not kept."""
        page = self.path.with_suffix(".html")
        return page.read_text("utf-8") if page.is_file() else ""

    def results(self) -> PreviousRun:
        """What `--against` compares with."""
        return read_previous_run(self.path)


def keep(folder: Path, outcome: EvaluationOutcome, name: str) -> StoredRun:
    """Keep an evaluation and let the oldest go; `name` says what was judged."""
    folder.mkdir(exist_ok=True)
    now = datetime.now(UTC)
    path = folder / f"{now:%Y-%m-%dT%H-%M-%S-%f}.json"
    facts: dict[str, Any] = {
        "file": name,
        "at": now.isoformat(timespec="seconds"),
        "seen": list(outcome.seen),
    }
    facts |= as_json(outcome.evaluation)
    if outcome.evaluation.groups > LARGEST:
        del facts["by_group"]
    write_text(path.with_suffix(".html"), content(outcome))
    write_text(path, json.dumps(facts, ensure_ascii=False))
    for old in stored_runs(folder)[NEWEST:]:
        old.path.unlink(missing_ok=True)
        old.path.with_suffix(".html").unlink(missing_ok=True)
    return StoredRun(path)


def stored_runs(folder: Path) -> list[StoredRun]:
    """The evaluations in a folder, the newest first; files put there by hand count too."""
    return [StoredRun(path) for path in sorted(folder.glob("*.json"), reverse=True)]


def find_stored_run(folder: Path, name: str) -> StoredRun:
    """One evaluation by its id."""
    found = {kept.id: kept for kept in stored_runs(folder)}
    if name not in found:
        raise UnknownName("evaluation", name, found)
    return found[name]
