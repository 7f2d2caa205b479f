"""Properties of every registered measure, on random texts."""

from math import isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.measures import VectorMeasure, measures
from querykin.measures.families import Family
from topics import QUERIES, WORDS

NAMES = sorted(measures)
KERNELS = [name for name in NAMES if measures[name].kind.kernel]


def texts(unknown: str) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from([*WORDS, unknown]), max_size=5).map(" ".join)


def test_the_papers_kernels_are_registered():
    assert {"web-kernel", "web-kernel-paper", "tfidf", "set-overlap", "result-cosine"} <= set(KERNELS)


@pytest.mark.parametrize("name", NAMES)
@given(batch=st.lists(texts("zzyzx"), min_size=2, max_size=6))
@settings(deadline=None, max_examples=20)
def test_a_symmetric_measure_does_not_depend_on_the_order(workspace, name, batch):
    measure = workspace.measure(name)
    there = measure.score_pairs(batch, batch[::-1])
    assert there.shape == (len(batch),)
    if measure.symmetric:
        assert there == pytest.approx(measure.score_pairs(batch[::-1], batch), nan_ok=True)


@pytest.mark.parametrize("name", KERNELS)
@given(batch=st.lists(texts("zzyzx"), min_size=1, max_size=8))
@settings(deadline=None, max_examples=25)
def test_a_kernel_is_1_for_equal_texts_and_between_0_and_1(workspace, name, batch):
    measure = workspace.measure(name)
    covered = measure.encode_candidates(batch).covered
    itself = measure.score_pairs(batch, batch)
    assert itself[covered] == pytest.approx(1.0)
    queries, candidates = [a for a in batch for _ in batch], [b for _ in batch for b in batch]
    scores = measure.score_pairs(queries, candidates).reshape(len(batch), len(batch))
    both = np.outer(covered, covered)
    assert ((scores[both] >= 0) & (scores[both] <= 1)).all()
    if measure.always_scores:
        assert (scores[~both] == 0).all()
    else:
        assert np.isnan(scores[~both]).all()


@pytest.mark.parametrize("name", KERNELS)
@given(batch=st.lists(texts("zzyzx"), min_size=1, max_size=8))
@settings(deadline=None, max_examples=25)
def test_gram_matrices_of_a_kernel_are_positive_semidefinite(workspace, name, batch):
    vectors = workspace.measure(name).encode_candidates([*batch, *QUERIES])
    assert np.linalg.eigvalsh(vectors.gram(vectors)).min() > -1e-9


@pytest.mark.parametrize("name", NAMES)
@given(a=texts("zzyzx"), b=texts("qwrtp"))
@settings(deadline=None, max_examples=20)
def test_the_contributions_of_an_explanation_sum_to_the_score(workspace, name, a, b):
    explanation = workspace.explain(a, b, name)
    score = workspace.similarity(a, b, name)
    assert explanation.score == pytest.approx(score, nan_ok=True)
    shares = [contribution.share for contribution in explanation.contributions]
    assert sum(shares) == pytest.approx(0.0 if isnan(score) else score, abs=1e-9)
    assert shares == sorted(shares, key=abs, reverse=True)


@pytest.mark.parametrize("name", NAMES)
def test_the_contributions_of_equal_texts_sum_to_the_score(workspace, name):
    explanation = workspace.explain("java island", "java island", name)
    assert sum(c.share for c in explanation.contributions) == pytest.approx(explanation.score, abs=1e-9)
    assert explanation.contributions or not explanation.score  # nobody reformulates a query as itself


@pytest.mark.parametrize("name", [name for name in NAMES if measures[name].kind.family is not Family.LOGS])
def test_a_shared_word_outside_the_vocabulary_is_explained(workspace, name):
    a, b = "space exploration zzyzx", "space rockets zzyzx"
    explanation = workspace.explain(a, b, name)
    assert sum(c.share for c in explanation.contributions) == pytest.approx(explanation.score, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_scores_in_a_batch_equal_scores_one_by_one(workspace, name):
    pairs = [(a, b) for a in (*QUERIES, "zzyzx", "") for b in QUERIES[:4]]
    together = workspace.score(pairs, [name])[name]
    alone = [workspace.similarity(a, b, name) for a, b in pairs]
    assert together == pytest.approx(alone, nan_ok=True, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_no_pairs_have_no_scores(workspace, name):
    assert workspace.score([], [name])[name].tolist() == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", ["", "😀", "\ud800", "漢字", "word " * 2000, "x" * 10_000, "\0\n"])
def test_odd_texts_get_a_finite_score_or_none(workspace, name, text):
    scores = workspace.measure(name).score(text, ["NASA", text, "😀"])
    assert len(scores) == 3
    assert not np.isinf(scores).any()
    if measures[name].kind.always_scores:
        assert np.isfinite(scores).all()


@pytest.mark.parametrize("name", [name for name in NAMES if issubclass(measures[name].kind, VectorMeasure)])
def test_features_of_a_row_are_ascending(workspace, name):
    vectors = workspace.measure(name).encode_candidates([*QUERIES, "rocket zzyzx", ""])
    for number in range(len(vectors)):
        features = vectors.row(number)[0].tolist()
        assert features == sorted(set(features))
