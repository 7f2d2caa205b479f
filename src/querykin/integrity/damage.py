"""The integrity check of a workspace: every file against its checksum, and what to do about damage."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from querykin.clustering.hand_changes import HandChanges
from querykin.clustering.keyword_lists import KeywordLists
from querykin.engine_elsewhere import open_corpus
from querykin.errors import DamagedFile, QuerykinError, WorkspaceError
from querykin.evaluation.history import StoredRun
from querykin.integrity.inventory import Entry, Form, inventory
from querykin.judgements.integrity import problems as judgement_problems
from querykin.model_files import Model
from querykin.search.external.reply_cache import problems as reply_problems
from querykin.settings import workspace_settings
from querykin.storage.checked_json import verified_json
from querykin.storage.locations import mirror_of
from querykin.storage.sqlite_files import database_integrity
from querykin.storage.store import Store
from querykin.untrusted_json import read_json
from querykin.workspace import Workspace


@dataclass(frozen=True)
class Damage:
    """A file that is not what was written, and the data it belongs to.

    `is_unread`: it was not compared, since this user may not read it: private data of another one.
    """

    problem: str
    entry: Entry
    is_unread: bool = False

    @property
    def remedy(self) -> str:
        """What to do: derived data is made again, original data restored from a backup."""
        if self.is_unread:
            return "run the command as its owner"
        if self.entry.is_original:
            return f"querykin restore BACKUP --only {self.entry.name}"
        if self.entry.form is Form.JOB:
            return "querykin check --repair"
        return "querykin check --repair, then querykin build"

    def __str__(self) -> str:
        data = "original" if self.entry.is_original else "derived"
        return f"{self.problem} ({data} data; next: {self.remedy})"


def find_damage(workspace: Workspace) -> list[Damage]:
    """What differs on disk from what was written; nothing is changed, and damage does not prevent it."""
    found = [damage for entry in entries_of(workspace) for damage in damage_of(entry)]
    corpus = Entry(workspace.path / "corpus", Form.STORE, "corpus", "corpus")
    if not any(each.entry == corpus for each in found):
        found += _damage(corpus, lambda: open_corpus(workspace.path))
    return found


def corrupted_files(workspace: Workspace) -> list[str]:
    """The problems alone, one message each."""
    return [each.problem for each in find_damage(workspace)]


def entries_of(workspace: Workspace) -> list[Entry]:
    """The entries of a workspace, which must exist."""
    path, mirror = workspace.path, mirror_of(workspace.path)
    if not path.exists() or (mirror and mirror.is_empty):
        raise WorkspaceError(f"there is no workspace in {workspace.location}; next: querykin corpus add FILE")
    return inventory(path, workspace.settings.server.judgements)


def damage_of(entry: Entry) -> list[Damage]:
    """What is wrong with an entry, one for each file."""
    found: list[str] = []
    if entry.form is Form.STORE:
        damage = _damage(entry, lambda: found.extend(Store(entry.path, entry.kind).corrupted_files()))
    elif entry.form is Form.DATABASE:
        wrong = DATABASE_PROBLEMS[entry.name]
        damage = _damage(entry, lambda: found.extend(database_integrity(entry.path, wrong)[:1]))
    else:
        damage = _damage(entry, lambda: _CHECKS[entry.form](entry.path))
    return damage or [Damage(problem, entry) for problem in found]


def problem_in(error: QuerykinError) -> str:
    """What an error says is wrong, without its general advice."""
    return str(error).partition("; next: ")[0]


def _damage(entry: Entry, check: Callable[[], object]) -> list[Damage]:
    try:
        check()
    except QuerykinError as error:
        return [Damage(problem_in(error), entry)]
    except PermissionError as error:
        return [Damage(f"{error.filename} cannot be read by this user", entry, is_unread=True)]
    except OSError as error:
        return [Damage(f"{error.filename} cannot be read: {error.strerror}", entry)]
    return []


def _check_job(path: Path) -> None:
    for file in sorted(path.glob("[!.]*.json")):
        try:
            content = verified_json(read_json(file), file)
        except ValueError as error:
            raise DamagedFile(file, str(error)) from error
        if content.get("id") != path.name:
            raise DamagedFile(file, "it belongs to another job")


DATABASE_PROBLEMS = {"judgements": judgement_problems, "replies": reply_problems}
_CHECKS: dict[Form, Callable[[Path], object]] = {
    Form.MODEL: Model.read,
    Form.EVALUATION: lambda path: StoredRun(path).report,
    Form.HAND_CHANGES: lambda path: HandChanges(path.parent).all(),
    Form.KEYWORD_LIST: lambda path: KeywordLists(path.parent.parent).check(path.parent.name),
    Form.FILE: lambda path: path.stat(),  # verified with the file that describes it
    Form.JOB: _check_job,
    Form.SETTINGS: lambda path: workspace_settings(path.parent),
}
