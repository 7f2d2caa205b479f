"""The integrity check of a workspace: every file against its recorded size and checksum."""

from pathlib import Path

from querykin.corpus_resources import open_corpus
from querykin.embeddings.document_vectors import KIND as DOCUMENT_VECTORS
from querykin.errors import WorkspaceError
from querykin.retrieval.score_distribution_store import KIND as SCORE_DISTRIBUTIONS
from querykin.storage.locations import mirror_of
from querykin.storage.store import Store
from querykin.workspace import Workspace

_STORES = ("corpus", "repository", "block-list", "cooccurrence", "latent", "query-log")


def corrupted_files(workspace: Workspace) -> list[str]:
    """What differs on disk from what was written; works also where damage prevents opening the corpus."""
    stores = _stores(workspace)
    found = [line for store in stores for line in store.corrupted_files()] + _corrupted_models(workspace)
    if not found:
        open_corpus(workspace.path)  # a manifest has no checksum: it must open
    return found


def repair(workspace: Workspace) -> int:
    """Delete what killed writers left; returns the number of deletions.

    In object storage, these are parts that no manifest lists and that are older than a day; besides, damaged
    parts of the local copy are deleted, which are downloaded again.
    """
    return sum(store.repair() for store in _stores(workspace))


def _stores(workspace: Workspace) -> list[Store]:
    path = workspace.path
    mirror = mirror_of(path)
    if not path.exists() or (mirror and mirror.is_empty):
        raise WorkspaceError(f"there is no workspace in {workspace.location}; next: querykin corpus add FILE")
    stores = [Store(path / kind, kind) for kind in _STORES]
    stores += _stores_below(path, "index", "neighbors", DOCUMENT_VECTORS, SCORE_DISTRIBUTIONS)
    for folder in sorted((path / "keyword-lists").glob("*")):
        stores += [
            Store(folder / "repository", "repository"),
            *_stores_below(folder, "index", "neighbors", SCORE_DISTRIBUTIONS),
        ]
    return stores


def _stores_below(path: Path, *kinds: str) -> list[Store]:
    """The stores of kinds of which there are several, each in a folder of its own."""
    return [Store(folder, kind) for kind in kinds for folder in sorted((path / kind).glob("*"))]


def _corrupted_models(workspace: Workspace) -> list[str]:
    found = []
    for name in workspace.models.names():
        try:
            workspace.models.read(name)
        except WorkspaceError as error:
            found.append(str(error))
    return found
