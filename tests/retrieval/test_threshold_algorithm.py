"""The best weighted sums: against sorting all of them, with few accesses."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.retrieval import threshold_algorithm
from querykin.retrieval.threshold_algorithm import MeanWeights, top_sums

numbers = st.sampled_from([-1.0, -0.5, 0.0, 0.25, 0.5, 1.0]) | st.floats(-1, 1)  # ties are common
positive = st.sampled_from([0.0, 0.0, 0.5, 1.0]) | st.floats(0, 1)


class Scores:
    """The second scores, and how often they are asked for."""

    def __init__(self, second: np.ndarray) -> None:
        self.second, self.depths, self.looked_up = second, [], 0

    def sorted_access(self, depth):
        self.depths.append(depth)
        order = np.argsort(-self.second, kind="stable")
        best = order[self.second[order] > 0][:depth]
        return best, self.second[best]

    def random_access(self, candidates):
        self.looked_up += len(candidates)
        return self.second[candidates]


def brute_force(first, factors, second, k, min_sum) -> dict[int, float]:
    """The best k sums and all that tie with the last."""
    sums = {i: first[i] + factors[i] * second[i] for i in range(len(first)) if first[i] > -np.inf}
    enough = {i: total for i, total in sums.items() if total >= min_sum}
    last = sorted(enough.values(), reverse=True)[:k][-1] if enough else 0.0
    return {i: total for i, total in enough.items() if total >= last}


def as_means(factors: np.ndarray) -> MeanWeights:
    """Weights whose means are these factors."""
    return MeanWeights(0.0, 2 * factors)


def found_by(first, factors, second, k, min_sum=-np.inf) -> tuple[dict[int, float], Scores]:
    scores = Scores(second)
    candidates = np.arange(len(first))
    found, sums = top_sums(
        candidates, first, as_means(factors), scores.sorted_access, scores.random_access, k, min_sum
    )
    assert len(set(found.tolist())) == len(found)
    return dict(zip(found.tolist(), sums.tolist(), strict=True)), scores


@st.composite
def lists(draw):
    size = draw(st.integers(0, 60))
    first = draw(st.lists(numbers | st.just(-np.inf), min_size=size, max_size=size))
    factors = draw(st.lists(positive, min_size=size, max_size=size))
    second = draw(st.lists(positive, min_size=size, max_size=size))
    return np.array(first), np.array(factors), np.array(second)


@given(lists(), st.integers(1, 70), st.just(-np.inf) | numbers, st.integers(1, 8), st.integers(1, 4))
@settings(max_examples=300)
def test_the_best_sums_are_those_of_sorting_all(columns, k, min_sum, depth, lookups):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threshold_algorithm, "_DEPTH", depth)
        patch.setattr(threshold_algorithm, "_LOOKUPS", lookups)
        found, _ = found_by(*columns, k, min_sum)
    assert found == brute_force(*columns, k, min_sum)


@given(lists(), st.integers(1, 70), st.sets(st.integers(0, 59)))
@settings(max_examples=100)
def test_sorted_access_may_give_others_than_the_candidates(columns, k, left_out):
    candidates = np.array([i for i in range(len(columns[0])) if i not in left_out], np.int64)
    first, factors, second = columns
    scores = Scores(second)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threshold_algorithm, "_DEPTH", 4)
        found, sums = top_sums(
            candidates,
            first[candidates],
            as_means(factors[candidates]),
            scores.sorted_access,
            scores.random_access,
            k,
        )
    among = np.full(len(first), -np.inf)
    among[candidates] = first[candidates]
    assert dict(zip(found.tolist(), sums.tolist(), strict=True)) == brute_force(
        among, factors, second, k, -np.inf
    )


@given(st.integers(1, 300), st.integers(1, 300))
@settings(max_examples=30)
def test_sums_that_are_all_equal_are_all_found(size, k):
    found, _ = found_by(np.full(size, 0.5), np.full(size, 0.5), np.full(size, 0.5), k)
    assert found == dict.fromkeys(range(size), 0.75)


def test_nothing_may_be_returned():
    everything = np.full(200, -np.inf), np.ones(200), np.ones(200)
    assert found_by(*everything, 5)[0] == {}
    assert found_by(np.zeros(0), np.zeros(0), np.zeros(0), 5)[0] == {}
    assert found_by(np.zeros(3), np.ones(3), np.ones(3), 2, min_sum=1.5)[0] == {}


def random_columns(size: int):
    random = np.random.default_rng(2003)
    return random.normal(0, 0.2, size), random.uniform(0, 1, size), random.uniform(0, 1, size) ** 20


@pytest.mark.parametrize("k", [1, 10, 500])
def test_many_candidates_need_few_accesses(k):
    columns = random_columns(50_000)
    found, scores = found_by(*columns, k)
    assert found == brute_force(*columns, k, -np.inf)
    assert scores.looked_up < len(columns[0]) / 4
    assert max(scores.depths) < len(columns[0])


def test_a_minimum_saves_accesses():
    columns = random_columns(50_000)
    _, plain = found_by(*columns, 1000)
    found, limited = found_by(*columns, 1000, 1.2)
    assert found == brute_force(*columns, 1000, 1.2)
    assert limited.looked_up <= plain.looked_up
    assert sum(limited.depths) <= sum(plain.depths)


def test_without_second_scores_nothing_is_looked_up():
    first = np.linspace(-1, 1, 1000)
    found, scores = found_by(first, np.ones(1000), np.zeros(1000), 3)
    assert set(found) == {997, 998, 999}
    assert scores.looked_up == 0
