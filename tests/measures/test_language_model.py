"""Negative KL divergence of language models: sparse-prob and dense-prob (Metzler et al. 2007)."""

from dataclasses import replace
from math import isnan, log, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from language_models import GENTLE, NAMES, REFERENCE, TWO, query_texts, reference_model
from querykin import Document, Workspace
from querykin.text.stopwords import ENGLISH_STOP_WORDS
from reference.tokenizer import words
from topics import QUERIES, WORDS

BOTH = {"results": st.sampled_from([1, 2, 5, 20, 200]), "mu_c": st.sampled_from([1.0, 30.0, 2500.0])}
DENSE = {
    "terms": st.sampled_from([1, 3, 20, 1000]),
    "mu_q": st.sampled_from([0.0, 0.5, 100.0]),
    "stop_words": st.sampled_from(["language", "english", "none", "space the JAVA"]),
}
PARAMETERS = {"sparse-prob": st.fixed_dictionaries(BOTH), "dense-prob": st.fixed_dictionaries(BOTH | DENSE)}


@pytest.fixture(scope="module")
def two(build):
    """Two documents, "red red apple" and "blue blue sky" with their titles, and mu_C = 6.

    The corpus has 6 words: P(red|Coll) = P(blue|Coll) = 2/6, P(apple|Coll) = P(sky|Coll) = 1/6. So
    P(red|C) for the candidate "apple" is (2 + 6 * 2/6) / (3 + 6) = 4/9, P(apple|C) = (1 + 1) / 9 = 2/9,
    P(blue|C) = 2/9, P(sky|C) = 1/9; for the candidates "blue" and "sky" the colours change places.
    """
    return Workspace(build(TWO).path, GENTLE)


def test_worked_dense_prob(two):
    # P(red|Q) = 2/3, P(apple|Q) = 1/3, and each is 2/3 as likely for "apple", 1/3 as likely for "sky".
    found = two.measure("dense-prob").score("red", ["red", "apple", "sky", "zzyzx", ""])
    assert found == pytest.approx([log(2 / 3), log(2 / 3), log(1 / 3), nan, nan], nan_ok=True)


def test_worked_sparse_prob(two):
    measure = two.measure("sparse-prob")
    assert measure.score("red", ["apple", "sky"]) == pytest.approx([log(4 / 9), log(2 / 9)])
    # P(red|Q) = 2/3 and P(sky|Q) = 1/3; then an unknown word: P(zzyzx|C) = 6 * (0.5 / 6) / 9 = 1/18.
    both = 2 / 3 * log(4 / 9 / (2 / 3)) + 1 / 3 * log(1 / 9 / (1 / 3))
    assert measure.score("red sky RED", ["apple"]) == pytest.approx([both])
    unknown = 1 / 2 * log(4 / 9 / (1 / 2)) + 1 / 2 * log(1 / 18 / (1 / 2))
    assert measure.score("red zzyzx", ["apple"]) == pytest.approx([unknown])


def test_worked_truncation_and_stop_words_leave_the_mass_below_1(two):
    measure = two.measure("dense-prob")
    for kept in (replace(measure, terms=1), replace(measure, stop_words="apple sky")):
        # Only P(red|Q) = 2/3 is left, and it is not renormalized.
        assert kept.score("red", ["apple", "sky"]) == pytest.approx([2 / 3 * log(2 / 3), 2 / 3 * log(1 / 3)])


def test_worked_smoothing_of_the_query_model(two):
    # mu_Q = 3: P(red|Q) = (2 + 3 * 2/6) / 6 = 1/2, P(apple|Q) = (1 + 3 * 1/6) / 6 = 1/4; half of 4/9 and 2/9.
    measure = replace(two.measure("dense-prob"), mu_q=3.0)
    assert measure.score("red", ["apple"]) == pytest.approx([3 / 4 * log(8 / 9)])


def test_the_papers_parameters_are_the_defaults(workspace):
    dense = workspace.measure("dense-prob")
    assert (dense.results, dense.terms, dense.mu_q, dense.mu_c) == (30, 20, 0.0, 2500.0)
    assert dense.stop_words == "language"
    sparse = workspace.measure("sparse-prob")
    assert (sparse.results, sparse.mu_c) == (30, 2500.0)
    assert not dense.symmetric
    assert not sparse.symmetric


def test_every_stop_word_is_a_single_token(workspace):
    assert {"the", "of", "and", "is"} <= ENGLISH_STOP_WORDS
    assert all(words(word) == [word] for word in ENGLISH_STOP_WORDS)


