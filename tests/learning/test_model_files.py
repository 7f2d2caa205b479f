"""Model files: what goes in comes out, and nothing else is taken for a model."""

import json
import os

import pytest

from querykin.errors import InputError, UnknownName, WorkspaceError
from querykin.learning.model_files import SHIPPED, Model, Models, check_name

MODEL = Model(
    "tweak", "mine", {"weights": [0.1, -2.5e-9], "word": "crème"}, {"file": "pairs.tsv", "pairs": 7}
)


@pytest.fixture
def folder(tmp_path):
    return Models(tmp_path / "models")


def test_a_model_comes_back_as_it_was_written(folder):
    path = folder.write(MODEL)
    assert folder.read("mine") == MODEL
    assert folder.names() == ["mine"]
    assert json.loads(path.read_text("utf-8"))["content"]["word"] == "crème"


def test_a_model_of_the_same_name_is_replaced(folder):
    folder.write(MODEL)
    folder.write(Model("tweak", "mine", {"weights": [1.0]}))
    assert folder.read("mine").content == {"weights": [1.0]}
    assert [path.name for path in folder.path.iterdir()] == ["mine.json"]


def test_a_folder_that_is_not_there_has_no_models(folder):
    assert folder.names() == []
    assert not folder.path.exists()


def test_what_is_not_here_may_be_shipped(folder):
    assert folder.read("keywords").kind == "keywords"
    folder.write(Model("keywords", "keywords", {"weights": {}}))
    assert folder.read("keywords").content == {"weights": {}}


def test_an_unknown_name_is_answered_with_the_known_ones(folder):
    folder.write(MODEL)
    with pytest.raises(
        UnknownName, match=r"unknown model 'min'; did you mean 'mine'.*Known: keywords, .*mine"
    ):
        folder.read("min")
    with pytest.raises(UnknownName):
        folder.read("../models/mine")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda raw: {**raw, "version": 2}, "a model of version 2; this program reads version 1"),
        (lambda raw: {**raw, "format": "other"}, "is not a model of querykin"),
        (lambda raw: {key: value for key, value in raw.items() if key != "content"}, "is damaged.*content"),
        (lambda raw: {**raw, "content": 7}, "is damaged"),
        (lambda raw: [raw], "is not a model of querykin"),
    ],
)
def test_what_is_no_model_of_this_version_is_refused(folder, damage, message):
    path = folder.write(MODEL)
    path.write_text(json.dumps(damage(json.loads(path.read_text("utf-8")))), "utf-8")
    with pytest.raises(WorkspaceError, match=message):
        folder.read("mine")


@pytest.mark.parametrize("content", [b"", b'{"format": "querykin-model", "ver', b"\xff\xfe"])
def test_damaged_files_are_refused_with_what_to_do(folder, content):
    folder.write(MODEL).write_bytes(content)
    with pytest.raises(WorkspaceError, match=r"cannot be read as a model.*train it again"):
        folder.read("mine")


@pytest.mark.parametrize("name", ["", "Mine", "my model", "../mine", ".mine", "a/b", "é", "x" * 65, "a\n"])
def test_bad_names_are_refused(folder, name):
    with pytest.raises(InputError, match="a model's name is lower case letters"):
        check_name(name)
    with pytest.raises(InputError):
        folder.write(Model("tweak", name, {}))
    assert not folder.path.exists()


def test_a_name_of_another_kind_cannot_be_taken(folder):
    folder.write(MODEL)
    folder.check_new("mine", "tweak")
    folder.check_new("new", "combination")
    with pytest.raises(InputError, match="'mine' is a model of kind 'tweak'"):
        folder.check_new("mine", "combination")
    with pytest.raises(InputError, match="'keywords' is a model of kind 'keywords'"):
        folder.write(Model("tweak", "keywords", {}))
    assert folder.names() == ["mine"]


def test_a_damaged_model_can_be_trained_again(folder):
    folder.write(MODEL).write_bytes(b"{")
    folder.check_new("mine", "combination")


def test_a_write_that_dies_half_way_leaves_the_old_model(folder, monkeypatch):
    folder.write(MODEL)

    def killed(source, target):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        folder.write(Model("tweak", "mine", {"weights": [9.0]}))
    monkeypatch.undo()
    assert folder.read("mine") == MODEL
    assert folder.names() == ["mine"]
    folder.write(Model("tweak", "mine", {"weights": [9.0]}))
    assert folder.read("mine").content == {"weights": [9.0]}


def test_numbers_that_json_lacks_are_never_written(folder):
    folder.write(MODEL)
    with pytest.raises(ValueError, match="not JSON compliant"):
        folder.write(Model("tweak", "mine", {"weights": [float("nan")]}))
    assert folder.read("mine") == MODEL


def test_shipped_models_are_whole_and_named_by_their_files():
    found = {path.stem: Model.read(path) for path in SHIPPED.glob("*.json")}
    assert {"keywords"} <= set(found)
    assert all(model.name == name for name, model in found.items())
