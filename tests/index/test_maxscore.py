"""MaxScore: the exact top k, equal to brute force to the last bit, whatever the rows."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from querykin.index import maxscore
from querykin.index.length_penalties import NO_PENALTIES, length_penalties_of
from querykin.index.maxscore import SearchLimits
from querykin.index.posting_blocks import BLOCK, PostingBlocks, QueryVector, inner_products, inner_products_of
from reference import top_k as reference
from reference.vectors import Row, unit

# Equal weights and few features make ties; 1e-30 and 1e30 in one row leave weights that are 0 as float32.
weight = st.one_of(
    st.sampled_from([1.0, 0.5, 2.0]), st.sampled_from([1e-30, 1e-4, 1e4, 1e30]), st.floats(0.01, 9)
)
# Lists are always essential, essential if that is faster, or non-essential as soon as the bounds allow.
SHORT_LISTS = (maxscore.SHORT_LIST, 0, -(2**40))
feature = st.one_of(st.integers(-4, 8), st.sampled_from([-(2**62), 2**62]))
row = st.dictionaries(feature, weight, max_size=8).map(unit)
rows = st.lists(row, max_size=30)


def stored(row: Row) -> Row:
    """Weights as they are on disk."""
    return {feature: float(np.float32(weight)) for feature, weight in row.items()}


def lists(rows: list[Row], dtype: type = np.float32) -> PostingBlocks:
    """Posting lists of one block: features ascending, the rows of each ascending."""
    entries = sorted(
        (feature, number, weight) for number, row in enumerate(rows) for feature, weight in row.items()
    )
    features, sizes = np.unique(np.array([entry[0] for entry in entries], np.int64), return_counts=True)
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    weights = np.array([entry[2] for entry in entries], dtype)
    return PostingBlocks(
        np.array([0, len(features)]),
        np.array([0, len(entries)]),
        features,
        indptr.astype(np.uint32),
        np.array([weights[begin:end].max() for begin, end in pairwise(indptr)], dtype),
        np.array([entry[1] for entry in entries], np.uint16),
        weights,
    )


def query_vector(query: Row, tf_scaling: Row | None = None) -> QueryVector:
    features = sorted(query)
    weights = np.array([query[f] for f in features], np.float64)
    scaling = np.array([(tf_scaling or {}).get(f, 0.0) for f in features], np.float64)
    return QueryVector(np.array(features, np.int64), weights, scaling)


def search(rows: list[Row], live: list[bool], query: Row, k: int) -> list[tuple[int, float]]:
    return search_lists(lists(rows), live, query, k)


def search_lists(
    lists: PostingBlocks, live: list[bool], query: Row, k: int, slack: float = 0.0, min_score: float = -np.inf
) -> list:
    buffer = np.full(BLOCK, np.nan)  # its content must not matter
    arguments = lists, np.array(live, np.bool_), query_vector(query), NO_PENALTIES
    found = []
    for short in SHORT_LISTS:
        numbers, scores = maxscore.top_k(*arguments, SearchLimits(k, slack, min_score, short), buffer)
        found.append(list(zip(numbers.tolist(), scores.tolist(), strict=True)))
    assert found[0] == found[1] == found[2]
    return found[0]


def expect_the_reference(rows: list[Row], live: list[bool], query: Row, k: int) -> None:
    expected = reference.top_k([stored(row) for row in rows], live, query, k)
    assert search(rows, live, query, k) == expected


@given(rows, row, st.integers(1, 40), st.data())
@settings(deadline=None, max_examples=300)
def test_the_top_k_are_those_of_brute_force(rows, query, k, data):
    live = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    expect_the_reference(rows, live, query, k)


@given(rows, row, st.integers(1, 40), st.data())
@settings(deadline=None, max_examples=150)
def test_rows_below_the_minimum_score_are_left_out_and_no_others(rows, query, k, data):
    live = [True] * len(rows)
    everything = reference.top_k([stored(row) for row in rows], live, query, k)
    min_score = data.draw(st.sampled_from([-1.0, 0.0, 0.5, *(score for _, score in everything)]))
    reaching = [(number, score) for number, score in everything if score >= min_score]
    assert search_lists(lists(rows), live, query, k, min_score=min_score) == reaching


@given(
    st.lists(row, min_size=1, max_size=4), st.lists(st.integers(0, 3), max_size=40), row, st.integers(1, 12)
)
@settings(deadline=None, max_examples=150)
def test_ties_are_in_the_order_of_row_numbers(kinds, chosen, query, k):
    rows = [kinds[i % len(kinds)] for i in chosen]
    expect_the_reference(rows, [True] * len(rows), query, k)
    for (a, higher), (b, lower) in pairwise(search(rows, [True] * len(rows), query, k)):
        assert higher > lower or a < b


@given(st.lists(feature, max_size=30), row, st.integers(1, 12))
@settings(deadline=None, max_examples=150)
def test_rows_of_one_feature_are_ranked_by_the_query(features, query, k):
    expect_the_reference([{feature: 1.0} for feature in features], [True] * len(features), query, k)


@given(rows, feature, st.integers(1, 12))
@settings(deadline=None, max_examples=100)
def test_a_query_of_one_term_is_its_list(rows, wanted, k):
    expect_the_reference(rows, [True] * len(rows), {wanted: 1.0}, k)


@given(rows, st.integers(1, 12))
@settings(deadline=None, max_examples=50)
@example([], 1)
@example([{}], 1)
def test_a_query_without_known_features_finds_nothing(rows, k):
    for query in ({}, {77: 1.0}, {-77: 0.6, 78: 0.8}):
        assert search(rows, [True] * len(rows), query, k) == []


@st.composite
def at_the_bound(draw) -> tuple[Row, list[Row]]:
    """A query, and rows of a run of its terms: a run at the end reaches the bound of the remaining lists."""
    weights = sorted(draw(st.lists(st.floats(0.2, 1), min_size=2, max_size=8)), reverse=True)
    query = unit(dict(enumerate(weights)))
    borders = st.tuples(st.integers(0, len(weights)), st.integers(0, len(weights))).map(sorted)
    rows = []
    for number in range(draw(st.integers(2, 30))):
        begin, end = draw(borders)
        foreign = {100 + number: draw(st.sampled_from([0.01, 0.2, 0.5, 1.0]))}
        rows.append(unit({term: query[term] for term in range(begin, end)} | foreign))
    return query, rows


@given(at_the_bound(), st.integers(1, 4))
@settings(deadline=None, max_examples=300)
def test_rows_that_score_only_in_the_last_lists_are_not_lost(made, k):
    query, rows = made
    expect_the_reference(rows, [True] * len(rows), query, k)


def test_a_row_that_the_last_list_lifts_above_the_best_is_kept():
    rows = [unit({0: 0.875, 9: 0.484}), unit({0: 0.2, 1: 0.98})]  # 0.70 and 0.16 + 0.59
    assert [number for number, _ in search(rows, [True, True], {0: 0.8, 1: 0.6}, 1)] == [1]


def test_deleted_rows_are_not_found_and_do_not_displace_live_ones():
    rows = [{1: 1.0}] * 50 + [unit({1: 1.0, 2: 3.0})]
    assert search(rows, [False] * 50 + [True], unit({1: 1.0, 2: 0.1}), 3)[0][0] == 50
    assert search(rows, [False] * 51, {1: 1.0}, 3) == []


def test_weights_that_underflow_on_disk_are_harmless():
    tiny = {feature: 1e-60 for feature in range(500)}
    rows = [tiny | {-1: 1.0}, tiny | {-2: 1.0}]
    query = unit({feature: 1.0 for feature in range(500)} | {-2: 0.1})
    assert [number for number, _ in search(rows, [True, True], query, 5)] == [1]


@given(
    st.lists(st.dictionaries(feature, st.integers(0, 700), max_size=6), max_size=20),
    row,
    st.dictionaries(feature, st.floats(0.001, 50)),
)
@settings(deadline=None, max_examples=150)
def test_inner_products_take_logarithms_where_a_feature_has_tf_scaling(rows, query, tf_scaling):
    for dtype in (np.float32, np.uint16):
        blocks, vector = lists(rows, dtype), query_vector(query, tf_scaling)
        found = inner_products(blocks, vector, len(rows))
        assert found == pytest.approx(
            [reference.scaled_inner_product(row, query, tf_scaling) for row in rows], rel=1e-12
        )
        even = np.arange(0, len(rows), 2)
        assert inner_products_of(blocks, vector, even).tolist() == found[even].tolist()


@given(
    st.lists(st.dictionaries(feature, st.integers(0, 700), max_size=6), max_size=20),
    row,
    st.dictionaries(feature, st.floats(0.001, 50)),
    st.floats(0, 2),
    st.integers(1, 25),
    st.data(),
)
@settings(deadline=None, max_examples=150)
def test_penalized_rows_are_ranked_by_score_less_penalty(rows, query, tf_scaling, mass, k, data):
    penalty = st.one_of(st.sampled_from([0.0, 1.0, 7.5, np.nan]), st.floats(0, 30))
    length_penalties = data.draw(st.lists(penalty, min_size=len(rows), max_size=len(rows)))
    live = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    penalties = length_penalties_of(np.array(length_penalties, np.float64))._replace(mass=mass)
    arguments = lists(rows), np.array(live, np.bool_), query_vector(query, tf_scaling), penalties
    expected = reference.penalized(rows, live, query, tf_scaling, length_penalties, mass, k, 1e-9)
    ways = []
    for short, dtype in product(SHORT_LISTS, (np.float32, np.float64)):
        limits, buffer = SearchLimits(k, 1e-9, -np.inf, short), np.full(BLOCK, np.nan, dtype)
        found, scores = maxscore.top_k(*arguments, limits, buffer)
        assert sorted(found.tolist()) == sorted(expected)
        assert scores == pytest.approx([expected[number] for number in found.tolist()], rel=1e-9, abs=1e-12)
        assert all(higher >= lower for higher, lower in pairwise(scores))
        ways.append((found.tolist(), scores.tolist()))
    assert all(way == ways[0] for way in ways)  # to the last bit


@pytest.fixture(scope="module")
def many() -> list[Row]:
    """2,000 rows whose features follow Zipf's law, as words do."""
    rng = np.random.default_rng(6)
    return [
        unit(
            dict(
                zip(rng.zipf(1.3, 25).clip(0, 5000).tolist(), rng.exponential(size=25).tolist(), strict=True)
            )
        )
        for _ in range(2000)
    ]


