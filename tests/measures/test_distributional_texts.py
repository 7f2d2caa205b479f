"""Distributional measures on texts: phrases, unknown words, explanations."""

from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from distributional import NAMES, configured, make_documents, query_texts, reference_measure
from querykin import Document
from stocked import TITLES
from topics import WORDS

# [new york] occurs five times with three words on either side; new and york also occur alone.
CITY = ["big tall proud new york city never sleeps"] * 5 + [
    "a new car",
    "a new idea",
    "the old york abbey",
    "york in the north",
    "big proud chicago never sleeps",
    "my new idea of a car",
]


@pytest.fixture(scope="module")
def city(build):
    """A corpus with the phrase [new york], from a title."""
    return build([*make_documents(CITY), Document("title", "New York", "")])


def test_word_order_matters_only_for_phrases(workspace):
    a, b = "space exploration", "exploration space"
    assert workspace.similarity(a, b, "distributional") == pytest.approx(1.0)
    expected = reference_measure("distributional-ngrams").score(a, b)
    assert workspace.similarity(a, b, "distributional-ngrams") == pytest.approx(expected)
    assert expected < 0.95


def test_a_phrase_has_other_contexts_than_its_words(city):
    """[new york] never co-occurs with "idea" or "abbey", new and york alone with no word about a city."""
    words, phrases = (city.measure(name) for name in NAMES)
    assert phrases.score("new york", ["chicago"])[0] > 0.3
    assert phrases.score("new york", ["chicago"])[0] > words.score("new york", ["chicago"])[0]
    assert words.score("new", ["idea"])[0] == phrases.score("new", ["idea"])[0]


def test_without_frequent_phrases_both_measures_are_equal(build):
    workspace = build([*make_documents(CITY[4:]), Document("title", "New York", "")])
    assert not workspace.cooccurrence.frequent_phrases.any()
    for text in ("new york", "new york city", "the old york"):
        scores = [workspace.similarity(text, "chicago", name) for name in NAMES]
        assert scores[0] == pytest.approx(scores[1], nan_ok=True)


@pytest.mark.parametrize("name", NAMES)
def test_a_text_without_known_words_has_no_score(workspace, name):
    measure = workspace.measure(name)
    assert np.isnan(measure.score("NASA", ["zzyzx", "", "😀", " \n"])).all()
    assert np.isnan(measure.score("zzyzx qwrtp", ["NASA", "zzyzx qwrtp"])).all()
    assert not measure.encode_candidates(["", "zzyzx"]).covered.any()
    assert len(measure.encode_candidates([])) == 0
    found = workspace.explain("zzyzx", "NASA", name)
    assert found.contributions == ()
    assert isnan(found.score)


def test_words_without_co_occurrences_count_as_unknown(build):
    """The word of a document of one word, and a stem that occurs in no document."""
    workspace = build(make_documents(["hermit", "running mariners", "running water"]))
    assert isnan(workspace.similarity("hermit", "running", "distributional"))
    assert isnan(workspace.similarity("run", "running", "distributional"))
    assert workspace.explain("hermit", "run", "distributional").notes == (
        "a: unknown and left out: hermit",
        "b: unknown and left out: run",
    )


@pytest.mark.parametrize("name", NAMES)
@given(known=query_texts, place=st.integers(0, 4))
@settings(deadline=None, max_examples=50)
def test_unknown_words_are_ignored(workspace, name, known, place):
    words = known.split()
    longer = " ".join([*words[:place], "qwrtp", *words[place:]])
    if name == "distributional":
        itself, other = (workspace.similarity(text, "NASA", name) for text in (known, longer))
        assert other == pytest.approx(itself, nan_ok=True)
    notes = workspace.explain(longer, "NASA", name).notes
    assert sum("qwrtp" in note for note in notes) == 1
    assert any(note.startswith("a: unknown and left out: ") and "qwrtp" in note for note in notes)


def test_an_unknown_word_inside_a_phrase_splits_it(city):
    notes = city.explain("new zzyzx york", "new york", "distributional-ngrams").notes
    assert notes == ("a: taken as [new] + [york]", "a: unknown and left out: zzyzx", "b: taken as [new york]")


def test_explanations_show_the_segmentation_of_texts(city):
    assert city.explain("new york city", "Zzyzx, New-York!", "distributional-ngrams").notes == (
        "a: taken as [new york] + [city]",
        "b: taken as [new york]",
        "b: unknown and left out: zzyzx",
    )
    assert city.explain("new york city", "", "distributional").notes == (
        "a: taken as [new] + [york] + [city]",
    )


@pytest.mark.parametrize("name", NAMES)
def test_explanations_list_the_shared_contexts(workspace, name):
    found = workspace.explain("Bali", "Sumatra", name)
    assert found.score == pytest.approx(reference_measure(name).score("Bali", "Sumatra"))
    both = reference_measure(name).vector("Bali").keys() & reference_measure(name).vector("Sumatra").keys()
    assert {part.term for part in found.contributions} == both
    assert sum(part.share for part in found.contributions) == pytest.approx(found.score)


@pytest.mark.parametrize("name", NAMES)
def test_long_texts_have_scores(workspace, name):
    long = " ".join([*WORDS, *TITLES] * 5)
    smoothed = configured(workspace, smoothing=0.5).measure(name)
    assert np.isfinite(smoothed.score(long, ["NASA", long])).all()
    expected = reference_measure(name).score(long, "NASA")
    assert workspace.similarity(long, "NASA", name) == pytest.approx(expected, nan_ok=True)
    assert workspace.similarity("", "", name) == pytest.approx(nan, nan_ok=True)
