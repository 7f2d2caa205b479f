"""The packaged models, from the extras that install them."""

from importlib.util import find_spec

import pytest

from querykin.embeddings import onnx, static
from querykin.installation import install_command


def _need(package, extra):
    # Not importorskip: importing wordllama configures logging, importing onnxruntime sends telemetry.
    if find_spec(package) is None:
        pytest.skip(f"needs {package}: {install_command(extra)}")


@pytest.fixture(scope="session")
def word_pieces():
    _need("wordllama", "static")
    return static.load()


@pytest.fixture(scope="session")
def minilm():
    _need("onnxruntime", "dense")
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
