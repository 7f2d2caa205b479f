"""The order of results: by score, then by count, then by text, wherever the list is cut."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from querykin.index.ranking import best


class Asked:
    """As much of a repository as an order needs."""

    def __init__(self, texts: list[str], counts: list[int]) -> None:
        self._texts, self.counts = texts, np.array(counts, np.int64)

    def texts(self, numbers) -> list[bytes]:
        return [self._texts[number].encode() for number in numbers]


candidates = st.lists(
    st.tuples(st.text("abé", min_size=1), st.integers(1, 2), st.sampled_from([0.1, 0.5, 0.9])),
    max_size=12,
    unique_by=lambda candidate: candidate[0],
)


@given(candidates, st.integers(1, 14), st.integers(0, 12))
def test_the_best_equal_a_plain_sort(given_candidates, k, cut):
    texts, counts, scores = ([part[i] for part in given_candidates] for i in range(3))
    numbers, values = np.arange(len(texts)), np.array(scores, np.float64)
    parts = [(numbers[:cut], values[:cut]), (numbers[cut:], values[cut:])]
    found = best(parts, k, Asked(texts, counts))
    ordered = sorted(range(len(texts)), key=lambda n: (-scores[n], -counts[n], texts[n].encode()))[:k]
    assert found.query_ids.tolist() == ordered
    assert found.scores.tolist() == [scores[n] for n in ordered]
