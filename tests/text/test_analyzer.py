"""Analyzers: folding, elision, stems and stop words of languages."""

import pickle

import pytest
from hypothesis import given, settings

from querykin.text.analyzer import DEFAULT, Analyzer
from querykin.text.folding import fold
from querykin.text.languages import LANGUAGES
from querykin.text.stopwords import function_words, query_stop_words
from querykin.text.tokenizer import tokenize, words
from strategies import texts


@pytest.mark.parametrize(
    ("language", "forms"),
    [
        ("de", ["münchen", "muenchen", "munchen"]),
        ("de", ["gießen", "giessen"]),
        ("de", ["häuser", "haus", "haeuser", "hauses"]),
        ("fr", ["l'été", "d'été", "ete"]),
        ("fr", ["œuvres", "oeuvre", "l'œuvre"]),
        ("it", ["dell'acqua", "acqua", "l'acqua"]),
        ("ca", ["l'aigua", "aigua", "d'aigua"]),
        ("es", ["canción", "canciones", "cancion"]),
        ("pt", ["promoção", "promocao"]),
        ("nl", ["foto's", "foto"]),
        ("tr", ["istanbul'da", "istanbul"]),
        ("da", ["smørrebrød", "smorrebrod"]),
        ("ru", ["ёлки", "елка"]),
        ("el", ["καφές", "καφες"]),
        ("cs", ["kávovar", "kavovar"]),
        ("en", ["cafés", "cafe", "café's"]),
        ("vi", ["phở", "pho"]),
    ],
)
def test_forms_have_the_same_stem(language, forms):
    assert len(set(Analyzer.of(language).stems(forms))) == 1


@pytest.mark.parametrize(
    ("language", "a", "b"),
    [("ja", "ガラス", "カラス"), ("hi", "किताब", "कताब"), ("ru", "йод", "иод"), ("fr", "aujourd'hui", "hui")],
)
def test_marks_that_make_another_letter_are_kept(language, a, b):
    assert fold(a) != fold(b)
    assert Analyzer.of(language).stem(a) != Analyzer.of(language).stem(b)


@pytest.mark.parametrize("code", LANGUAGES)
@given(text=texts(30))
@settings(max_examples=10, deadline=None)
def test_every_word_has_one_stem_in_every_language(code, text):
    analyzer = Analyzer.of(code)
    tokens = tokenize([text])
    stems = analyzer.stems(tokens.words())
    assert all(stems)
    assert [analyzer.stem(word) for word in tokens.words()] == stems
    assert analyzer.stem_hashes(tokens).tolist() == analyzer.stem_tokens(tokens.words()).hashes.tolist()


@given(texts())
@settings(max_examples=100, deadline=None)
def test_folding_twice_changes_nothing_more(text):
    for word in words(text):
        assert fold(fold(word)) == fold(word)


@pytest.mark.parametrize("code", [code for code, language in LANGUAGES.items() if language.stemmer])
def test_every_stemmed_language_has_stop_words(code):
    assert query_stop_words(code)
    assert query_stop_words(code) <= function_words(code) or code == "en"


def test_an_analyzer_is_one_object_also_after_pickling():
    assert Analyzer.of("de") is Analyzer.of("de")
    assert pickle.loads(pickle.dumps(Analyzer.of("de", "en"))) is Analyzer.of("de", "en")
    assert pickle.loads(pickle.dumps(Analyzer.of())) is Analyzer.of()
    assert DEFAULT is Analyzer.of("en")
