"""A sample of the torture parts `damage` and `hostile_arrays`: no wrong answer, no traceback, no crash."""

import os
import shutil
import signal
from collections import Counter
from random import Random

import pytest
from torture.asked import REFUSED, ask, outcome
from torture.damage import chosen, damaged
from torture.figures import Figures
from torture.forked import Child, on_all_processors
from torture.full_workspace import build
from torture.hostile_arrays import changes, rewritten

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
    figures = damaged(path, None, expected, chosen(path, Random(0), CASES), Random(0))
    assert (figures.attempts, figures.failures) == (CASES, [])
    assert figures.outcomes["refused"] + figures.outcomes["rebuilt"] > CASES / 2


def test_a_wrong_answer_is_noticed(full):
    path, expected = full
    assert outcome(path, expected)[0] == "same answers"
    assert outcome(path, expected | {"block list": ("answered", "('something else',)")})[0] == "wrong"


def test_the_end_of_a_child_is_noticed():
    assert Child(lambda: [1]).wait().result == [1]
    assert Child(lambda: os.kill(os.getpid(), signal.SIGKILL)).wait().failure == "crash"
    assert Child(signal.pause).wait(0.1).failure == "over limit"


def test_cases_are_shared_among_processors():
    def work(cases, number):
        figures = Figures()
        for case in cases:
            figures.record(str(case), "lost" if case == 3 else "same answers", f"share {number}")
        return figures

    figures = on_all_processors(work, range(10))
    assert (figures.attempts, figures.outcomes) == (10, Counter({"same answers": 9, "lost": 1}))
    assert len(figures.failures) == 1


def test_hostile_arrays_are_refused_or_answered(full):
    figures = rewritten(full[0], changes(full[0], Random(0), CASES), Random(0))
    assert (figures.attempts, figures.failures) == (CASES, [])


def test_without_its_repository_a_workspace_refuses(full, tmp_path):
    shutil.copytree(full[0], tmp_path / "workspace")
    next((tmp_path / "workspace" / "repository" / "parts").rglob("counts.npy")).unlink()
    assert ask(tmp_path / "workspace")[0]["repository list"][0] == REFUSED
