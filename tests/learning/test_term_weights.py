"""Which terms of a text are weighed, and what they weigh."""

import numpy as np
import pytest

from querykin.errors import UnknownName
from querykin.learning.tweak.term_weights import (
    FEATURE_SETS,
    TermWeights,
    chosen,
    feature_names,
    result_terms,
)
from querykin.text.tokenizer import tokenize
from querykin.weighting.term_features import TermFeatureReader

TEXTS = [
    "java island",
    "space exploration zzyzx",
    "",
    "qwrtp",
    "the seattle mariners",
    "island island java zzyzx",
]


@pytest.fixture
def reader(workspace):
    return TermFeatureReader(workspace.expander.corpus, workspace.query_frequencies)


def test_own_words_join_the_terms_of_results_once_and_in_order(workspace, reader):
    expansions = workspace.expander.expand(TEXTS, 10)
    plain = reader.of_results(expansions)
    found = reader.with_own_words(plain, expansions)
    for text, words in enumerate(TEXTS):
        rows, before = (slice(t.indptr[text], t.indptr[text + 1]) for t in (found, plain))
        own = set(reader.stem_ids(tokenize([words])).tolist()) if expansions.covered[text] else set()
        terms = found.terms[rows].tolist()
        assert terms == sorted(own | set(plain.terms[before].tolist()))
        assert {term for term, mine in zip(terms, found.is_query_term[rows], strict=True) if mine} == own
        counts = dict(zip(plain.terms[before].tolist(), plain.counts[before].tolist(), strict=True))
        assert found.counts[rows].tolist() == [counts.get(term, 0) for term in terms]
    absent = found.counts == 0
    assert absent.any()
    assert (found.first_position[absent] == found.length[absent]).all()


def test_the_heaviest_terms_are_chosen_and_own_words_always(workspace, reader):
    expansions = workspace.expander.expand(TEXTS, 10)
    everything = reader.with_own_words(reader.of_results(expansions), expansions)
    some = chosen(everything, 4)
    assert np.diff(some.indptr).max() == 4
    assert some.is_query_term.sum() == everything.is_query_term.sum()
    for text in range(len(TEXTS)):
        rows, left = (slice(t.indptr[text], t.indptr[text + 1]) for t in (everything, some))
        rest = np.isin(everything.terms[rows], some.terms[left], invert=True)
        weights = (everything.counts * everything.idf)[rows]
        kept = (some.counts * some.idf)[left][~some.is_query_term[left]]
        assert not len(kept) or kept.min() >= weights[rest].max(initial=0)


def test_weights_below_0_are_none_and_the_order_of_features_is_the_models(workspace, reader):
    expansions = workspace.expander.expand(["java island"], 10)
    terms = result_terms(reader, expansions, ("bias", "log tf"))
    rows = TermWeights(("log tf", "bias"), np.array([1.0, -1.0]), 10).rows(terms, "")
    expected = np.log1p(terms.counts) - 1
    assert rows.features.tolist() == terms.terms[expected > 0].tolist()
    assert rows.weights == pytest.approx(expected[expected > 0])


def test_weights_are_told_apart_by_their_fingerprint():
    one, same, other = (TermWeights(("bias",), np.array([value]), 10) for value in (1.0, 1.0, 2.0))
    assert one.fingerprint == same.fingerprint != other.fingerprint


def test_sets_of_features_go_by_name():
    assert feature_names("tf-df") == ("bias", "log tf", "log df")
    assert set(FEATURE_SETS["html"]) - set(FEATURE_SETS["plain"]) == {
        "title",
        "url",
        "anchor",
        "keywords",
        "description",
    }
    with pytest.raises(UnknownName, match="unknown set of features 'plian'; did you mean 'plain'"):
        feature_names("plian")
