"""What a workspace in a bucket holds, and a small store in it."""

from querykin import Workspace
from querykin.storage.store import Store


def queries(workspace: Workspace) -> list[str]:
    return [each.query for each in workspace.repository.by_count()]


def with_part(workspace: Workspace, name: str) -> Store:
    """A store of one large part."""
    store = Store(workspace.path / name, "things")
    with store.writing():
        part = store.new_part("part")
        (store.part(part) / "file").write_bytes(b"x" * 600_000)
        store.commit({"part": part}, [part])
    return store
