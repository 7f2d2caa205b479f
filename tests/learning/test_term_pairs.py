"""Cosines under weights of term features, and their gradients, equal the reference."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from querykin.learning.tweak.term_pairs import TermPairs
from reference import tweak as reference

FEATURES = 3
values = st.integers(-8, 8).map(lambda n: n / 4)
texts = st.dictionaries(st.integers(0, 6), st.tuples(*[values] * FEATURES), max_size=6)
weights = st.tuples(*[values] * FEATURES)


def prepared(drawn, left, right):
    indptr = np.cumsum([0, *map(len, drawn)])
    terms = np.array([term for text in drawn for term in sorted(text)], np.int64)
    rows = [text[term] for text in drawn for term in sorted(text)]
    features = np.array(rows, np.float32).reshape(len(terms), FEATURES)
    return TermPairs.of(indptr, terms, features, np.array(left, np.int64), np.array(right, np.int64))


@st.composite
def pairs(draw):
    drawn = draw(st.lists(texts, min_size=1, max_size=5))
    side = st.integers(0, len(drawn) - 1)
    chosen = draw(st.lists(st.tuples(side, side), min_size=1, max_size=6))
    return drawn, [a for a, _ in chosen], [b for _, b in chosen]


@given(pairs(), weights)
@settings(deadline=None, max_examples=200)
def test_cosines_equal_the_reference(given_pairs, w):
    drawn, left, right = given_pairs
    found = prepared(drawn, left, right).cosines(np.array(w))
    expected = [reference.cosine(drawn[a], drawn[b], w) for a, b in zip(left, right, strict=True)]
    assert found.tolist() == pytest.approx(expected, nan_ok=True)
    assert all(math.isnan(score) or 0 <= score <= 1 for score in found.tolist())


@given(pairs(), weights, st.data())
@settings(deadline=None, max_examples=200)
def test_the_gradient_equals_the_finite_difference(given_pairs, w, data):
    _, left, _ = given_pairs
    made, at = prepared(*given_pairs), np.array(w)
    raw = made.features.astype(float) @ at
    assume((np.abs(raw) > 1e-3).all())  # max(0, x) has no derivative at 0
    factors = np.array(data.draw(st.lists(values, min_size=len(left), max_size=len(left))))
    gradient = made.forward(at)[1].gradient(factors)
    for feature in range(FEATURES):
        step = np.zeros(FEATURES)
        step[feature] = 1e-6
        change = (made.forward(at + step)[0] - made.forward(at - step)[0]) @ factors / 2e-6
        assert gradient[feature] == pytest.approx(change, rel=1e-4, abs=1e-4)


@given(pairs(), weights)
@settings(deadline=None, max_examples=100)
def test_the_scale_of_the_weights_does_not_matter(given_pairs, w):
    made = prepared(*given_pairs)
    assert made.cosines(np.array(w)).tolist() == pytest.approx(
        made.cosines(3 * np.array(w)).tolist(), nan_ok=True
    )


@given(pairs(), weights, st.data())
@settings(deadline=None, max_examples=100)
def test_selected_pairs_have_the_same_scores(given_pairs, w, data):
    made = prepared(*given_pairs)
    rows = np.array(data.draw(st.lists(st.integers(0, len(made) - 1), max_size=5)), np.int64)
    part = made.take(rows)
    expected = made.cosines(np.array(w))[rows].tolist()
    assert part.cosines(np.array(w)).tolist() == pytest.approx(expected, nan_ok=True)
    assert part.covered.tolist() == made.covered[rows].tolist()
