"""The order of texts by arrays is that of their bytes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from querykin.querylog.repository import Repository
from querykin.querylog.text_order import text_ranks

texts = st.lists(st.text(st.sampled_from("ab é東😀"), max_size=20).filter(bool), unique=True, max_size=60)


def ranks_of(found):
    encoded = [text.encode() for text in found]
    ends = np.cumsum([0, *map(len, encoded)])
    return text_ranks(np.frombuffer(b"".join(encoded), np.uint8), ends[:-1], ends[1:]).tolist()


@given(texts)
def test_ranks_equal_those_of_sorted_bytes(found):
    expected = sorted(found, key=str.encode)
    assert ranks_of(found) == [expected.index(text) for text in found]


def test_texts_that_begin_alike_are_told_apart():
    assert ranks_of(["abcdefgh" * 3 + "b", "abcdefgh" * 3, "abcdefgh", "abcdefgh" * 3 + "a"]) == [3, 1, 0, 2]
    assert ranks_of([]) == []


def test_few_and_many_queries_are_ranked_alike(tmp_path):
    repository = Repository(tmp_path)
    repository.add([f"query {n * 7919 % 2000}" for n in range(2000)])
    ids = repository.live_ids()
    many = repository.text_ranks(ids)
    few = repository.text_ranks(ids[:300])
    assert np.array_equal(np.argsort(many[:300]), np.argsort(few))
    assert repository.queries(ids[np.argsort(many)]) == sorted(repository.queries(ids))
