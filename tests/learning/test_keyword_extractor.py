"""The keyword extractor: logistic regression, weights by available sources, 0 for stop words."""

import numpy as np
import pytest

from querykin.errors import WorkspaceError
from querykin.learning.keywords.extractor import (
    CASES,
    FEATURES,
    MEANINGS,
    SOURCES,
    Extractor,
    known_case,
    word_features,
)
from querykin.model_files import SHIPPED, Model
from querykin.querylog.document_frequencies import QueryLogFrequencies
from querykin.text.stemming import stems
from querykin.text.tokenizer import tokenize
from querykin.weighting.term_features import FEATURES as TERM_FEATURES
from querykin.weighting.term_features import FIELDS, TermFeatureReader
from topics import DOCUMENTS

BARE = {"bias": -1.0, "log tf": 2.0}


def content(**cases):
    return {"weights": {"": BARE} | cases}


@pytest.fixture
def reader(workspace, tmp_path):
    return TermFeatureReader(workspace.corpus, QueryLogFrequencies(tmp_path))


def by_stem(reader, terms, values):
    words = {int(n): s for s, n in _numbered(reader)}
    return {words[int(term)]: float(value) for term, value in zip(terms.terms, values, strict=True)}


TEXT = "The rocket lifts the probe; the rocket burns fuel"


def _numbered(reader):
    tokens = tokenize([TEXT])
    return zip(stems(tokens.words()), reader.stem_ids(tokens).tolist(), strict=True)


def test_probabilities_are_the_logistic_function_of_the_features(reader):
    terms = reader.of_texts([TEXT])
    found = by_stem(reader, terms, Extractor.of(content()).probabilities(reader, terms))
    assert found["rocket"] == pytest.approx(1 / (1 + np.exp(1 - 2 * np.log(3))))
    assert found["fuel"] == pytest.approx(1 / (1 + np.exp(1 - 2 * np.log(2))))


def test_stop_words_are_never_keywords(reader):
    terms = reader.of_texts([TEXT])
    found = by_stem(reader, terms, Extractor.of(content()).probabilities(reader, terms))
    assert found["the"] == 0
    assert min(value for stem, value in found.items() if stem != "the") > 0


def test_the_weights_are_those_of_the_available_sources(reader, build, workspace, tmp_path):
    extractor = Extractor.of(content(**{"documents": {"bias": 1.0}, "documents queries": {"bias": 2.0}}))
    assert known_case(reader) == "documents"
    assert extractor.weights_for(known_case(reader)) == {"bias": 1.0}
    counts = QueryLogFrequencies(tmp_path / "asked")
    counts.update(["space"], workspace.corpus.vocabulary, "log")
    assert extractor.weights_for(known_case(TermFeatureReader(workspace.corpus, counts))) == {"bias": 2.0}
    nothing = TermFeatureReader(build().corpus, QueryLogFrequencies(tmp_path / "none"))
    assert known_case(nothing) == ""
    assert extractor.weights_for("") == extractor.weights_for("queries") == BARE


def test_a_missing_case_falls_back_to_fewer_sources(reader):
    assert Extractor.of(content()).weights_for("documents queries") == BARE


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({}, "not a keyword extractor"),
        ({"weights": 3}, "not a keyword extractor"),
        ({"weights": {"": {"bias": "much"}}}, "not a keyword extractor"),
        ({"weights": {"": {"bias": None}}}, "not a keyword extractor"),
        ({"weights": {"": {"shoe size": 1.0}}}, "unknown features: shoe size"),
        ({"weights": {"documents": {"bias": 1.0}}}, "damaged"),
        ({"weights": {"": {"bias": float("nan")}}}, "damaged"),
    ],
)
def test_invalid_content_is_an_error(wrong, message):
    with pytest.raises(WorkspaceError, match=message):
        Extractor.of(wrong)


def test_the_fingerprint_depends_on_the_weights():
    same, other = Extractor.of(content()), Extractor.of(content(documents={"bias": 1.0}))
    assert Extractor.of(content()).fingerprint == same.fingerprint != other.fingerprint


def test_every_feature_is_implemented_and_described():
    assert set(FEATURES) <= {*TERM_FEATURES, *FIELDS}
    assert set(FEATURES) <= set(MEANINGS)
    assert {name for names in SOURCES.values() for name in names} <= set(FEATURES)


def test_the_shipped_extractor_has_weights_for_every_case():
    weights = Extractor.of(Model.read(SHIPPED / "keywords.json").content).weights
    assert list(weights) == list(CASES)
    for case, given in weights.items():
        needing = {name for source, names in SOURCES.items() if source not in case.split() for name in names}
        assert not needing & set(given)
        assert given["log tf"] > 0 > given["number"]


def test_document_frequencies_are_smoothed_in_small_corpora(build, tmp_path):
    """(n + 1/2) / (N + 1): a quarter for an unknown word in a corpus of one document."""
    few = build(DOCUMENTS[:1])
    reader = TermFeatureReader(few.corpus, QueryLogFrequencies(tmp_path))
    terms = reader.of_texts(["zzyzx"])
    assert terms.documents.tolist() == [0]
    assert word_features(reader, terms, ["df"]).tolist() == [[0.25]]
