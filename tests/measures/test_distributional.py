"""Distributional similarity by the contexts of words (Alfonseca et al. 2009), with and without phrases."""

from math import isnan, sqrt
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from distributional import NAMES, configured, make_documents, query_texts, reference_measure
from querykin import InputError
from querykin.cooccurrence.association import Weighting
from querykin.measures import measures
from reference.association import ReferenceDistributional
from reference.cooccurrence import ReferenceCooccurrence
from stocked import TITLES
from topics import QUERIES, WORDS

SETTINGS = [(weighting, smoothing) for weighting in get_args(Weighting) for smoothing in (0.0, 0.5)]
PAIRS = [(a, b) for a in QUERIES for b in ("NASA", "space travel", "apple pie oven", "java", "Black hole")]
# f(tea, cup) = f(tea, hot) = 1 and so on: every document is a pair of words.
DRINKS = ["tea cup"] * 3 + ["tea hot"] * 2 + ["coffee cup"] * 2 + ["coffee hot"] * 3 + ["stone road"] * 10


def test_worked_chi_square(build):
    """Of 40 co-occurrences tea has 5, 3 with cup and 2 with hot, which have 5 too: 3 2 2 33 and 2 3 3 32.

    Coffee has the same two tables exchanged.
    """
    workspace = configured(build(make_documents(DRINKS)), weighting="chi-square")
    strong = (3 * 33 - 2 * 2) ** 2 * 40 / (5 * 35) ** 2
    weak = (2 * 32 - 3 * 3) ** 2 * 40 / (5 * 35) ** 2
    cosine = 2 * strong * weak / (strong**2 + weak**2)
    for name in NAMES:
        assert workspace.similarity("tea", "coffee", name) == pytest.approx(cosine)
        assert workspace.similarity("tea", "stone", name) == 0.0
        assert workspace.similarity("tea", "tea", name) == pytest.approx(1.0)
    root = configured(workspace, weighting="root")
    cosine = 2 * sqrt(strong * weak) / (strong + weak)
    assert root.similarity("tea", "coffee", "distributional") == pytest.approx(cosine)


def test_worked_geometric_mean(build):
    """The geometric mean of tea and coffee is sqrt(3 * 2) for both cup and hot: equally similar to either."""
    workspace = build(make_documents(DRINKS))
    scores = workspace.measure("distributional").score("tea coffee", ["tea", "coffee", "cup hot", "road"])
    assert scores[0] == pytest.approx(scores[1])
    assert scores[2:].tolist() == [0.0, 0.0]


def test_a_text_whose_words_share_no_context_has_no_score_unless_counts_are_smoothed(build):
    workspace = build(make_documents(DRINKS))
    assert isnan(workspace.similarity("tea stone", "tea", "distributional"))
    smoothed = configured(workspace, smoothing=0.5)
    assert 0 < smoothed.similarity("tea stone", "tea", "distributional") < 1


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("weighting", "smoothing"), SETTINGS)
def test_scores_equal_the_reference(workspace, name, weighting, smoothing):
    measure = configured(workspace, weighting=weighting, smoothing=smoothing).measure(name)
    reference = reference_measure(name, weighting, smoothing)
    expected = [reference.score(a, b) for a, b in PAIRS]
    found = measure.score_pairs([a for a, _ in PAIRS], [b for _, b in PAIRS])
    assert found == pytest.approx(expected, nan_ok=True, abs=1e-9)
    assert sum(score > 0 for score in expected) > len(expected) / 4


@pytest.mark.parametrize("name", NAMES)
@given(a=query_texts, b=query_texts, chosen=st.sampled_from(SETTINGS))
@settings(deadline=None, max_examples=60)
def test_scores_of_random_texts_equal_the_reference(workspace, name, a, b, chosen):
    weighting, smoothing = chosen
    measure = configured(workspace, weighting=weighting, smoothing=smoothing).measure(name)
    expected = reference_measure(name, weighting, smoothing).score(a, b)
    assert measure.score(a, [b])[0] == pytest.approx(expected, nan_ok=True, abs=1e-9)


