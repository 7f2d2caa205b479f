"""The order of suggestions: by score, then by count, then by text, however the list is split."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from querykin.index.ranking import best


class Repository:
    """The part of a repository that ranking uses."""

    def __init__(self, texts: list[str], counts: list[int]) -> None:
        self._texts, self.counts = texts, np.array(counts, np.int64)

    def text_ranks(self, query_ids) -> np.ndarray:
        texts = [self._texts[query_id].encode() for query_id in query_ids]
        return np.array([sorted(texts).index(text) for text in texts], np.int64)


candidates = st.lists(
    st.tuples(st.text("abé", min_size=1), st.integers(1, 2), st.sampled_from([0.1, 0.5, 0.9])),
    max_size=12,
    unique_by=lambda candidate: candidate[0],
)


@given(candidates, st.integers(1, 14), st.integers(0, 12))
def test_the_top_k_equal_those_of_a_full_sort(drawn, k, cut):
    texts, counts, scores = ([part[i] for part in drawn] for i in range(3))
    query_ids, values = np.arange(len(texts)), np.array(scores, np.float64)
    parts = [(query_ids[:cut], values[:cut]), (query_ids[cut:], values[cut:])]
    found = best(parts, k, Repository(texts, counts))
    ordered = sorted(range(len(texts)), key=lambda n: (-scores[n], -counts[n], texts[n].encode()))[:k]
    assert found.query_ids.tolist() == ordered
    assert found.scores.tolist() == [scores[n] for n in ordered]
