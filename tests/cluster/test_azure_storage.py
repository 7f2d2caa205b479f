"""A workspace in Azure Blob Storage, against its emulator."""

import pytest

import azure_server
from querykin import Workspace, WorkspaceError
from querykin.errors import ObjectStorageError
from querykin.integrity import corrupted_files
from querykin.settings import Settings
from querykin.settings_sections import StorageSettings
from querykin.storage.store import Store

pytestmark = pytest.mark.skipif(not azure_server.PROGRAM, reason="azurite-blob is not in PATH")


@pytest.fixture
def machine(tmp_path, monkeypatch):
    with azure_server.running(tmp_path / "server") as variables:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)

        def opened(name: str, container: str = "shop") -> Workspace:
            settings = Settings(storage=StorageSettings(cache_dir=str(tmp_path / name)))
            return Workspace.open(f"az://{container}/search", settings)

        yield opened


def test_a_workspace_in_azure_is_shared_and_only_one_writer_wins(machine):
    machine("a").repository.add([("garden hose", 5)])
    machine("b").repository.add([("rake", 1)])
    assert [each.query for each in machine("a").repository.by_count()] == ["garden hose", "rake"]
    for name in ("repository", "new"):  # replaced, and created
        first, second = (Store(machine(each).path / name, name) for each in "ab")
        with first.writing(), second.writing():
            for store in (first, second):
                (store.path / "parts").mkdir(exist_ok=True)
            metadata, parts = second.manifest().metadata, second.manifest().parts
            second.commit(metadata, parts)
            with pytest.raises(WorkspaceError, match=r"wrote to az://shop/search/.* meanwhile; run the comm"):
                first.commit({**metadata, "by": "first"}, parts)
        assert first.manifest() == second.manifest()
    assert corrupted_files(machine("c")) == []
    with pytest.raises(ObjectStorageError, match="there is no bucket 'nowhere'"):
        machine("d", "nowhere")