@given(
    st.lists(st.lists(st.sampled_from("abcd"), max_size=8).map(" ".join), min_size=1, max_size=5),
    st.lists(st.lists(st.sampled_from("abcde"), max_size=3).map(" ".join), min_size=2, max_size=2),
    st.sampled_from(SETTINGS),
)
@settings(deadline=None, max_examples=50)
def test_scores_over_random_corpora_equal_the_reference(build, bodies, pair, chosen):
    weighting, smoothing = chosen
    workspace = configured(build(make_documents(bodies, "a b")), weighting=weighting, smoothing=smoothing)
    counted = ReferenceCooccurrence.over(make_documents(bodies, "a b"), ["a b"])
    for name in NAMES:
        reference = ReferenceDistributional(counted, measures[name].kind.phrases, weighting, smoothing)
        expected = reference.score(*pair)
        assert workspace.similarity(*pair, name) == pytest.approx(expected, nan_ok=True, abs=1e-6)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("weighting", "smoothing"), SETTINGS)
@given(batch=st.lists(query_texts, min_size=1, max_size=8))
@settings(deadline=None, max_examples=10)
def test_the_gram_matrix_is_positive_semidefinite_under_every_weighting(
    workspace, name, weighting, smoothing, batch
):
    measure = configured(workspace, weighting=weighting, smoothing=smoothing).measure(name)
    rows = measure.encode_candidates([*batch, *QUERIES])
    gram = rows.gram(rows)[np.ix_(rows.covered, rows.covered)]
    assert np.linalg.eigvalsh(gram).min() > -1e-9
    assert gram == pytest.approx(gram.T)
    assert np.diag(gram) == pytest.approx(1.0)
    assert gram.min() >= 0
    assert rows.weights.min() > 0


@pytest.mark.parametrize("name", NAMES)
def test_texts_of_one_topic_are_more_similar_than_texts_of_two(workspace, name):
    assert workspace.similarity("NASA", "ESA", name) > workspace.similarity("NASA", "omelette", name)
    assert workspace.similarity("Bali", "Sumatra", name) > workspace.similarity("Bali", "pitcher", name)


@pytest.mark.parametrize("terms", [1, 3, 10])
def test_only_the_strongest_contexts_of_a_text_are_kept(workspace, terms):
    measure = configured(workspace, terms=terms).measure("distributional")
    reference = reference_measure("distributional")
    for text in ("NASA", "java island", "the"):
        strongest = np.sort(list(reference.vector(text).values()))[::-1][:terms]
        _, weights = measure.encode_candidates([text]).row(0)
        assert np.sort(weights)[::-1] == pytest.approx(strongest / np.linalg.norm(strongest))


def test_a_batch_is_encoded_like_its_texts_one_by_one(workspace):
    measure = workspace.measure("distributional-ngrams")
    many = [*TITLES, "zzyzx", *QUERIES, ""] * 2
    together = measure.encode_candidates(many)
    for number in range(0, len(many), 7):
        alone = measure.encode_candidates([many[number]])
        assert together.row(number)[0].tolist() == alone.features.tolist()
        assert together.row(number)[1] == pytest.approx(alone.weights)


@pytest.mark.parametrize("times", [1, 2, 3])
def test_words_that_co_occur_by_chance_have_no_score(build, times):
    """a and b have the same distribution of contexts, 1 to n; rounding errors must not distinguish them."""
    for n in (1, 3, 5):
        workspace = build(make_documents([*["a a"], *["a b"] * 2 * n, *["b b"] * n * n] * times))
        for weighting in get_args(Weighting):
            found = configured(workspace, weighting=weighting).similarity("a", "b", "distributional")
            assert isnan(found), (times, n, weighting, found)


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_weighting_is_an_error_that_lists_the_known_ones(workspace, name):
    with pytest.raises(InputError, match=r"chi-square, root, npmi.*'tfidf'"):
        configured(workspace, weighting="tfidf").similarity("NASA", "ESA", name)


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_weighting_is_refused_when_the_measure_is_created(workspace, name):
    with pytest.raises(InputError, match=f"{name}: weighting must be one of chi-square, root, npmi, got 'x'"):
        configured(workspace, weighting="x").measure(name)


@pytest.mark.parametrize("weighting", get_args(Weighting))
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("smoothing", [1e-320, 1e-9, 1e9])
def test_extreme_smoothing_gives_finite_scores(workspace, name, weighting, smoothing):
    """Warnings of overflow would be errors."""
    measure = configured(workspace, weighting=weighting, smoothing=smoothing).measure(name)
    texts = ["space", "space exploration", "java island", " ".join(WORDS), " ".join([*WORDS] * 40)]
    scores = np.array([measure.score(text, texts) for text in texts])
    assert np.isfinite(scores[~np.isnan(scores)]).all()
    if smoothing < 1:
        assert np.diag(scores)[:3] == pytest.approx(1)
