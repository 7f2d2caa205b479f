"""Variants of one query: every kind is found, and what only looks like one is left apart."""

import csv
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.clustering.variants.deduplication import deduplicate
from querykin.text.analyzer import Analyzer

ENGLISH = Analyzer.of("en")


def reason(
    canonical: str, query: str, *, counts: tuple[int, int] = (10, 1), language: str = "en"
) -> str | None:
    """Why the second query is a variant of the first; None if it is none."""
    found = deduplicate([canonical, query], counts, Analyzer.of(language))
    assert found.canonical[0] == 0
    return found.reasons.get(1) if found.canonical[1] == 0 else None


@pytest.mark.parametrize(
    ("canonical", "query", "kinds"),
    [
        ("apple pie", "pie apple", "word order"),
        ("iphone 12 case", "case iphone 12", "word order"),
        ("apple pie", "apple pies", "inflection"),
        ("city hotel", "cities hotel", "inflection"),
        ("women shoes", "woman shoes", "inflection"),
        ("kitchen shelves", "kitchen shelf", "inflection"),
        ("valentines day", "valentine's day", "punctuation"),
        ("rock & roll", "rock roll", "punctuation"),
        ("wireless keyboard", "wireless keybord", "spelling"),
        ("united airlines", "untied arlines", None),  # one of the two is a word
        ("united airlines", "unitd arlines", "spelling"),
        ("restaurant", "resturant", "spelling"),
        ("google", "gogle", "spelling"),
        ("keyboard", "key board", "spacing"),
        ("lawn mower", "lawnmowers", "spacing, inflection"),
        ("windows 98", "windows98", "spacing"),
        ("t-shirt", "t shirt", "spacing"),
        ("email account", "e-mail account", "spacing"),
        ("online dating", "on-line dating", "spacing"),
        ("gmail login", "gmail log in", "spacing"),
        ("wireless keyboard", "wireles key board", "spacing, spelling"),
        ("garden hose", "hose for garden", "word order, function words"),
        ("hotels in london", "hotels london", "function words"),
        ("salt and pepper", "salt & pepper", "function words"),
        ("garden hose", "hoses for the gardn", "word order, inflection, function words, spelling"),
        ("café paris", "cafe paris", "accents"),
        ("how to tie a tie", "how to tie tie", "function words"),
    ],
)
def test_every_kind_of_variant_is_found_with_its_reason(canonical, query, kinds):
    assert reason(canonical, query) == kinds


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("iphone 12", "iphone 13"),
        ("iphone 12", "iphone 21"),
        ("iphone 5s", "iphone 5"),
        ("iphone5s case", "iphone5 case"),
        ("tn2110 toner", "tn2120 toner"),
        ("windows 10 office 7", "windows 7 office 10"),
        ("5 10", "510"),
        ("cat", "car"),
        ("quiet fan", "quite fan"),
        ("goggle", "google"),
        ("form filler", "from filler"),
        ("hotel with pool", "hotel without pool"),
        ("coffee with milk", "milk coffee"),
        ("what is bitcoin", "bitcoin"),
        ("flights to paris", "flights from paris"),
        ("flights to paris", "flights paris"),
        ("cm to inches", "inches to cm"),
        ("tea or coffee", "tea and coffee"),
        ("history of music", "music of history"),
        ("drive in cinema", "drive by cinema"),
        ("log in", "log on"),
        ("the office", "office"),
        ("therapist london", "the rapist london"),
        ("block e mail", "block mail"),
        ("vitamin e", "vitamins"),
        ("meaning of color red", "meaning of colors"),
        ("c++ tutorial", "c# tutorial"),
        ("c++ tutorial", "c tutorial"),
        ("jaguar -car", "jaguar car"),
        ("$100 gift", "100 gift"),
        ("ios", "io"),
        ("bedding", "bed"),
        ("ocean fishing", "ocean fish"),
        ("organ music", "organization music"),
        ("university", "universe"),
        ("browser", "brewsters"),
        ("ambient", "ambien"),
        ("🍕", "🍔"),
        ("/", "```"),
    ],
)
def test_what_only_looks_like_a_variant_stays_apart(first, second):
    assert reason(first, second, counts=(1, 1)) is None
    assert reason(first, second, counts=(9, 2)) is None


