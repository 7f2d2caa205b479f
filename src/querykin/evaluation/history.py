"""The history of evaluations of a workspace: the latest runs, with their tables and plots."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from xxhash import xxh3_64_hexdigest

from querykin.errors import DamagedFile, InputError, UnknownName
from querykin.evaluation.outcome import EvaluationOutcome
from querykin.evaluation.previous_run import PreviousRun, read_previous_run
from querykin.evaluation.report import content
from querykin.evaluation.tables import as_json
from querykin.evaluation.verdict import METRIC, verdict
from querykin.storage.atomic_write import create_folder
from querykin.storage.checked_json import verified_json, with_checksum
from querykin.storage.published_files import publish_bytes, publish_text, remove_file
from querykin.untrusted_json import read_json

MAX_RUNS = 20  # older ones are deleted
COMPARE_PAGE = "../compare"  # as seen from /report/run, under whatever path the service is
MAX_GROUPS = 20_000  # values by group, which tests against a later run need, are stored up to this many


@dataclass(frozen=True)
class StoredRun:
    """An evaluation on disk: ID.json as of `evaluate --format json`, ID.html with its tables and plots."""

    path: Path

    @property
    def id(self) -> str:
        """The time of the evaluation, which is the name of its files."""
        return self.path.stem

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """What was evaluated, when, and the results."""
        try:
            return verified_json(dict(read_json(self.path)), self.path, required=False)
        except (OSError, ValueError, TypeError) as error:
            raise InputError(f"{self.path} is not an evaluation ({error}); remove it") from error

    @property
    def best_first(self) -> list[Mapping[str, Any]]:
        """The results of its measures, by decreasing nDCG."""
        return sorted(self.facts["results"], key=lambda each: -(each.get(METRIC) or 0.0))

    @property
    def report(self) -> str:
        """Its tables and plots as an HTML fragment; empty if they were not stored."""
        page, checksum = self.path.with_suffix(".html"), self.facts.get("report_checksum")
        if not page.is_file():
            if checksum:
                raise DamagedFile(page, "it is missing")
            return ""
        raw = page.read_bytes()
        if checksum and xxh3_64_hexdigest(raw) != checksum:
            raise DamagedFile(page, "it differs from what was written")
        return raw.decode("utf-8", "replace")

    def results(self) -> PreviousRun:
        """The metrics, for comparisons."""
        return read_previous_run(self.path)


def store_run(folder: Path, outcome: EvaluationOutcome, name: str) -> StoredRun:
    """Store an evaluation of the judgements called `name`, and delete the oldest ones."""
    create_folder(folder)
    now = datetime.now(UTC)
    path = folder / f"{now:%Y-%m-%dT%H-%M-%S-%f}.json"
    facts: dict[str, Any] = {
        "file": name,
        "at": now.isoformat(timespec="seconds"),
        "seen": list(outcome.seen),
        "verdict": verdict(outcome.evaluation),
    }
    facts |= as_json(outcome.evaluation)
    if outcome.evaluation.groups > MAX_GROUPS:
        del facts["by_group"]
    report = content(outcome, COMPARE_PAGE).encode("utf-8", "replace")
    facts["report_checksum"] = xxh3_64_hexdigest(report)
    publish_bytes(path.with_suffix(".html"), report)
    publish_text(path, json.dumps(with_checksum(facts), ensure_ascii=False))
    for old in stored_runs(folder)[MAX_RUNS:]:
        remove_file(old.path)
        remove_file(old.path.with_suffix(".html"))
    return StoredRun(path)


def stored_runs(folder: Path) -> list[StoredRun]:
    """The evaluations in a folder, the newest first; files put there by hand are included."""
    return [StoredRun(path) for path in sorted(folder.glob("*.json"), reverse=True)]


def find_stored_run(folder: Path, name: str) -> StoredRun:
    """One evaluation by its id."""
    runs = {run.id: run for run in stored_runs(folder)}
    if name not in runs:
        raise UnknownName("evaluation", name, runs)
    return runs[name]


def previous_run(run: StoredRun, runs: Sequence[StoredRun]) -> StoredRun | None:
    """The evaluation that a run is best compared with, among runs that are sorted newest first.

    It is the newest earlier one of the same judgements; else of a file or task of the same name, which may
    have got more judgements; else the newest earlier one.
    """
    earlier = [each for each in runs if each.id < run.id]
    for key in ("judgements", "file"):
        for each in earlier:
            if run.facts.get(key) and each.facts.get(key) == run.facts[key]:
                return each
    return earlier[0] if earlier else None
