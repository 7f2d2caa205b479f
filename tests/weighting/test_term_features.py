"""Features of terms: occurrences equal the reference, and every feature is what its name says."""

from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin import Document
from querykin.compute.arrays import make_indptr
from querykin.querylog.document_frequencies import QueryLogFrequencies
from querykin.text.stemming import stems
from querykin.text.tokenizer import CAPITALISED, SENTENCE_START, tokenize, words
from querykin.weighting.term_features import FEATURES, FIELDS, TermFeatureReader, _occurrences
from reference import terms as reference
from strategies import texts as any_text

STEMS = 7
word = st.tuples(st.integers(0, STEMS - 1), st.booleans(), st.booleans())
some_texts = st.lists(st.tuples(st.lists(word, max_size=30), st.booleans()), min_size=1, max_size=5)


@given(some_texts)
@settings(deadline=None, max_examples=300)
def test_occurrences_equal_the_reference(texts):
    flat = [word for text, _ in texts for word in text]
    flags = [CAPITALISED * capital | SENTENCE_START * start for _, capital, start in flat]
    indptr, *columns = _occurrences(
        make_indptr(len(text) for text, _ in texts),
        np.array([stem for stem, _, _ in flat], np.int64),
        np.array(flags, np.uint8),
        np.array([used for _, used in texts], np.bool_),
        STEMS,
    )
    for number, (text, used) in enumerate(texts):
        rows = slice(indptr[number], indptr[number + 1])
        found = [
            reference.Occurrence(*values)
            for values in zip(*(column[rows].tolist() for column in columns), strict=True)
        ]
        assert found == (reference.occurrences(text) if used else [])


def test_many_terms_of_one_text_are_all_found():
    many = np.arange(40_000)
    indptr, terms, *_ = _occurrences(
        np.array([0, len(many)]), many, np.zeros(len(many), np.uint8), np.ones(1, np.bool_), len(many)
    )
    assert indptr.tolist() == [0, len(many)]
    assert terms.tolist() == many.tolist()


@pytest.fixture
def reader(workspace, tmp_path):
    counts = QueryLogFrequencies(tmp_path)
    counts.update(["space travel", "space", "nasa jobs", "zzyzx"], workspace.corpus.vocabulary, "log")
    return TermFeatureReader(workspace.corpus, counts)


def rows_of(reader, text, terms):
    """The row of each word of a text, by its stem."""
    tokens = tokenize([text])
    numbers = reader.stem_ids(tokens).tolist()
    return {
        stem: int(np.flatnonzero(terms.terms == number)[0])
        for stem, number in zip(stems(tokens.words()), numbers, strict=True)
    }


TEXT = "Rockets lift NASA. In 1969 the rocket carried zzyzx, and zzyzx fell"


def test_features_are_those_of_the_text(reader):
    terms = reader.of_texts([TEXT], {"title": ["A rocket"], "url": ["example.org/zzyzx"]})
    rows = rows_of(reader, TEXT, terms)
    value = {name: terms.feature(name) for name in [*FEATURES, *FIELDS]}
    rocket, nasa, unknown = rows["rocket"], rows["nasa"], rows["zzyzx"]
    length = len(words(TEXT))
    assert value["log tf"][rocket] == pytest.approx(log(3))
    assert value["tf"][rocket] == pytest.approx(2 / length)
    assert value["log position"][unknown] == pytest.approx(log(9))
    assert value["position"][unknown] == pytest.approx(8 / length)
    assert value["log sentence position"][unknown] == pytest.approx(log(6))
    assert value["sentence position"][nasa] == pytest.approx(2 / 3)
    assert value["log sentence length"][nasa] == pytest.approx(log(4))
    assert value["log length"][nasa] == pytest.approx(log(length + 1))
    assert (value["capitalized"][[rocket, nasa, unknown]] == [1, 1, 0]).all()
    assert value["number"].sum() == value["number"][rows["1969"]] == 1
    assert value["title"].sum() == value["title"][rocket] == 1
    assert value["url"].sum() == value["url"][unknown] == 1
    assert value["anchor"].sum() == value["query term"].sum() == 0


