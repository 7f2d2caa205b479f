"""Geometric means of counts, and how far they are from chance (Alfonseca et al. 2009)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

from querykin.compute.arrays import make_indptr
from querykin.cooccurrence.association import (
    WEIGHTINGS,
    associated,
    chi_square,
    geometric_means,
    npmi,
    row_sums,
)
from querykin.vectors import Vectors
from reference import association as reference

CONTEXTS = "abcdefgh"
counts = st.dictionaries(st.sampled_from(CONTEXTS), st.integers(1, 1000), max_size=len(CONTEXTS))
texts = st.lists(st.lists(st.integers(0, 4), max_size=4), max_size=4)
smoothings = st.sampled_from([0.0, 0.001, 0.5, 1.0, 20.0])
cells = st.integers(0, 10**6)


def vectors(rows) -> Vectors:
    """Dictionaries as sparse rows over numbered contexts."""
    ordered = [sorted(row.items()) for row in rows]
    features = [CONTEXTS.index(context) for row in ordered for context, _ in row]
    weights = [float(weight) for row in ordered for _, weight in row]
    return Vectors(make_indptr(map(len, rows)), np.array(features, np.int64), np.array(weights), "counts")


def dictionaries(vectors: Vectors) -> list[dict[str, float]]:
    found = []
    for number in range(len(vectors)):
        features, weights = (values.tolist() for values in vectors.row(number))
        assert features == sorted(set(features))
        found.append({CONTEXTS[f]: weight for f, weight in zip(features, weights, strict=True)})
    return found


def mean(*values: float) -> float:
    """The geometric mean of one context's counts."""
    rows = vectors([{"a": value} for value in values])
    return float(geometric_means(np.array([0, len(values)]), np.arange(len(values)), rows, 1).weights[0])


def one(function, observed, row, column, total) -> float:
    return float(function(np.array([observed]), np.array([row]), np.array([column]), total)[0])


@pytest.mark.parametrize(
    ("counts", "printed"),
    [
        ((11, 6, 4), 6.41506),  # 6.415069: printed cut off, not rounded
        ((2, 5, 2), 2.71441),  # 2.714418: cut off too
        ((3, 10, 4), 4.93242),
        ((5, 3, 3), 3.55689),
        ((5, 9, 92), 16.05709),  # 16.057088: rounded
        ((42, 3, 4), 7.95811),
        ((3, 2, 3), 2.62074),
    ],
)
def test_the_rows_of_acid_fast_bacteria_are_those_of_the_paper(counts, printed):
    assert mean(*counts) == pytest.approx(printed, abs=1e-5)
    assert mean(*counts) == pytest.approx(reference.geometric_mean(counts))


def test_the_row_that_the_paper_misprints_is_the_cube_root_of_56():
    """Printed is 8.24257, whose cube is 560."""
    assert round(8.24257**3, 2) == 560
    assert mean(1, 28, 2) == pytest.approx(56 ** (1 / 3))


@given(st.lists(counts, min_size=5, max_size=5), texts, smoothings)
@settings(deadline=None, max_examples=100)
def test_means_equal_the_reference(rows, texts, smoothing):
    indptr, units = make_indptr(map(len, texts)), np.array([u for text in texts for u in text], np.int64)
    found = dictionaries(geometric_means(indptr, units, vectors(rows), len(CONTEXTS), smoothing))
    assert len(found) == len(texts)
    for text, row in zip(texts, found, strict=True):
        assert row == pytest.approx(reference.means([rows[unit] for unit in text], smoothing))


@given(st.lists(counts, min_size=5, max_size=5), texts)
@settings(deadline=None, max_examples=100)
def test_sums_of_rows_equal_the_reference(rows, texts):
    indptr, units = make_indptr(map(len, texts)), np.array([u for text in texts for u in text], np.int64)
    found = dictionaries(row_sums(indptr, units, vectors(rows), len(CONTEXTS)))
    assert found == [reference.total([rows[unit] for unit in text]) for text in texts]


