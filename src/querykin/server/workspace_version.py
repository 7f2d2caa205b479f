"""The version of a workspace: the same wherever the same data is searched with the same settings."""

from pathlib import Path

from querykin.logs.relations import KIND as LOG_GRAPHS
from querykin.settings import Settings
from querykin.storage.content_hash import content_hash
from querykin.storage.store import Store
from querykin.version import __version__

_STORES = ("corpus", "repository", "cooccurrence", "latent", "query-log")


def workspace_version(path: Path, settings: Settings) -> str:
    """A hash of everything that scores depend on; processes whose versions differ must not be merged.

    Copies of a workspace on several machines have one version. Unfinished builds, the block list and score
    distributions are not part of it: shards do not read them.
    """
    manifests = [(name, Store(path / name, name).manifest()) for name in _STORES]
    indexes = [
        (folder.name, Store(folder, "index").manifest()) for folder in sorted((path / "index").glob("*"))
    ]
    graphs = [
        (folder.name, Store(folder, LOG_GRAPHS).manifest())
        for folder in sorted((path / LOG_GRAPHS).glob("*"))
    ]
    models = sorted((path / "models").glob("[!.]*.json"))
    state = (
        __version__,
        # A machine that has begun to write has manifests that others do not see yet.
        [
            (name, found.store_id, found.generation)
            for name, found in (*manifests, *graphs)
            if found.generation
        ],
        [
            (name, found.store_id, committed)
            for name, found in indexes
            if (committed := found.metadata.get("committed"))
        ],
        [(file.name, content_hash(file.read_bytes())) for file in models],
        (settings.engine.kind, settings.expansion, settings.log, {**settings.measures}),
    )
    return f"{content_hash(repr(state).encode()):016x}"
