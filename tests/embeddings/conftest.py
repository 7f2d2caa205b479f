"""The models that tests run: the real ones, from the extras that carry them."""

from importlib.util import find_spec

import pytest

from querykin.embeddings import onnx, static


def _need(package, extra):
    # Not importorskip: wordllama's import sets up logging, onnxruntime's reports to its maker.
    if find_spec(package) is None:
        pytest.skip(f"needs {package}: pip install 'querykin[{extra}]'")


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
    """Nothing is loaded yet; and nothing that a test pretends stays loaded."""
    caches = (static._packaged, onnx._open)
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()
