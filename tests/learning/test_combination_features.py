"""Features of pairs: ranks equal the reference, missing scores are a feature, text features."""

from math import log, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.learning.combination.features import owner, pair_features, ranks, score_columns
from reference import combination as reference
from strategies import texts

scored = st.lists(
    st.tuples(
        st.one_of(st.just(nan), st.integers(-3, 3).map(lambda n: n / 4)), st.sampled_from([5, -1, 0, 900])
    ),
    max_size=40,
)


@given(scored)
@settings(deadline=None, max_examples=150)
def test_ranks_equal_the_reference(rows):
    scores, lists = np.array([s for s, _ in rows], float), np.array([n for _, n in rows], np.int64)
    assert ranks(scores, lists).tolist() == pytest.approx(reference.ranks(scores.tolist(), lists.tolist()))


@given(scored, st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=60)
def test_ranks_do_not_depend_on_the_order_of_rows_or_on_the_scale(rows, rng):
    scores, lists = np.array([s for s, _ in rows], float), np.array([n for _, n in rows], np.int64)
    order = np.array(rng.sample(range(len(rows)), len(rows)), np.int64)
    expected = ranks(scores, lists)
    assert ranks(scores[order], lists[order]).tolist() == expected[order].tolist()
    assert ranks(np.exp(3 * scores), lists).tolist() == expected.tolist()


def features(scores, always=(), queries=("q", "q", "r"), candidates=("a b", "a", "r"), frequencies=(0, 7, 1)):
    named = {name: np.array(values, float) for name, values in scores.items()}
    return pair_features(named, always, queries, candidates, np.array(frequencies, float))


def test_every_score_has_a_rank_and_a_coverage_if_it_can_be_missing():
    found = features({"kernel": [0.5, nan, 0.1], "jaccard": [0, 1, 1]}, always=["jaccard"])
    assert found.names[:5] == (
        "kernel",
        "covered by kernel",
        "rank by kernel",
        "jaccard",
        "rank by jaccard",
    )
    table = dict(zip(found.names, found.values.T.tolist(), strict=True))
    assert table["kernel"] == pytest.approx([0.5, nan, 0.1], nan_ok=True)
    assert table["covered by kernel"] == [1, 0, 1]
    assert table["rank by kernel"] == [1, 0, 0.5]
    assert table["rank by jaccard"] == [0, 1, 0.5]
    assert found.lists.tolist() == [0, 0, 1]


def test_text_features_are_lengths_edit_similarity_and_frequency():
    found = features(
        {"kernel": [0, 0, 0]}, queries=("Java island", "x", ""), candidates=("java", "x", "y z w")
    )
    table = dict(zip(found.names, found.values.T.tolist(), strict=True))
    assert table["words of the query"] == [2, 1, 0]
    assert table["words of the candidate"] == [1, 1, 3]
    assert table["words more or fewer"] == [1, 0, 3]
    assert table["letters in common"] == pytest.approx([4 / 11, 1, 0])
    assert table["log of times asked"] == pytest.approx([0, log(8), log(2)])


def test_rows_and_columns_can_be_selected():
    found = features({"kernel": [0.5, 0.2, 0.1]})
    assert found.part(np.array([2, 0])).lists.tolist() == [1, 0]
    chosen = found.only(["rank by kernel", "kernel"])
    assert chosen.names == ("rank by kernel", "kernel")
    assert chosen.values.tolist() == [[1, 0.5], [0, 0.2], [0.5, 0.1]]
    assert len(chosen) == 3


def test_a_feature_is_owned_by_its_measure():
    names = ["kernel", "rank by kernel", "covered by kernel", "words of the query"]
    assert [owner(name) for name in names] == ["kernel"] * 3 + ["words of the query"]
    assert score_columns(names, ["kernel"]).tolist() == [True, False, False, False]


def test_no_pairs_have_no_rows():
    found = features({"kernel": []}, queries=[], candidates=[], frequencies=[])
    assert found.values.shape == (0, len(found.names))
    assert len(found.lists) == 0


@given(st.lists(st.tuples(texts(), texts()), max_size=5))
@settings(deadline=None, max_examples=50)
def test_any_texts_have_finite_features(pairs):
    queries, candidates = [q for q, _ in pairs], [c for _, c in pairs]
    found = features({"kernel": [nan] * len(pairs)}, (), queries, candidates, [0] * len(pairs))
    assert np.isfinite(found.values[:, 1:]).all()
    common = found.only(["letters in common"]).values
    assert ((common >= 0) & (common <= 1)).all()
