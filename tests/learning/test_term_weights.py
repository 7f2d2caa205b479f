"""Term weights: which terms are selected, and their weights."""

import numpy as np
import pytest

from querykin.errors import UnknownName
from querykin.learning.tweak.term_weights import (
    FEATURE_SETS,
    TermWeights,
    feature_names,
    result_terms,
    select_terms,
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


def test_own_words_are_merged_into_the_terms_of_results(workspace, reader):
    expansions = workspace.expander.expand(TEXTS, 10)
    plain = reader.of_results(expansions)
    found = reader.with_own_words(plain, expansions)
    for text, words in enumerate(TEXTS):
        rows, before = (slice(t.indptr[text], t.indptr[text + 1]) for t in (found, plain))
        own = set(reader.stem_ids(tokenize([words])).tolist()) if expansions.covered[text] else set()
        terms = found.terms[rows].tolist()
        assert terms == sorted(own | set(plain.terms[before].tolist()))
        assert {term for term, is_own in zip(terms, found.is_query_term[rows], strict=True) if is_own} == own
        counts = dict(zip(plain.terms[before].tolist(), plain.counts[before].tolist(), strict=True))
        assert found.counts[rows].tolist() == [counts.get(term, 0) for term in terms]
    absent = found.counts == 0
    assert absent.any()
    assert (found.first_position[absent] == found.length[absent]).all()


def test_own_words_and_the_highest_terms_by_tf_idf_are_selected(workspace, reader):
    expansions = workspace.expander.expand(TEXTS, 10)
    everything = reader.with_own_words(reader.of_results(expansions), expansions)
    selected = select_terms(everything, 4)
    assert np.diff(selected.indptr).max() == 4
    assert selected.is_query_term.sum() == everything.is_query_term.sum()
    for text in range(len(TEXTS)):
        rows, kept = (slice(t.indptr[text], t.indptr[text + 1]) for t in (everything, selected))
        rest = np.isin(everything.terms[rows], selected.terms[kept], invert=True)
        weights = (everything.counts * everything.idf)[rows]
        others = (selected.counts * selected.idf)[kept][~selected.is_query_term[kept]]
        assert not len(others) or others.min() >= weights[rest].max(initial=0)


def test_terms_of_negative_weight_are_dropped_and_features_are_in_the_models_order(workspace, reader):
    expansions = workspace.expander.expand(["java island"], 10)
    terms = result_terms(reader, expansions, ("bias", "log tf"))
    rows = TermWeights(("log tf", "bias"), np.array([1.0, -1.0]), 10).rows(terms, "")
    expected = np.log1p(terms.counts) - 1
    assert rows.features.tolist() == terms.terms[expected > 0].tolist()
    assert rows.weights == pytest.approx(expected[expected > 0])


def test_the_fingerprint_depends_on_the_weights():
    one, same, other = (TermWeights(("bias",), np.array([value]), 10) for value in (1.0, 1.0, 2.0))
    assert one.fingerprint == same.fingerprint != other.fingerprint


def test_feature_sets_have_names():
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
