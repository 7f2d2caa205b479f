"""Texts as their own words."""

from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import tokenizer as twin
from reference.corpus import PlainCorpus
from reference.vectors import dot, unit
from strategies import texts
from topics import DOCUMENTS, WORDS

PLAIN = PlainCorpus(DOCUMENTS)
spoken = st.lists(st.sampled_from([*WORDS, "zzyzx", "exploring"]), max_size=5).map(" ".join)


def test_worked_cosines(workspace):
    cosine = workspace.measure("cosine")
    candidates = ["Larry Page", "web page", "PAGE of the web", "web web page", "", "pages"]
    expected = [0.5, 1, 2 / sqrt(8), 1, 0, 0]
    assert cosine.score("web page", candidates) == pytest.approx(expected)


@given(texts(), texts())
@settings(deadline=None, max_examples=100)
def test_cosine_is_the_overlap_of_word_sets(workspace, a, b):
    mine, theirs = set(twin.words(a)), set(twin.words(b))
    expected = len(mine & theirs) / sqrt(len(mine) * len(theirs)) if mine and theirs else 0.0
    assert workspace.similarity(a, b, "cosine") == pytest.approx(expected)


@given(st.one_of(spoken, texts()), st.one_of(spoken, texts()))
@settings(deadline=None, max_examples=100)
def test_idf_cosine_weighs_stems_by_how_rare_they_are(workspace, a, b):
    mine, theirs = unit(PLAIN.query(a)), unit(PLAIN.query(b))
    expected = dot(mine, theirs) if mine and theirs else 0.0
    assert workspace.similarity(a, b, "idf-cosine") == pytest.approx(expected, abs=1e-12)


def test_surface_measures_always_give_a_number_and_need_no_documents(build):
    empty = build()
    assert empty.similarity("web page", "Larry Page", "cosine") == pytest.approx(0.5)
    assert empty.similarity("web pages", "Larry Page", "idf-cosine") == pytest.approx(0.5)
    assert empty.similarity("", "zzyzx", "cosine") == 0.0


def test_contributions_are_the_words_themselves(workspace):
    explanation = workspace.explain("the Islands of Java", "an island of JAVA", "idf-cosine")
    assert {c.term for c in explanation.contributions} == {"islands", "of", "java"}
    assert {c.term for c in workspace.explain("web page", "Larry Page", "cosine").contributions} == {"page"}
