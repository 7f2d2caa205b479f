"""Tokenization: worked examples, then agreement with the reference implementation on any text."""

import unicodedata

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from querykin.text.analyzer import DEFAULT, Analyzer
from querykin.text.normalization import to_nfc
from querykin.text.stemming import stems
from querykin.text.tokenizer import CAPITALISED, SENTENCE_START, tokenize, words
from reference import tokenizer as reference_tokenizer
from strategies import texts


def flagged(text: str, flag: int) -> list[str]:
    tokens = tokenize([text])
    return [word for word, flags in zip(tokens.words(), tokens.flags, strict=True) if flags & flag]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Valentine's Day", ["valentine's", "day"]),
        ("Valentine’s Day", ["valentine's", "day"]),
        ("rock 'n' roll, dogs' ears", ["rock", "n", "roll", "dogs", "ears"]),
        ("UN Secretary-General", ["un", "secretary", "general"]),
        ("example.org 3.14", ["example", "org", "3", "14"]),
        ("漢字かな", ["漢", "漢字", "字", "字か", "か", "かな", "な"]),
        ("コーヒー", ["コ", "コー", "ー", "ーヒ", "ヒ", "ヒー", "ー"]),
        ("二〇日 佐々", ["二", "二〇", "〇", "〇日", "日", "佐", "佐々", "々"]),
        ("東京tower", ["東", "東京", "京", "tower"]),
        ("東、京", ["東", "京"]),
        ("⼀", []),
        ("한글 검색", ["한", "한글", "글", "검", "검색", "색"]),
        ("กาแฟ", ["กา", "กาแฟ", "แฟ"]),
        ("ที่นี่", ["ที่", "ที่นี่", "นี่"]),
        ("ກາເຟ", ["ກາ", "ກາເຟ", "ເຟ"]),
        ("e\u0301te\u0301", ["été"]),
        ("q\u0308y", ["q\u0308y"]),
        ("\u0308x", ["x"]),
        ("I 😀 NY 👍🏽", ["i", "ny"]),
        ("Ａ１ 𝐁²", ["a1", "b2"]),
        ("İstanbul ŒUVRE ẞ", ["istanbul", "œuvre", "ß"]),
        ("\ud800lone\udfff surrogates\ud800", ["lone", "surrogates"]),
        ("nul\0byte", ["nul", "byte"]),
        ("", []),
        ("'", []),
        ("... — !?", []),
    ],
)
def test_words_are(text, expected):
    assert words(text) == expected


@pytest.mark.parametrize("text", ["ｱｲ", "㊀㊁", "a〸", "กาแฟ"])
def test_tokenization_of_a_cluster_is_the_cluster(text):
    clusters = words(text)[::2]
    assert all(words(word) == [word] for word in clusters)


def test_half_width_kana_match_full_width_ones():
    assert DEFAULT.stems(words("ｶﾞﾗｽ")) == DEFAULT.stems(words("ガラス"))


def test_capitals_are_flagged_though_words_are_folded():
    assert flagged("The iPhone of Émile, ǅ and É", CAPITALISED) == ["the", "émile", "ǆ", "é"]


def test_a_sentence_starts_at_the_beginning_and_after_an_end_mark():
    assert flagged("One two. Three! four? “Five” six… seven。漢字", SENTENCE_START) == [
        "one",
        "three",
        "four",
        "five",
        "seven",
        "漢",
    ]


def test_a_full_stop_inside_a_word_does_not_end_a_sentence():
    assert flagged("At example.org costs 3.14 or .net. End", SENTENCE_START) == ["at", "end"]


def test_a_line_break_starts_a_sentence():
    assert flagged("NASA\nRockets fly", SENTENCE_START) == ["nasa", "rockets"]


def test_a_long_run_is_cut_into_tokens_of_64_characters():
    assert [len(word) for word in words("x" * 150)] == [64, 64, 22]


def test_all_words_of_a_text_of_a_million_characters_are_found():
    tokens = tokenize(["Valentine's day. " * 60_000])
    assert tokens.indptr.tolist() == [0, 120_000]
    assert tokens.word(119_999) == "day"
    assert tokens.begin[119_999] == 17 * 59_999 + 12


