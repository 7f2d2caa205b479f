"""Choice of the backend, and sentence-transformers through a stub (the package is gigabytes)."""

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import numpy as np
import pytest

from querykin.embeddings import onnx, sentence_transformers
from querykin.embeddings.sentence_models import sentence_model
from querykin.errors import InputError, MissingExtra

BORROWED = threading.Lock()


class Tokenizer:
    """A stub whose word pieces are letters."""

    def tokenize(self, text):
        assert BORROWED.acquire(blocking=False), "Already borrowed"
        BORROWED.release()
        return [letter for letter in text if letter != " "]


class SentenceTransformer:
    """A stub that encodes a text as [letters, words]; accepts two names and any folder."""

    def __init__(self, name):
        if name not in ("tiny", "owner/tiny") and not name.startswith("/"):
            raise OSError(f"{name} is not a local folder and is not a valid model identifier")
        self.name = name
        self.tokenizer = Tokenizer()

    def encode(self, texts, batch_size, convert_to_numpy, show_progress_bar):
        assert (batch_size, convert_to_numpy, show_progress_bar) == (1, True, False)
        assert all(text.strip() for text in texts)
        assert BORROWED.acquire(blocking=False), "Already borrowed"
        try:
            time.sleep(0.001)  # long enough for another thread to interfere
            return np.array([[len(text), len(text.split())] for text in texts], np.float16)
        finally:
            BORROWED.release()


@pytest.fixture
def package(monkeypatch):
    """A stub of the package sentence-transformers."""
    module = ModuleType("sentence_transformers")
    module.SentenceTransformer = SentenceTransformer
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    sentence_transformers._open.cache_clear()
    yield
    sentence_transformers._open.cache_clear()


def test_the_packaged_model_is_the_default(minilm):
    assert sentence_model() is sentence_model("") is onnx.load()


def test_a_folder_with_an_onnx_file_is_run_as_onnx(monkeypatch, tmp_path):
    monkeypatch.setattr(onnx, "load", lambda model: ("onnx", model))
    (tmp_path / "onnx").mkdir()
    (tmp_path / "onnx" / "model.onnx").touch()
    (tmp_path / "config.json").touch()
    assert sentence_model(str(tmp_path)) == ("onnx", str(tmp_path))


def test_an_onnx_file_of_another_name_is_an_error(minilm, tmp_path):
    (tmp_path / "quantised.onnx").touch()
    with pytest.raises(InputError, match=r"needs model.onnx .* has quantised.onnx"):
        sentence_model(str(tmp_path))


@pytest.mark.parametrize("name", ["tiny", "owner/tiny"])
def test_a_name_is_loaded_by_sentence_transformers(package, name):
    model = sentence_model(name)
    rows = model(["abc", "", "\0", "a b"])
    assert rows.dtype == np.float32
    assert rows == pytest.approx(np.array([[3, 1], [0, 0], [0, 0], [3, 2]]) / np.sqrt([[10], [1], [1], [13]]))
    assert model([]).shape == model([])[:0].shape == (0, 2)
    assert not model(["", " "]).any()
    assert sentence_model(name) is model


def test_a_folder_of_sentence_transformers_is_loaded_by_it(package, tmp_path, monkeypatch):
    (tmp_path / "modules.json").touch()
    model = sentence_model(str(tmp_path))
    assert model.model.name == str(tmp_path)
    monkeypatch.chdir(tmp_path.parent)
    assert sentence_model(tmp_path.name) is model


def test_one_thread_at_a_time_uses_sentence_transformers(package):
    model = sentence_model("tiny")
    with ThreadPoolExecutor(8) as pool:
        rows = list(pool.map(model, [["abc"]] * 50))
    assert np.array_equal(np.vstack(rows), np.tile(model(["abc"]), (50, 1)))


def test_whole_words_are_those_of_the_tokenizer_of_the_model(package):
    texts = ["car hire", "", "a\0b c", "a car"]
    assert sentence_model("tiny").whole_words(texts).tolist() == [0, 0, 1, 0.5]


def test_an_unknown_name_is_an_error(package):
    with pytest.raises(InputError, match=r"no model 'huge'; give a name .* not a valid model identifier"):
        sentence_model("huge")


def test_a_folder_without_a_model_is_an_error(tmp_path):
    with pytest.raises(InputError, match=r"neither model.onnx and tokenizer.json nor"):
        sentence_model(str(tmp_path))


def test_a_file_is_an_error(tmp_path):
    (tmp_path / "model.onnx").touch()
    with pytest.raises(InputError, match="is a file; give the folder"):
        sentence_model(str(tmp_path / "model.onnx"))


@pytest.mark.parametrize("name", ["/no/such/folder", "./missing", "../missing", "~/no/such/folder"])
def test_a_missing_path_is_not_taken_for_a_name(name):
    with pytest.raises(InputError, match="there is no folder"):
        sentence_model(name)


@pytest.mark.parametrize("name", ["tiny", "\0", "x" * 5000, "\ud800"])
def test_without_the_package_a_name_is_an_error_with_the_command(monkeypatch, name):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtra, match=r"pip install .*\[sentence-transformers\]"):
        sentence_model(name)
