"""Cosines of word sets, and of stems weighted by idf."""

from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.corpus import ReferenceCorpus
from reference.tokenizer import words
from reference.vectors import dot, unit
from strategies import texts
from topics import DOCUMENTS, WORDS

REFERENCE = ReferenceCorpus(DOCUMENTS)
word_texts = st.lists(st.sampled_from([*WORDS, "zzyzx", "exploring"]), max_size=5).map(" ".join)


def test_worked_cosines(workspace):
    cosine = workspace.measure("cosine")
    candidates = ["Larry Page", "web page", "PAGE of the web", "web web page", "", "pages"]
    expected = [0.5, 1, 2 / sqrt(8), 1, 0, 0]
    assert cosine.score("web page", candidates) == pytest.approx(expected)


@given(texts(), texts())
@settings(deadline=None, max_examples=100)
def test_cosine_equals_that_of_word_sets(workspace, a, b):
    left, right = set(words(a)), set(words(b))
    expected = len(left & right) / sqrt(len(left) * len(right)) if left and right else 0.0
    assert workspace.similarity(a, b, "cosine") == pytest.approx(expected)


@given(st.one_of(word_texts, texts()), st.one_of(word_texts, texts()))
@settings(deadline=None, max_examples=100)
def test_idf_cosine_weights_stems_by_idf(workspace, a, b):
    left, right = unit(REFERENCE.query(a)), unit(REFERENCE.query(b))
    expected = dot(left, right) if left and right else 0.0
    assert workspace.similarity(a, b, "idf-cosine") == pytest.approx(expected, abs=1e-12)


def test_word_cosines_always_have_a_score_and_need_no_corpus(build):
    empty = build()
    assert empty.similarity("web page", "Larry Page", "cosine") == pytest.approx(0.5)
    assert empty.similarity("web pages", "Larry Page", "idf-cosine") == pytest.approx(0.5)
    assert empty.similarity("", "zzyzx", "cosine") == 0.0


def test_contributions_are_the_shared_words(workspace):
    explanation = workspace.explain("the Islands of Java", "an island of JAVA", "idf-cosine")
    assert {c.term for c in explanation.contributions} == {"islands", "of", "java"}
    assert {c.term for c in workspace.explain("web page", "Larry Page", "cosine").contributions} == {"page"}
