"""The packaged models; that of sentences comes with an extra."""

from dataclasses import replace

import pytest

from querykin.embeddings import onnx, static
from querykin.embeddings.encoder_support import encoder_problem
from querykin.text.languages import ENGLISH


@pytest.fixture(scope="session")
def word_pieces():
    return static.load()


@pytest.fixture(scope="session")
def minilm():
    if problem := encoder_problem([ENGLISH]):
        pytest.skip(problem)
    return onnx.load()


@pytest.fixture
def fresh():
    """Empty caches of loaded models before and after a test."""
    caches = (static._packaged, onnx._open)
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Installs a file as the only one of a package; returns it as a packaged file of that package."""

    def install(file, content):
        folder = tmp_path / "packages"
        (folder / "sample_data-1.0.dist-info").mkdir(parents=True, exist_ok=True)
        (folder / "sample_data-1.0.dist-info" / "METADATA").write_text("Name: sample-data\nVersion: 1.0\n")
        (folder / file.path).parent.mkdir(parents=True, exist_ok=True)
        (folder / file.path).write_bytes(content)
        monkeypatch.syspath_prepend(folder)
        return replace(file, requirement="sample-data==1.0")

    return install
