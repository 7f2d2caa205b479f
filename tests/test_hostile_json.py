"""JSON and models that somebody else wrote: refused with one line, never used half."""

import json
import os

import pytest

from querykin.errors import WorkspaceError
from querykin.model_files import Model
from querykin.model_schemas import content_problem
from querykin.untrusted_json import InvalidJson, parse_json, read_json, read_json_as

TREES = {
    "base": 0.0,
    "logistic": True,
    "tree_offsets": [0, 3, 4],
    "feature": [0, 0, 0, 0],
    "thresholds": [0.5, 0.0, 0.0, 0.0],
    "left": [1, 0, 0, 0],
    "right": [2, 0, 0, 0],
    "leaf": [False, True, True, True],
    "value": [0.0, -1.0, 1.0, 0.5],
}
COMBINATION = {
    "measures": ["edit"],
    "first_stage": ["edit"],
    "loss": "metric",
    "features": ["edit"],
    "missing_values": [0.0],
    "feature_means": [0.5],
    "calibration": {"slope": 1.0, "shift": 0.0, "prior": 0.5},
}
LINEAR, FOREST = COMBINATION | {"weights": [1.0], "shift": 0.0}, COMBINATION | {"trees": TREES}
TWEAK = {"features": ["bias"], "weights": [1.0], "results": 30}
KEYWORDS = {"weights": {"": {"bias": 1.0}}}
NAN, INFINITY = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("kind", "content"),
    [("combination", LINEAR), ("combination", FOREST), ("tweak", TWEAK), ("keywords", KEYWORDS)],
)
def test_a_sound_model_has_no_problem(kind, content):
    assert content_problem(kind, content) is None


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("magic", {}),
        ("combination", LINEAR | {"weights": [NAN]}),
        ("combination", LINEAR | {"weights": [INFINITY]}),
        ("combination", LINEAR | {"weights": [1e300]}),
        ("combination", LINEAR | {"weights": ["1"]}),
        ("combination", LINEAR | {"weights": [1.0] * 100_000}),
        ("combination", LINEAR | {"shift": None}),
        ("combination", LINEAR | {"trees": TREES}),
        ("combination", LINEAR | {"calibration": {"slope": 1.0, "shift": 0.0, "prior": 1.0}}),
        ("combination", LINEAR | {"features": ["edit", "edit"]}),
        ("combination", LINEAR | {"first_stage": ["dense"]}),
        ("combination", COMBINATION),
        ("combination", FOREST | {"trees": TREES | {"left": [0, 0, 0, 0]}}),  # a circle
        ("combination", FOREST | {"trees": TREES | {"left": [9, 0, 0, 0]}}),
        ("combination", FOREST | {"trees": TREES | {"left": [-1, 0, 0, 0]}}),
        ("combination", FOREST | {"trees": TREES | {"right": [3, 0, 0, 0]}}),  # another tree
        ("combination", FOREST | {"trees": TREES | {"feature": [7, 0, 0, 0]}}),
        ("combination", FOREST | {"trees": TREES | {"leaf": [False, True, True]}}),
        ("combination", FOREST | {"trees": TREES | {"tree_offsets": [0, 3, 3, 4]}}),
        ("combination", FOREST | {"trees": TREES | {"tree_offsets": [0, 9, 4]}}),
        ("combination", FOREST | {"trees": TREES | {"tree_offsets": []}}),
        ("combination", FOREST | {"trees": TREES | {"tree_offsets": [0, 10**30]}}),
        ("combination", FOREST | {"trees": TREES | {"thresholds": [NAN, 0.0, 0.0, 0.0]}}),
        ("tweak", TWEAK | {"weights": [1.0, 2.0]}),
        ("tweak", TWEAK | {"results": 10**30}),
        ("tweak", TWEAK | {"results": True}),
        ("tweak", TWEAK | {"threshold": NAN}),
        ("keywords", {"weights": []}),
        ("keywords", {"weights": {"": {"bias": NAN}}}),
        ("keywords", {"weights": {"": {"bias": [[[]]]}}}),
    ],
)
def test_a_hostile_model_is_refused_with_one_line(tmp_path, kind, content):
    head = {"format": "querykin-model", "version": 2, "name": "m", "training": {}}
    path = tmp_path / "m.json"
    path.write_text(json.dumps({**head, "kind": kind, "content": content}))
    with pytest.raises(WorkspaceError) as caught:
        Model.read(path)
    assert "\n" not in str(caught.value)
    assert "m.json" in str(caught.value)


@pytest.mark.parametrize("text", ["", "[" * 100_000, '{"a":' * 50_000, "1" * 5000, '"\udc80"', "nul"])
def test_a_model_file_that_is_no_json_is_refused(tmp_path, text):
    path = tmp_path / "m.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(WorkspaceError, match="cannot be read as a model"):
        Model.read(path)


def test_json_may_be_nested_to_a_depth():
    assert parse_json("[" * 100 + "]" * 100)
    with pytest.raises(InvalidJson, match="nested more than 100 deep"):
        parse_json(b"[" * 101 + b"]" * 101)
    assert len(parse_json('[{"a": []}' + ', {"a": []}' * 200 + "]")) == 201  # many, but not deep


def test_the_number_of_values_is_bounded(monkeypatch):
    monkeypatch.setattr("querykin.untrusted_json.MAX_VALUES", 10)
    assert parse_json("[1, 2, 3]")
    with pytest.raises(InvalidJson, match="more than 10 values"):
        parse_json("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]")


def test_what_does_not_fit_the_type_is_named(tmp_path):
    (tmp_path / "a.json").write_text('{"a": ["x", 1]}')
    with pytest.raises(InvalidJson, match=r"a\.1: Input should be a valid string"):
        read_json_as(tmp_path / "a.json", dict[str, list[str]])


def test_a_named_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "model.json")
    with pytest.raises(OSError, match="not a regular file"):
        read_json(tmp_path / "model.json")