@pytest.mark.parametrize("name", NAMES)
@given(query=query_texts, candidates=st.lists(query_texts, min_size=1, max_size=5))
@settings(deadline=None, max_examples=60)
def test_scores_equal_the_reference(workspace, name, query, candidates):
    measure = workspace.measure(name)
    expected = reference_model(measure).scores(name, query, candidates)
    assert measure.score(query, candidates) == pytest.approx(expected, nan_ok=True)
    assert measure.score_pairs(candidates, [query] * len(candidates)) == pytest.approx(
        [reference_model(measure).scores(name, candidate, [query])[0] for candidate in candidates],
        nan_ok=True,
    )


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data(), query=query_texts, candidate=query_texts)
@settings(deadline=None, max_examples=60)
def test_scores_equal_the_reference_for_any_parameters(workspace, name, data, query, candidate):
    measure = replace(workspace.measure(name), **data.draw(PARAMETERS[name]))
    expected = reference_model(measure).scores(name, query, [candidate, query])
    assert measure.score(query, [candidate, query]) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("name", NAMES)
@given(query=query_texts, candidate=query_texts)
@settings(deadline=None, max_examples=60)
def test_contributions_sum_to_the_divergence(workspace, name, query, candidate):
    explanation = workspace.explain(query, candidate, name)
    score = workspace.similarity(query, candidate, name)
    shares = [contribution.share for contribution in explanation.contributions]
    assert explanation.score == pytest.approx(score, nan_ok=True)
    assert sum(shares) == pytest.approx(0.0 if isnan(score) else score, abs=1e-9)
    assert shares == sorted(shares, key=abs, reverse=True)


@pytest.mark.parametrize("name", NAMES)
@given(query=query_texts, mu_c=st.sampled_from([1.0, 2500.0]))
@settings(deadline=None, max_examples=60)
def test_scores_are_bounded_by_the_mass_of_the_query_model(workspace, name, query, mu_c):
    """sum p log(c / p) is at most m log(1 / m) where the p sum to m and the c to 1 at most."""
    measure = replace(workspace.measure(name), mu_c=mu_c)
    reference = reference_model(measure)
    model = reference.surface_model(query) if name == "sparse-prob" else reference.expanded_model(query)
    scores = measure.score(query, list(QUERIES))
    mass = sum(model.values())
    assert (np.isnan(scores) | (scores <= (mass * log(1 / mass) if mass else 0) + 1e-9)).all()


@pytest.mark.parametrize("name", NAMES)
def test_an_uncovered_text_has_no_score(workspace, name):
    measure = workspace.measure(name)
    assert np.isnan(measure.score("NASA", ["zzyzx", "", "😀"])).all()
    assert np.isnan(measure.score("zzyzx", ["NASA", "zzyzx"])).all()
    assert np.isnan(measure.score("", ["NASA", ""])).all()
    assert workspace.explain("zzyzx", "NASA", name).contributions == ()
    assert workspace.explain("NASA", "zzyzx", name).contributions == ()


def test_sparse_prob_needs_one_known_word_and_dense_prob_results_that_cover_the_query(workspace):
    query = "mars zzyzx qwrtp plugh xyzzy frotz"
    assert not REFERENCE.covered(query, workspace.measure("dense-prob").results)
    assert isnan(workspace.similarity(query, "NASA", "dense-prob"))
    assert workspace.similarity(query, "NASA", "sparse-prob") < 0


def test_a_query_of_stop_words_is_scored_by_its_words_or_its_results(workspace):
    for name in NAMES:
        measure = workspace.measure(name)
        expected = reference_model(measure).scores(name, "the of", ["NASA", "apple pie"])
        assert measure.score("the of", ["NASA", "apple pie"]) == pytest.approx(expected, nan_ok=True)


def test_results_of_stop_words_only_give_no_score(build):
    """A model without words would have the best divergence, 0."""
    workspace = build([Document("1", "The", "the of and"), Document("2", "NASA", "NASA leads")])
    found = workspace.measure("dense-prob").score("the", ["NASA", "the"])
    assert np.isnan(found).all()


def test_long_texts_have_scores(workspace):
    long = " ".join(WORDS * 5)
    sparse = workspace.measure("sparse-prob")
    expected = reference_model(sparse).scores("sparse-prob", long, ["NASA", "apple pie"])
    assert sparse.score(long, ["NASA", "apple pie"]) == pytest.approx(expected)
    for name in NAMES:
        assert np.isfinite(workspace.measure(name).score(long, ["NASA", long])).all()