def test_a_context_that_one_word_lacks_is_left_out_unless_counts_are_smoothed():
    rows, text = vectors([{"a": 100, "b": 4}, {"b": 9}]), (np.array([0, 2]), np.array([0, 1]))
    assert dictionaries(geometric_means(*text, rows, 2)) == [pytest.approx({"b": 6.0})]
    smoothed = dictionaries(geometric_means(*text, rows, 2, 1.0))
    assert smoothed == [pytest.approx({"a": 101**0.5, "b": 50**0.5})]


@given(counts, smoothings)
@settings(deadline=None, max_examples=50)
def test_the_mean_of_a_word_alone_or_repeated_is_its_counts(row, smoothing):
    both = geometric_means(np.array([0, 1, 3]), np.array([0, 0, 0]), vectors([row]), 8, smoothing)
    once, twice = dictionaries(both)
    assert once == pytest.approx({context: count + smoothing for context, count in row.items()})
    assert twice == pytest.approx(once)


def test_texts_without_words_and_words_without_contexts_have_empty_rows():
    rows = vectors([{}, {"a": 3}])
    for smoothing, both in ((0.0, {}), (1.0, {"a": 2.0})):
        indptr, units = np.array([0, 0, 1, 3, 3]), np.array([0, 0, 1])
        found = dictionaries(geometric_means(indptr, units, rows, 8, smoothing))
        assert found == [{}, {}, pytest.approx(both), {}]


@pytest.mark.parametrize("smoothing", [0.0, 0.5])
def test_rows_longer_than_the_first_buffer_are_whole(smoothing):
    size = 100_000
    features = np.tile(np.arange(size), 2)
    rows = Vectors(np.array([0, size, 2 * size]), features, np.repeat([2.0, 8.0], size), "counts")
    found = geometric_means(np.array([0, 1, 3]), np.array([0, 0, 1]), rows, size, smoothing)
    assert np.diff(found.indptr).tolist() == [size, size]
    assert found.features.tolist() == features.tolist()
    expected = [2 + smoothing, ((2 + smoothing) * (8 + smoothing)) ** 0.5]
    assert found.weights == pytest.approx(np.repeat(expected, size))


def test_sums_longer_than_the_first_buffer_are_whole():
    size = 100_000
    rows = Vectors(np.array([0, size]), np.arange(size), np.ones(size), "counts")
    found = row_sums(np.array([0, 1, 3]), np.zeros(3, np.int64), rows, size)
    assert found.features.tolist() == [*range(size), *range(size)]
    assert found.weights.tolist() == [1.0] * size + [2.0] * size


def test_means_of_many_words_neither_overflow_nor_vanish():
    assert mean(*[1e12] * 500) == pytest.approx(1e12)
    assert mean(*[1.0] * 500) == 1.0


def test_worked_chi_square():
    """By chance each cell has 25 of 100; 5 more or fewer make four times 5^2 / 25."""
    assert one(chi_square, 30.0, 50.0, 50.0, 100.0) == pytest.approx(4.0)
    assert one(chi_square, 20.0, 50.0, 50.0, 100.0) == pytest.approx(-4.0)
    assert one(chi_square, 25.0, 50.0, 50.0, 100.0) == 0.0


