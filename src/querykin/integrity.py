"""The integrity check of a workspace: every file against its recorded size and checksum."""

from querykin.corpus_resources import open_corpus
from querykin.embeddings.document_vectors import KIND as DOCUMENT_VECTORS
from querykin.errors import WorkspaceError
from querykin.retrieval.score_distribution_store import KIND as SCORE_DISTRIBUTIONS
from querykin.storage.store import Store
from querykin.workspace import Workspace

_STORES = ("corpus", "repository", "block-list", "cooccurrence", "latent", "query-log")


def corrupted_files(workspace: Workspace) -> list[str]:
    """What differs on disk from what was written; works also where damage prevents opening the corpus."""
    path = workspace.path
    if not path.exists():
        raise WorkspaceError(f"there is no workspace in {path}; next: querykin corpus add FILE")
    stores = [Store(path / kind, kind) for kind in _STORES]
    for kind in ("index", DOCUMENT_VECTORS, SCORE_DISTRIBUTIONS):
        stores += [Store(folder, kind) for folder in sorted((path / kind).glob("*"))]
    found = [line for store in stores for line in store.corrupted_files()] + _corrupted_models(workspace)
    if not found:
        open_corpus(path)  # a manifest has no checksum: it must open
    return found


def _corrupted_models(workspace: Workspace) -> list[str]:
    found = []
    for name in workspace.models.names():
        try:
            workspace.models.read(name)
        except WorkspaceError as error:
            found.append(str(error))
    return found
