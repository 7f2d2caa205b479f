import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import spelling as reference

from querykin.compute.arrays import make_indptr
from querykin.spelling.edit_costs import (
    ACCENT,
    APOSTROPHE,
    DOUBLED,
    EXTRA,
    FIRST_LETTER,
    LIKELY,
    MISSING,
    OTHER,
    TRANSPOSED,
    edit_costs,
)
from querykin.spelling.edit_distance import edit_distance, letter_sets, near_words

LETTERS = "abest'éøж本1"
WORD = st.text(st.sampled_from(LETTERS), min_size=1, max_size=8)
BOUND = st.sampled_from([0.0, 0.5, 1.0, 1.4, 2.0, 3.0])
COSTS = edit_costs()


def codepoints(word):
    return np.array([ord(character) for character in word], np.uint32)


def cost(typed, word, language="en"):
    return edit_distance(codepoints(typed), codepoints(word), edit_costs(language), 10.0)


@pytest.mark.parametrize(
    ("typed", "word", "expected"),
    [
        ("speaker", "speaker", 0),
        ("spaeker", "speaker", TRANSPOSED),
        ("adress", "address", DOUBLED),
        ("addresss", "address", DOUBLED),
        ("keybord", "keyboard", MISSING),
        ("keyvboard", "keyboard", EXTRA),
        ("speeker", "speaker", LIKELY),  # a vowel
        ("speajer", "speaker", LIKELY),  # the key beside it
        ("spekker", "speaker", OTHER),
        ("cafe", "café", ACCENT),
        ("dont", "don't", APOSTROPHE),
        ("soeaker", "speaker", LIKELY),
        ("apeaker", "speaker", LIKELY + FIRST_LETTER),
        ("psace", "space", TRANSPOSED + FIRST_LETTER),
        ("esspresso", "espresso", DOUBLED),
    ],
)
def test_each_kind_of_error_has_its_cost(typed, word, expected):
    assert cost(typed, word) == pytest.approx(expected)


def test_neighbouring_keys_depend_on_the_language():
    assert cost("tag", "tah") == cost("tag", "tah", "de") == pytest.approx(LIKELY)
    assert cost("mutter", "muzter") == pytest.approx(OTHER)
    assert cost("mutter", "muzter", "de") == pytest.approx(LIKELY)
    assert cost("bqnque", "banque", "fr") == cost("bznque", "banque", "fr") == pytest.approx(LIKELY)
    assert cost("bwnque", "banque", "fr") == pytest.approx(OTHER)


@given(WORD, WORD)
def test_the_distance_is_that_of_the_reference(typed, word):
    assert cost(typed, word) == pytest.approx(min(reference.edit_distance(typed, word, COSTS), 10.0))


@given(WORD, st.lists(st.tuples(WORD, st.sampled_from([0.0, 0.5]))), BOUND)
def test_the_scan_finds_what_the_reference_finds(typed, entries, bound):
    words, frequencies = [word for word, _ in entries], np.array([share for _, share in entries])
    arena, ends = codepoints("".join(words)), make_indptr(len(word) for word in words)
    sets = letter_sets(arena, ends, COSTS.base_letter)
    ids, distances = near_words(codepoints(typed), arena, ends, sets, frequencies, COSTS, bound + 1e-9)
    expected = reference.near_words(typed, words, frequencies, COSTS, bound + 1e-9)
    assert dict(zip(ids.tolist(), distances.tolist(), strict=True)) == pytest.approx(expected)


@given(WORD, WORD)
def test_nothing_is_found_beyond_the_bound(typed, word):
    exact = reference.edit_distance(typed, word, COSTS)
    assert edit_distance(codepoints(typed), codepoints(word), COSTS, exact - 0.01) == np.inf