@given(cells, cells, cells, cells)
@settings(deadline=None, max_examples=100)
def test_chi_square_is_that_of_scipy_and_of_the_textbook_with_the_sign_of_the_difference(a, b, c, d):
    table = np.array([[a, b], [c, d]], np.float64)
    found = one(chi_square, float(a), float(a + b), float(a + c), float(a + b + c + d)) if table.any() else 0
    if 0 in (a + b, c + d, a + c, b + d):
        assert found == 0.0
        return
    expected = chi2_contingency(table, correction=False).statistic
    sign = np.sign(a * d - b * c)  # whole numbers: exact
    assert found == pytest.approx(sign * expected, rel=1e-6, abs=1e-6)
    assert found == pytest.approx(reference.chi_square(a, a + b, a + c, a + b + c + d), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("scale", [1e3, 1e6, 1e9, 1e12])
def test_chi_square_is_stable_for_huge_counts(scale):
    for table in ([[3, 5], [4, 900]], [[1, 20], [30, 8]], [[0.1, 2], [3, 5e3]], [[7, 1], [1, 1e6]]):
        whole = np.array(table) * scale
        found = one(chi_square, whole[0, 0], whole[0].sum(), whole[:, 0].sum(), whole.sum())
        assert abs(found) == pytest.approx(chi2_contingency(whole, correction=False).statistic)
        assert np.isfinite(found)


def test_chi_square_of_a_rare_pair_in_a_huge_corpus_is_finite_and_that_of_scipy():
    whole = np.array([[3.0, 40.0], [500.0, 1e12]])
    found = one(chi_square, 3.0, 43.0, 503.0, whole.sum())
    assert found == pytest.approx(chi2_contingency(whole, correction=False).statistic)


def test_chi_square_is_0_where_a_marginal_is_everything_or_nothing():
    assert one(chi_square, 10.0, 10.0, 10.0, 10.0) == 0.0
    assert one(chi_square, 5.0, 10.0, 5.0, 10.0) == 0.0
    assert one(chi_square, 5.0, 5.0, 10.0, 10.0) == 0.0


def test_chi_square_is_largest_where_two_things_only_occur_together():
    assert one(chi_square, 20.0, 20.0, 20.0, 500.0) == pytest.approx(500.0)


@given(st.integers(1, 1000), st.integers(0, 1000), st.integers(0, 1000), st.integers(1, 1000))
@settings(deadline=None, max_examples=100)
def test_npmi_is_that_of_the_reference_and_between_minus_1_and_1(a, b, c, d):
    found = one(npmi, float(a), float(a + b), float(a + c), float(a + b + c + d))
    assert found == pytest.approx(reference.npmi(a, a + b, a + c, a + b + c + d), abs=1e-9)
    assert -1 <= found <= 1 + 1e-12
    assert np.sign(round(found, 9)) in (0, np.sign(a * d - b * c))


def test_worked_npmi():
    """1 where two things only occur together, 0 by chance, log 2 / log 4 where twice as often."""
    assert one(npmi, 20.0, 20.0, 20.0, 500.0) == pytest.approx(1.0)
    assert one(npmi, 500.0, 500.0, 500.0, 500.0) == 1.0
    assert one(npmi, 25.0, 50.0, 50.0, 100.0) == pytest.approx(0.0)
    assert one(npmi, 25.0, 50.0, 25.0, 100.0) == pytest.approx(0.5)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@given(rows=st.lists(counts, min_size=1, max_size=4))
@settings(deadline=None, max_examples=60)
def test_only_contexts_more_frequent_than_by_chance_are_kept(weighting, rows):
    marginals = {context: 1 + sum(row.get(context, 0) for row in rows) for context in CONTEXTS}
    table, total = np.array(list(marginals.values())), float(sum(marginals.values()))
    found = dictionaries(associated(vectors(rows), table, total, weighting))
    assert len(found) == len(rows)
    for row, weights in zip(rows, found, strict=True):
        assert all(weight > 0 for weight in weights.values())
        above = {context: weight for context, weight in weights.items() if weight > 1e-7}
        expected = reference.weights(row, marginals, total, weighting)
        expected = {context: weight for context, weight in expected.items() if weight > 1e-7}
        assert above == pytest.approx(expected, rel=1e-6)


@given(rows=st.lists(counts, min_size=1, max_size=4))
@settings(deadline=None, max_examples=50)
def test_the_root_is_the_square_root_of_chi_square(rows):
    marginals, total = np.full(len(CONTEXTS), 5000), 40000.0
    plain, root = (associated(vectors(rows), marginals, total, name) for name in ("chi-square", "root"))
    assert root.features.tolist() == plain.features.tolist()
    assert root.weights**2 == pytest.approx(plain.weights)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_contexts_as_frequent_as_by_chance_are_dropped_whatever_their_last_bits(weighting):
    """All integer marginals up to 30 whose expected count is an integer, with exactly that count."""
    kept = []
    for row in range(1, 30):
        for column in range(1, 30):
            for total in range(max(row, column) + 1, 60):
                if row * column % total == 0:
                    observed = row * column // total
                    means = vectors([{"a": observed, "b": row - observed} if row > observed else {"a": row}])
                    marginals = np.array([column, total - column])
                    found = associated(means, marginals, float(total), weighting)
                    kept += [(observed, row, column, total)] if len(found.features) else []
    assert kept == []