@given(st.lists(texts(), max_size=5))
@example(["x" * 63 + "'s", "x" * 64 + "\u0308y", "a'" * 40])
@settings(deadline=None, max_examples=300)
def test_tokens_equal_the_reference(batch):
    tokens = tokenize(batch)
    assert len(tokens.indptr) == len(batch) + 1
    for number, text in enumerate(batch):
        expected = reference_tokenizer.tokenize(text)
        part = slice(tokens.indptr[number], tokens.indptr[number + 1])
        starts = tokens.begin[part] - tokens.text_offsets[number]
        assert tokens.words(number) == [token.word for token in expected]
        assert starts.tolist() == [token.start for token in expected]
        assert tokens.length[part].tolist() == [token.length for token in expected]
        assert tokens.flags[part].tolist() == [
            CAPITALISED * token.capitalised + SENTENCE_START * token.sentence_start for token in expected
        ]
        assert tokens.hashes[part].tolist() == [reference_tokenizer.feature(token.word) for token in expected]


@given(texts())
@settings(deadline=None, max_examples=200)
def test_offsets_refer_to_the_nfc_normalized_text(text):
    tokens, composed = tokenize([text]), unicodedata.normalize("NFC", text)
    assert to_nfc(text) == composed
    for start, length, word in zip(tokens.begin, tokens.length, tokens.words(), strict=True):
        assert "".join(map(reference_tokenizer.fold, composed[start : start + length])) == word


@given(texts(), texts())
@settings(deadline=None, max_examples=100)
def test_a_line_break_separates_texts_for_normalization(title, body):
    assert to_nfc(f"{title}\n{body}") == f"{to_nfc(title)}\n{to_nfc(body)}"


@given(texts())
@settings(deadline=None, max_examples=100)
def test_composed_and_decomposed_texts_have_the_same_words(text):
    assert words(unicodedata.normalize("NFD", text)) == words(text)


def test_stems_are_porters_after_the_possessive_is_removed():
    assert stems(["relational", "mariners", "valentine's", "valentines", "été", "漢"]) == [
        "relat",
        "marin",
        "valentin",
        "valentin",
        "été",
        "漢",
    ]


@given(st.lists(st.sampled_from(["running", "ponies", "o'ing", "mother's", "sky", "generalisations"])))
@settings(deadline=None, max_examples=50)
def test_the_stem_of_one_word_equals_that_in_a_batch(batch):
    assert [DEFAULT.stem(word) for word in batch] == DEFAULT.stems(batch)


@given(st.lists(texts(), max_size=4))
@settings(deadline=None, max_examples=100)
def test_spaced_texts_are_all_tokens_joined_by_spaces(batch):
    tokens = tokenize(batch)
    assert tokens.spaced() == [" ".join(tokens.words(number)) for number in range(len(batch))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Garden-hose,  50 ft", "garden hose 50 ft"),
        ("東京の ホテル", "東京の ホテル"),
        ("iPhone手机壳", "iphone手机壳"),
        ("เครื่องชงกาแฟ Bosch", "เครื่องชงกาแฟ bosch"),
    ],
)
def test_joined_texts_are_as_written_without_punctuation_and_case(text, expected):
    tokens = tokenize(["one two", text])
    assert tokens.joined() == ["one two", expected]
    assert tokens.run(2, len(tokens.begin)) == expected


@given(st.lists(texts(), max_size=4))
@settings(deadline=None, max_examples=100)
def test_joined_texts_equal_the_reference(batch):
    assert tokenize(batch).joined() == [reference_tokenizer.written(text) for text in batch]


@given(texts())
@settings(deadline=None, max_examples=100)
def test_tokens_overlap_only_as_a_cluster_and_the_bigram_after_it(text):
    tokens = tokenize([text])
    ends = tokens.begin + tokens.length
    overlap = tokens.begin[1:] < ends[:-1]
    bigram_after_cluster = tokens.begin[1:] == tokens.begin[:-1]
    cluster_after_bigram = ends[1:] == ends[:-1]
    assert (np.diff(tokens.begin) >= 0).all()
    assert (overlap == (bigram_after_cluster | cluster_after_bigram)).all()


def test_without_a_language_ideographs_are_single_and_thai_is_not_split():
    recorded = Analyzer.of()
    assert recorded.tokenize(["漢字 กาแฟ 한글"]).words() == ["漢", "字", "กาแฟ", "한글"]
    assert recorded.stems(["cafés", "valentine's"]) == ["café", "valentin"]
