"""Static embeddings: the mean of word-piece vectors."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from querykin.embeddings import static
from querykin.embeddings.base import unit
from querykin.errors import InputError, MissingPackage


def test_a_vector_is_the_mean_of_its_word_pieces(word_pieces):
    found = word_pieces.tokenizer.encode("automobile hire", add_special_tokens=False)
    assert found.tokens == ["▁autom", "obile", "▁h", "ire"]
    mean = sum(word_pieces.vectors[piece].astype(np.float32) for piece in found.ids) / 4
    assert word_pieces(["automobile hire"])[0] == pytest.approx(unit(mean[None])[0], abs=1e-6)


def test_the_order_of_words_does_not_matter(word_pieces):
    one, other = word_pieces(["big dog", "dog big"])
    assert one @ other == pytest.approx(1.0, abs=1e-6)


def test_a_vector_has_256_dimensions_and_the_model_is_loaded_once(word_pieces):
    assert word_pieces(["car"]).shape == (1, 256)
    assert word_pieces.vectors.shape == (32_000, 256)
    assert static.load() is static.load("")


def test_another_model_is_an_error():
    with pytest.raises(InputError, match="leave its name empty, got 'glove'"):
        static.load("glove")


@pytest.mark.parametrize("module", ["tokenizers", "safetensors.numpy"])
def test_missing_libraries_are_an_error_with_the_command(monkeypatch, fresh, module):
    monkeypatch.setitem(sys.modules, module, None)
    library = module.partition(".")[0]
    with pytest.raises(MissingPackage, match=f"word-piece vectors need .*; next: pip install {library}$"):
        static.load()


@pytest.mark.parametrize("name", ["WORD_VECTORS", "WORD_VECTORS_TOKENIZER"])
def test_a_missing_package_is_an_error_with_the_command(monkeypatch, fresh, name):
    file = getattr(static, name)
    monkeypatch.setattr(static, name, replace(file, requirement="no-such-package==1.0"))
    with pytest.raises(MissingPackage, match=r"next: pip install (wordllama|no-such-package)=="):
        static.load()


@pytest.mark.parametrize("name", ["WORD_VECTORS", "WORD_VECTORS_TOKENIZER"])
def test_changed_files_are_refused(word_pieces, monkeypatch, fresh, install, name):
    file = getattr(static, name)
    content = file.verified(MissingPackage("a test", "none")).read_bytes()
    monkeypatch.setattr(static, name, install(file, content + b" "))
    with pytest.raises(InputError, match="is not the file that querykin was tested with"):
        static.load()


def test_unit_keeps_zeros_and_accepts_any_precision():
    rows = unit(np.array([[3, 4], [0, 0]], np.float16))
    assert rows.dtype == np.float32
    assert rows.tolist() == pytest.approx(np.array([[0.6, 0.8], [0, 0]]))