def test_a_misspelling_is_rarer_than_what_was_meant():
    assert reason("wireless keybord", "wireless keyboard", counts=(50, 1)) is None
    assert reason("seattle blorkan", "seattle blorkin", counts=(10, 1)) == "spelling"
    assert reason("seattle blorkan", "seattle blorkin", counts=(9, 1)) is None  # neither is a known word


def test_a_word_of_the_documents_is_no_misspelling():
    queries = ["active speaker", "active speakar"]
    assert deduplicate(queries, [9, 1], ENGLISH).reasons == {1: "spelling"}
    known = deduplicate(
        queries, [9, 1], ENGLISH, lambda words: np.array([word == "speakar" for word in words])
    )
    assert known.reasons == {}


@pytest.mark.parametrize(
    ("queries", "counts", "canonical"),
    [
        (["pie apple", "apple pie"], [1, 5], "apple pie"),  # asked more often
        (["wireles mouse", "wireless mouse"], [1, 1], "wireless mouse"),  # not misspelt
        (["zaxby menu", "zaxbys menu"], [1, 1], "zaxby menu"),  # shorter
        (["pie apple", "apple pie"], [2, 2], "pie apple"),  # first
    ],
)
def test_the_canonical_form_is_the_most_frequent_then_the_well_spelled_one(queries, counts, canonical):
    found = deduplicate(queries, counts, ENGLISH)
    assert {queries[number] for number in found.canonical} == {canonical}


def test_variants_are_variants_of_the_canonical_form_and_not_of_each_other():
    queries = ["drive in cinema", "drive cinema", "drive by cinema"]
    found = deduplicate(queries, [9, 5, 1], ENGLISH)
    assert found.canonical.tolist() == [0, 0, 2]  # "drive cinema" would lead from one to the other


@pytest.mark.parametrize(
    ("language", "canonical", "query", "kinds"),
    [
        ("de", "gartenschlauch", "garten schlauch", "spacing"),
        ("de", "schlauch für den garten", "garten schlauch", "word order, function words"),
        ("de", "rasenmäher kaufen", "rasenmaeher kaufen", None),
        ("de", "rasenmäher kaufen", "rasenmaher kaufen", "accents"),
        ("de", "zug nach berlin", "zug von berlin", None),
        ("fr", "tarte aux pommes", "tartes aux pommes", "inflection"),
        ("ja", "東京 ホテル", "ホテル 東京", "word order"),
        ("ja", "東京ホテル", "東京 ホテル", "spacing"),
    ],
)
def test_other_languages_have_their_own_words(language, canonical, query, kinds):
    assert reason(canonical, query, language=language) == kinds


def test_nothing_is_found_in_an_empty_list():
    found = deduplicate([], [], ENGLISH)
    assert (len(found.canonical), found.reasons) == (0, {})


@settings(max_examples=30)
@given(st.lists(st.text(max_size=20), unique_by=str.casefold, max_size=8))
def test_any_texts_have_canonical_forms_that_are_their_own(texts):
    queries = [" ".join(text.split()) or "x" for text in texts]
    found = deduplicate(queries, [1] * len(queries), ENGLISH)
    assert np.array_equal(found.canonical[found.canonical], found.canonical)
    assert {*found.reasons} == {*np.flatnonzero(found.canonical != np.arange(len(queries))).tolist()}


def test_proposals_join_queries_of_one_need():
    root = Path(__file__).resolve().parent.parent.parent
    folder = Path(os.environ.get("QUERYKIN_DATA") or root.parent / "shared" / "data")
    path = folder / "labelled" / "uqv100" / "query_variations.tsv"
    if not path.is_file():
        pytest.skip(f"{path} is not there; set QUERYKIN_DATA")
    needs: dict[str, set[str]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            needs.setdefault(row["query"].casefold(), set()).add(row["need_id"])
    queries = list(needs)
    found = deduplicate(queries, [1] * len(queries), ENGLISH)
    apart = [n for n in found.reasons if not needs[queries[n]] & needs[queries[found.canonical[n]]]]
    assert len(found.reasons) > 700
    assert len(apart) <= 0.01 * len(found.reasons)
