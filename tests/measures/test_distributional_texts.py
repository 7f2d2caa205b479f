"""What the distributional measures make of texts: phrases, unknown words, explanations."""

from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from distributional import NAMES, asked, configured, plain, some
from querykin import Document
from stocked import TITLES
from topics import WORDS

# [new york] comes five times between three words on either side, new and york alone elsewhere.
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
    """A corpus that knows New York as a title."""
    return build([*some(CITY), Document("title", "New York", "")])


def test_the_order_of_words_matters_only_to_phrases(workspace):
    a, b = "space exploration", "exploration space"
    assert workspace.similarity(a, b, "distributional") == pytest.approx(1.0)
    expected = plain("distributional-ngrams").score(a, b)
    assert workspace.similarity(a, b, "distributional-ngrams") == pytest.approx(expected)
    assert expected < 0.95


def test_a_phrase_keeps_other_company_than_its_words(city):
    """[new york] never meets "idea" or "abbey"; new and york alone meet nothing that tells of a city."""
    words, phrases = (city.measure(name) for name in NAMES)
    assert phrases.score("new york", ["chicago"])[0] > 0.3
    assert phrases.score("new york", ["chicago"])[0] > words.score("new york", ["chicago"])[0]
    assert words.score("new", ["idea"])[0] == phrases.score("new", ["idea"])[0]


def test_without_phrases_that_come_often_enough_both_measures_are_one(build):
    workspace = build([*some(CITY[4:]), Document("title", "New York", "")])
    assert not workspace.cooccurrence.frequent_phrases.any()
    for text in ("new york", "new york city", "the old york"):
        scores = [workspace.similarity(text, "chicago", name) for name in NAMES]
        assert scores[0] == pytest.approx(scores[1], nan_ok=True)


@pytest.mark.parametrize("name", NAMES)
def test_no_known_word_is_no_opinion(workspace, name):
    measure = workspace.measure(name)
    assert np.isnan(measure.score("NASA", ["zzyzx", "", "😀", " \n"])).all()
    assert np.isnan(measure.score("zzyzx qwrtp", ["NASA", "zzyzx qwrtp"])).all()
    assert not measure.encode_candidates(["", "zzyzx"]).covered.any()
    assert len(measure.encode_candidates([])) == 0
    found = workspace.explain("zzyzx", "NASA", name)
    assert found.contributions == ()
    assert isnan(found.score)


def test_words_that_meet_no_other_are_unknown_too(build):
    """A document of one word; and a stem that is in the vocabulary and in no document."""
    workspace = build(some(["hermit", "running mariners", "running water"]))
    assert isnan(workspace.similarity("hermit", "running", "distributional"))
    assert isnan(workspace.similarity("run", "running", "distributional"))
    assert workspace.explain("hermit", "run", "distributional").notes == (
        "a: unknown and left out: hermit",
        "b: unknown and left out: run",
    )


@pytest.mark.parametrize("name", NAMES)
@given(known=asked, place=st.integers(0, 4))
@settings(deadline=None, max_examples=50)
def test_unknown_words_are_left_out_of_words(workspace, name, known, place):
    words = known.split()
    longer = " ".join([*words[:place], "qwrtp", *words[place:]])
    if name == "distributional":
        itself, other = (workspace.similarity(text, "NASA", name) for text in (known, longer))
        assert other == pytest.approx(itself, nan_ok=True)
    notes = workspace.explain(longer, "NASA", name).notes
    assert sum("qwrtp" in note for note in notes) == 1
    assert any(note.startswith("a: unknown and left out: ") and "qwrtp" in note for note in notes)


def test_an_unknown_word_inside_a_phrase_takes_it_apart(city):
    notes = city.explain("new zzyzx york", "new york", "distributional-ngrams").notes
    assert notes == ("a: taken as [new] + [york]", "a: unknown and left out: zzyzx", "b: taken as [new york]")


def test_explanations_say_how_texts_were_taken(city):
    assert city.explain("new york city", "Zzyzx, New-York!", "distributional-ngrams").notes == (
        "a: taken as [new york] + [city]",
        "b: taken as [new york]",
        "b: unknown and left out: zzyzx",
    )
    assert city.explain("new york city", "", "distributional").notes == (
        "a: taken as [new] + [york] + [city]",
    )


@pytest.mark.parametrize("name", NAMES)
def test_explanations_name_the_contexts_that_texts_share(workspace, name):
    found = workspace.explain("Bali", "Sumatra", name)
    assert found.score == pytest.approx(plain(name).score("Bali", "Sumatra"))
    both = plain(name).vector("Bali").keys() & plain(name).vector("Sumatra").keys()
    assert {part.term for part in found.contributions} == both
    assert sum(part.share for part in found.contributions) == pytest.approx(found.score)


@pytest.mark.parametrize("name", NAMES)
def test_long_texts_are_compared_too(workspace, name):
    long = " ".join([*WORDS, *TITLES] * 5)
    smoothed = configured(workspace, smoothing=0.5).measure(name)
    assert np.isfinite(smoothed.score(long, ["NASA", long])).all()
    expected = plain(name).score(long, "NASA")
    assert workspace.similarity(long, "NASA", name) == pytest.approx(expected, nan_ok=True)
    assert workspace.similarity("", "", name) == pytest.approx(nan, nan_ok=True)
