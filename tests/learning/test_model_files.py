"""Model files: round trips, upgrade from version 1, and errors for anything else."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from querykin.errors import DamagedFile, InputError, UnknownName, WorkspaceError
from querykin.learning.keywords.extractor import Extractor
from querykin.learning.trees import tree_scores
from querykin.learning.tweak.term_weights import FEATURE_SETS, TermWeights
from querykin.model_files import SHIPPED, VERSION, Model, Models, check_name, upgrade_from_1

MODEL = Model(
    "tweak",
    "mine",
    {"features": ["bias", "log tf"], "weights": [0.1, -2.5e-9], "results": 30, "word": "crème"},
    {"file": "pairs.tsv", "pairs": 7},
)
OTHER = {"features": ["bias"], "weights": [9.0], "results": 30}
VERSION_1 = Path(__file__).parent / "models_v1"  # models trained by querykin 0.1


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
    folder.write(Model("tweak", "mine", OTHER))
    assert folder.read("mine").content == OTHER
    assert [path.name for path in folder.path.iterdir()] == ["mine.json"]


def test_a_missing_folder_has_no_models(folder):
    assert folder.names() == []
    assert not folder.path.exists()


def test_shipped_models_are_behind_those_of_the_workspace(folder):
    assert folder.read("keywords").kind == "keywords"
    folder.write(Model("keywords", "keywords", {"weights": {"": {"bias": 1.0}}}))
    assert folder.read("keywords").content == {"weights": {"": {"bias": 1.0}}}


def test_an_unknown_name_is_an_error_that_lists_the_known_ones(folder):
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
        (lambda raw: {**raw, "version": 3}, "a model of version 3; this program reads versions 1 and 2"),
        (lambda raw: {**raw, "format": "other"}, "is not a querykin model"),
        (lambda raw: {key: value for key, value in raw.items() if key != "content"}, "is damaged.*content"),
        (lambda raw: {**raw, "content": 7}, "is damaged"),
        (lambda raw: [raw], "is not a querykin model"),
    ],
)
def test_files_that_are_not_models_of_a_known_version_are_an_error(folder, damage, message):
    path = folder.write(MODEL)
    raw = json.loads(path.read_text("utf-8"))
    del raw["checksum"]  # as earlier versions wrote it
    path.write_text(json.dumps(damage(raw)), "utf-8")
    with pytest.raises(WorkspaceError, match=message):
        folder.read("mine")


def test_a_changed_digit_is_noticed(folder):
    path = folder.write(MODEL)
    raw = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(raw), "utf-8")  # without line breaks
    assert folder.read("mine") == MODEL
    path.write_text(json.dumps({**raw, "content": {**raw["content"], "prior": 0.126}}), "utf-8")
    with pytest.raises(DamagedFile, match=r"mine\.json is damaged: it differs"):
        folder.read("mine")


@pytest.mark.parametrize("content", [b"", b'{"format": "querykin-model", "ver', b"\xff\xfe"])
def test_unreadable_files_are_an_error_with_advice(folder, content):
    folder.write(MODEL).write_bytes(content)
    with pytest.raises(WorkspaceError, match=r"cannot be read as a model.*train it again"):
        folder.read("mine")


@pytest.mark.parametrize("name", ["", "Mine", "my model", "../mine", ".mine", "a/b", "é", "x" * 65, "a\n"])
def test_invalid_names_are_an_error(folder, name):
    with pytest.raises(InputError, match="a model's name is lower case letters"):
        check_name(name)
    with pytest.raises(InputError):
        folder.write(Model("tweak", name, {}))
    assert not folder.path.exists()


def test_a_name_of_another_kind_cannot_be_used(folder):
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


def test_an_interrupted_write_leaves_the_old_model(folder, monkeypatch):
    folder.write(MODEL)

    def interrupted(source, target):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        folder.write(Model("tweak", "mine", OTHER))
    monkeypatch.undo()
    assert folder.read("mine") == MODEL
    assert folder.names() == ["mine"]
    folder.write(Model("tweak", "mine", OTHER))
    assert folder.read("mine").content == OTHER


def test_nan_is_never_written(folder):
    folder.write(MODEL)
    with pytest.raises(ValueError, match="not JSON compliant"):
        folder.write(Model("tweak", "mine", {"weights": [float("nan")]}))
    assert folder.read("mine") == MODEL


def test_shipped_models_are_of_this_version_and_named_by_their_files():
    found = {path.stem: Model.read(path) for path in SHIPPED.glob("*.json")}
    assert set(found) == {"keywords", "landing-pages", "tweak"}
    assert all(json.loads(path.read_text("utf-8"))["version"] == VERSION for path in SHIPPED.glob("*.json"))
    assert all(model.name == name for name, model in found.items())


TREES = {
    "base": 0.5,
    "first": [0, 3],
    "least": [0.25, 0.0, 0.0],
    "feature": [0, 0, 0],
    "left": [1, 0, 0],
    "right": [2, 0, 0],
    "leaf": [False, True, True],
    "value": [0.0, -1.0, 1.0],
}


def version_1(name):
    return json.loads((VERSION_1 / f"{name}.json").read_text("utf-8"))


def test_a_combination_of_version_1_is_read_under_the_new_names():
    old, model = version_1("combination"), Model.read(VERSION_1 / "combination.json")
    keys = {
        "leaders": "first_stage",
        "free": "unconstrained",
        "low": "missing_values",
        "average": "feature_means",
    }
    assert model.content == {keys.get(key, key): value for key, value in old["content"].items()}
    assert set(keys.values()) <= set(model.content)
    report = model.training["report"]
    assert report["permutation_importance"] == old["training"]["report"]["worth"]
    assert report["single_measures"] == old["training"]["report"]["single_measures"]
    assert "worth" not in report


def test_trees_of_version_1_are_read_under_the_new_names():
    old = version_1("combination")
    old["content"]["trees"] = TREES
    trees = upgrade_from_1(old)["content"]["trees"]
    assert (trees["tree_offsets"], trees["thresholds"]) == (TREES["first"], TREES["least"])
    assert set(trees) == {*TREES, "tree_offsets", "thresholds"} - {"first", "least"}
    assert tree_scores(trees, np.array([[0.0], [1.0]])).tolist() == [-0.5, 1.5]


def test_term_features_of_version_1_have_their_new_names():
    model, old = Model.read(VERSION_1 / "tweak.json"), version_1("tweak")
    assert model.content["features"] == [
        "bias",
        "log tf",
        "log df",
        "log qf",
        "capitalized",
        "log position",
        "position",
        "log length",
        "query term",
        "query term idf",
    ]
    assert model.content["weights"] == old["content"]["weights"]
    assert model.training == old["training"]
    assert TermWeights.of(model.content).features == FEATURE_SETS["more"]


def test_an_extractor_of_version_1_has_the_new_features_in_every_case():
    old = {"capital": 1.0, "log place in sentence": 2.0, "place in sentence": 3.0, "log sentence": 4.0}
    raw = {"kind": "keywords", "version": 1, "content": {"weights": {"": old, "documents queries": old}}}
    new = {
        "capitalized": 1.0,
        "log sentence position": 2.0,
        "sentence position": 3.0,
        "log sentence length": 4.0,
    }
    assert upgrade_from_1(raw)["content"]["weights"] == {"": new, "documents queries": new}
    assert Extractor.of(upgrade_from_1(raw)["content"]).weights[""] == new


def test_measures_named_like_old_features_keep_their_names():
    raw = {
        "kind": "combination",
        "version": 1,
        "content": {"measures": ["own"], "features": ["own", "place"]},
    }
    assert upgrade_from_1(raw)["content"] == raw["content"]


def test_a_model_of_version_1_is_written_as_version_2(folder):
    model = Model.read(VERSION_1 / "combination.json")
    path = folder.write(model)
    assert json.loads(path.read_text("utf-8"))["version"] == 2
    assert folder.read("mine") == model


@pytest.mark.parametrize("content", [None, 7, [], "text", {"trees": 3}, {"weights": [{}]}])
@pytest.mark.parametrize("kind", ["combination", "tweak", "keywords", "other", None, ["list"]])
def test_any_json_of_version_1_can_be_upgraded(kind, content):
    assert upgrade_from_1({"kind": kind, "version": 1, "content": content})["content"] == content
