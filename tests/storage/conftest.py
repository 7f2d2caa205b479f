"""An S3 server, and workspaces in a bucket of it."""

import pytest

import object_server
from querykin import Workspace
from querykin.settings import Settings
from querykin.settings_sections import StorageSettings


@pytest.fixture(scope="module")
def server():
    with object_server.running() as running:
        yield running


@pytest.fixture
def bucket(server, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for name, value in object_server.CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_ENDPOINT_URL", server.url)
    monkeypatch.setattr(server, "before", lambda method, path: None)
    name = server.create_bucket()
    server.requests.clear()
    return name


@pytest.fixture
def machine(bucket, tmp_path):
    """Open the workspace as it is seen by another machine: each has a cache of its own."""

    def opened(name: str = "a", **storage) -> Workspace:
        settings = Settings(storage=StorageSettings(cache_dir=str(tmp_path / name), **storage))
        return Workspace.open(f"s3://{bucket}/shop", settings)

    return opened