def test_frequencies_are_per_hundred_thousand(reader, workspace):
    terms = reader.of_texts([TEXT])
    rows = rows_of(reader, TEXT, terms)
    documents = sum("nasa" in words(f"{d.title} {d.text}") for d in _documents(workspace))
    assert terms.documents[rows["nasa"]] == pytest.approx(documents / len(workspace.corpus) * 100_000)
    assert terms.queries[rows["nasa"]] == pytest.approx(25_000)
    assert terms.documents[rows["zzyzx"]] == 0  # not in the corpus, but in one query
    assert terms.queries[rows["zzyzx"]] == pytest.approx(25_000)
    assert terms.terms[rows["zzyzx"]] < 0


def _documents(workspace):
    return [segment.document(i) for segment in workspace.corpus.segments for i in range(len(segment))]


def test_results_are_read_as_one_text(reader, workspace):
    expansions = workspace.expander.expand(["space exploration", "qwrtp"], 5)
    terms = reader.of_results(expansions)
    tokens = expansions.tokens[expansions.windows[0] : expansions.windows[expansions.indptr[1]]]
    numbers = workspace.corpus.vocabulary.stem[tokens >> 2].tolist()
    assert terms.indptr.tolist() == [0, len(set(numbers)), len(set(numbers))]
    assert terms.terms.tolist() == sorted(set(numbers))
    assert terms.counts.tolist() == [numbers.count(number) for number in sorted(set(numbers))]
    assert terms.first_position.tolist() == [numbers.index(number) for number in sorted(set(numbers))]
    vocabulary = workspace.corpus.vocabulary
    first_words = (vocabulary.word(int(tokens[at] >> 2)) for at in terms.first_position)
    digits = [word[0] in "0123456789" for word in first_words]
    assert terms.number is not None
    assert terms.number.tolist() == digits


def test_stop_words_are_given_by_their_stems(reader):
    known = set(reader.function_words().tolist())
    tokens = tokenize(["the moon during which they were"])
    assert [number in known for number in reader.stem_ids(tokens).tolist()] == [
        True,
        False,
        True,
        True,
        True,
        True,
    ]


@given(st.lists(any_text(), max_size=4))
@settings(deadline=None, max_examples=100)
def test_any_text_has_finite_features(workspace, texts):
    reader = TermFeatureReader(workspace.corpus, workspace.query_frequencies)
    terms = reader.of_texts(texts, {"title": texts[::-1]})
    assert np.isfinite(terms.features([*FEATURES, *FIELDS])).all()
    assert terms.counts.sum() == sum(len(words(text)) for text in texts)


def test_selected_terms_keep_all_their_features(reader):
    terms = reader.of_texts([TEXT, "Moon of 1969"], {"title": ["rocket", "moon"]})
    mask = terms.documents > 0
    selected = terms.only(mask)
    assert len(selected.terms) == mask.sum()
    assert np.diff(selected.indptr).sum() == mask.sum()
    names = [*FEATURES, *FIELDS]
    assert (selected.features(names) == terms.features(names)[mask]).all()


def test_no_term_is_known_to_an_empty_corpus(build):
    empty = build()
    terms = TermFeatureReader(empty.corpus, empty.query_frequencies).of_texts(["Space travel in 1969", ""])
    assert terms.documents.sum() == terms.queries.sum() == 0
    assert (terms.terms < 0).all()
    assert np.diff(terms.indptr).tolist() == [4, 0]


def test_words_of_one_stem_are_one_term_even_if_the_corpus_has_none_of_them(build):
    small = build([Document("1", "Pie", "An apple pie.")])
    terms = TermFeatureReader(small.corpus, small.query_frequencies).of_texts(
        ["Blorping blorped blorps; apples, apple"]
    )
    assert sorted(terms.counts.tolist()) == [2, 3]