def similar_query(row: Row, rng: np.random.Generator) -> Row:
    """A query similar to a row: a few strong features and a long tail."""
    noise = dict.fromkeys(rng.zipf(1.3, 15).clip(0, 5000).tolist(), 0.05)
    return unit(noise | row)


@pytest.mark.parametrize("k", [1, 3, 10, 200, 5000])
def test_among_many_rows_none_is_lost(k, many):
    rng, on_disk, blocks = np.random.default_rng(k), [stored(row) for row in many], lists(many)
    live = (rng.random(len(many)) < 0.9).tolist()
    close = [similar_query(many[number], rng) for number in rng.integers(len(many), size=5)]
    flat = [unit(dict.fromkeys(rng.integers(0, 40, 20).tolist(), 1.0)) for _ in range(2)]
    for query in close + flat:
        assert search_lists(blocks, live, query, k) == reference.top_k(on_disk, live, query, k)


@pytest.mark.parametrize("k", [1, 10])
def test_with_slack_all_rows_near_the_last_are_found(k, many):
    query, live = similar_query(many[7], np.random.default_rng(2)), [True] * len(many)
    everything = reference.top_k([stored(row) for row in many], live, query, len(many))
    bound = everything[k - 1][1] * 0.1
    expected = [(number, score) for number, score in everything if score >= bound]
    assert search_lists(lists(many), live, query, k, slack=0.9) == expected
    assert len(expected) > k
