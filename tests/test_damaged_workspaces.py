"""A sample of the torture parts `damage` and `hostile_arrays`: no wrong answer, no traceback, no crash."""

import os
import shutil
import signal
from random import Random

import pytest
from torture.asked import REFUSED, ask, outcome
from torture.damage import damaged
from torture.forked import in_child
from torture.full_workspace import build
from torture.hostile_arrays import rewritten

DOCUMENTS = 40
CASES = 10


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """A small workspace with every kind of file, and its answers."""
    path = build(tmp_path_factory.mktemp("full"), documents=DOCUMENTS)
    return path, ask(path)[0]


def test_every_question_has_an_answer_that_is_the_same_again(full):
    path, expected = full
    assert not {name: answer for name, answer in expected.items() if answer[0] != "answered"}
    assert ask(path)[0] == expected


def test_damaged_files_are_refused_or_change_no_answer(full):
    path, expected = full
    figures = damaged(path, None, expected, Random(0), CASES)
    assert (figures.attempts, figures.failures) == (CASES, [])
    assert figures.outcomes["refused"] + figures.outcomes["rebuilt"] > CASES / 2


def test_a_wrong_answer_is_noticed(full):
    path, expected = full
    assert outcome(path, expected)[0] == "same answers"
    assert outcome(path, expected | {"block list": ("answered", "('something else',)")})[0] == "wrong"


def test_the_end_of_a_child_is_noticed():
    assert in_child(lambda: [1]).result == [1]
    assert in_child(lambda: os.kill(os.getpid(), signal.SIGKILL)).failure == "crash"
    assert in_child(signal.pause, 0.1).failure == "over limit"


def test_hostile_arrays_are_refused_or_answered(full):
    figures = rewritten(full[0], Random(0), CASES)
    assert (figures.attempts, figures.failures) == (CASES, [])


def test_without_its_repository_a_workspace_refuses(full, tmp_path):
    shutil.copytree(full[0], tmp_path / "workspace")
    next((tmp_path / "workspace" / "repository" / "parts").rglob("counts.npy")).unlink()
    assert ask(tmp_path / "workspace")[0]["repository list"][0] == REFUSED
