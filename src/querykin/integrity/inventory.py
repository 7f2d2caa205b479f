"""What a workspace consists of: stores and files, original and derived data, and what else is there.

Entries are in the order in which a consistent copy is made: what is derived comes before what it is derived
from. A copy of an index is then never newer than the copies of the queries and documents it refers to by id:
it may be stale, which readers notice, but it never has rows of queries that get their ids later.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from querykin.clustering.hand_changes import HAND_CHANGES
from querykin.embeddings.document_vectors import KIND as DOCUMENT_VECTORS
from querykin.logs.relations import KIND as LOG_GRAPHS
from querykin.retrieval.score_distribution_store import KIND as SCORE_DISTRIBUTIONS
from querykin.search.external.reply_cache import REPLIES
from querykin.settings import WORKSPACE_SETTINGS
from querykin.storage.lost_files import is_lost
from querykin.storage.part_cache import REMOTE

JUDGEMENTS = "judgements.db"
DATABASES = (JUDGEMENTS, REPLIES)  # of SQLite
# The name of original data, as in `restore --only` -> its file or folder in the workspace.
ORIGINALS = {
    "corpus": "corpus",
    "repository": "repository",
    "log": "log",
    "block-list": "block-list",
    "models": "models",
    "judgements": JUDGEMENTS,
    "hand-changes": HAND_CHANGES,
    "keyword-lists": "keyword-lists",
    "evaluations": "evaluations",
    "replies": REPLIES,
    "settings": WORKSPACE_SETTINGS,
}
PRIVATE_FOLDERS = ("keyword-lists", "log")  # that only their owner may enter
_OF_QUERIES = ("neighbors", SCORE_DISTRIBUTIONS, "index")  # folders of stores
_OF_CORPUS = (DOCUMENT_VECTORS, LOG_GRAPHS)  # folders of stores
_DERIVED_STORES = ("latent", "cooccurrence", "query-log")
_ORIGINAL_STORES = ("block-list", "repository", "log", "corpus")
_STORE = r"(manifest\.json|parts/[^/]+/.+)"
_STORES_OF_QUERIES = rf"(repository|query-log|({'|'.join(_OF_QUERIES)})/[^/]+)/{_STORE}"
_FILE = re.compile(
    rf"""
    ({"|".join((*_DERIVED_STORES, *_ORIGINAL_STORES))}|({"|".join(_OF_CORPUS)})/[^/]+)/{_STORE}
    | {_STORES_OF_QUERIES}
    | {"|".join(map(re.escape, (HAND_CHANGES, WORKSPACE_SETTINGS, *DATABASES)))}
    | models/[^/]+\.json | evaluations/[^/]+\.(json|html)
    | keyword-lists/[0-9a-f]{{16}}/(list\.json|file[^/]*|{re.escape(HAND_CHANGES)}|{_STORES_OF_QUERIES})
    """,
    re.VERBOSE,
)
# Locks, drafts of files, and what SQLite, a mirror or an unfinished restore keep beside the data.
_BESIDE = re.compile(
    rf"lock|.*\.lock|\..*|({'|'.join(map(re.escape, DATABASES))})-(wal|shm|journal)|{re.escape(REMOTE)}"
)


class Form(Enum):
    """How an entry is stored, which decides how it is verified and copied."""

    STORE = "store"
    MODEL = "model"
    EVALUATION = "evaluation"
    HAND_CHANGES = "hand changes"
    KEYWORD_LIST = "keyword list"
    FILE = "file"
    DATABASE = "database"
    JOB = "job"
    SETTINGS = "settings"


@dataclass(frozen=True)
class Entry:
    """A store or a file of a workspace, verified by itself."""

    path: Path
    form: Form
    name: str  # of original data, as in `restore --only`, or the kind of derived data
    kind: str = ""  # of a store

    @property
    def is_original(self) -> bool:
        """Whether it cannot be made again from other data of the workspace."""
        return self.name in ORIGINALS and (self.form is not Form.STORE or self.kind in _ORIGINAL_STORES)


def inventory(path: Path, judgements: str = "") -> list[Entry]:
    """The entries of a workspace that exist; `judgements` is their file if it is elsewhere."""
    found = [
        *_stores_below(path, *_OF_QUERIES, *_OF_CORPUS),
        *_stores(path, *_DERIVED_STORES, "matches"),
        *(Entry(job, Form.JOB, "jobs") for job in _folders(path / "jobs")),
    ]
    for folder in _folders(path / "keyword-lists"):
        found += _keyword_list(folder)
    found += [Entry(file, Form.MODEL, "models") for file in sorted((path / "models").glob("[!.]*.json"))]
    found += _evaluations(path / "evaluations")
    hand_changes, database = path / HAND_CHANGES, Path(judgements) if judgements else path / JUDGEMENTS
    found += [Entry(hand_changes, Form.HAND_CHANGES, "hand-changes")] if _is_known(hand_changes) else []
    found += [Entry(database, Form.DATABASE, "judgements")] if _is_known(database) else []
    replies, settings = path / REPLIES, path / WORKSPACE_SETTINGS
    found += [Entry(replies, Form.DATABASE, "replies")] if replies.exists() else []
    found += [Entry(settings, Form.SETTINGS, "settings")] if settings.exists() else []
    return [*found, *_stores(path, *_ORIGINAL_STORES)]


def is_workspace_file(name: str) -> bool:
    """Whether a file of this name, relative to the workspace, can belong to one and to its copy.

    >>> is_workspace_file("models/mine.json"), is_workspace_file("models/../../secret.json")
    (True, False)
    """
    steps = name.split("/")
    plain = all(step.isprintable() and "\\" not in step and step.strip(". ") for step in steps)
    return plain and bool(_FILE.fullmatch(name))


def unknown_files(path: Path) -> list[Path]:
    """Files and folders that no version of this program put there; they are left alone."""
    names = {*ORIGINALS.values(), *_DERIVED_STORES, *_OF_QUERIES, *_OF_CORPUS, "matches", "jobs"}
    top = [each for each in sorted(path.iterdir()) if each.name not in names]
    files = [each for each in sorted((path / "models").glob("*")) if each.suffix != ".json"]
    files += [
        each for each in sorted((path / "evaluations").glob("*")) if each.suffix not in (".json", ".html")
    ]
    for entry in inventory(path):
        if entry.form is Form.STORE:
            may_read = entry.path.is_dir() and os.access(entry.path, os.R_OK | os.X_OK)
            here = entry.path.iterdir() if may_read else []
            files += sorted(each for each in here if each.name not in ("manifest.json", "parts"))
    return [each for each in (*top, *files) if not _BESIDE.fullmatch(each.name)]


def _keyword_list(folder: Path) -> Iterator[Entry]:
    name = "keyword-lists"
    yield from _stores_below(folder, *_OF_QUERIES, name=name)
    yield from _stores(folder, "query-log", name=name)
    # Written before anything is derived from the list: without all of these, it was not added to the end.
    if any(_is_known(folder / each) for each in ("list.json", HAND_CHANGES, *_OF_QUERIES)):
        yield Entry(folder / "list.json", Form.KEYWORD_LIST, name)
    if _is_known(folder / HAND_CHANGES):
        yield Entry(folder / HAND_CHANGES, Form.HAND_CHANGES, name)
    yield from (Entry(file, Form.FILE, name) for file in sorted(folder.glob("file*")))
    yield from _stores(folder, "repository", name=name)


def _is_known(file: Path) -> bool:
    """Whether a file is there, or was once."""
    return file.exists() or is_lost(file)


def _evaluations(folder: Path) -> Iterator[Entry]:
    for file in sorted(folder.glob("[!.]*.json")):
        yield Entry(file, Form.EVALUATION, "evaluations")
        if (page := file.with_suffix(".html")).exists():
            yield Entry(page, Form.FILE, "evaluations")


def _stores(path: Path, *kinds: str, name: str = "") -> Iterator[Entry]:
    return (Entry(path / kind, Form.STORE, name or kind, kind) for kind in kinds if (path / kind).exists())


def _stores_below(path: Path, *kinds: str, name: str = "") -> Iterator[Entry]:
    """The stores of kinds of which there are several, each in a folder of its own."""
    for kind in kinds:
        yield from (Entry(folder, Form.STORE, name or kind, kind) for folder in _folders(path / kind))


def _folders(path: Path) -> list[Path]:
    return sorted(each for each in path.glob("[!.]*") if each.is_dir())
