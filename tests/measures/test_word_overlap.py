"""Overlap of sets and bags of words or stems: matching, Dice, Jaccard, overlap, cosine (Yih & Meek 2007)."""

from dataclasses import replace
from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin import Settings, Workspace
from reference.lexical import ranked
from reference.word_overlap import COEFFICIENTS, bag
from strategies import texts
from topics import DOCUMENTS

NAMES = sorted(COEFFICIENTS)
FORMS = [(False, False), (True, False), (False, True), (True, True)]
ALIKE = ["run", "runs", "running", "Valentine's", "valentines", "java", "JAVA", "the", "zzyzx"]
word_texts = st.lists(st.sampled_from(ALIKE), max_size=8).map(" ".join)
anything = st.one_of(word_texts, texts())
REPOSITORY = [
    ("java island", 3),
    ("Java", 9),
    ("islands of java", 1),
    ("java programming", 2),
    ("running java", 2),
    ("NASA", 7),
    ("!", 1),
    ("the island", 4),
]


def form(workspace, name, stems, frequencies):
    """A measure over words or stems, as sets or with frequencies."""
    return replace(workspace.measure(f"{name}-stems" if stems else name), frequencies=frequencies)


def test_worked_values_of_two_word_sets(workspace):
    query, candidate = "new york city hotels", "hotels in york"  # 4 words, 3 words, 2 shared, 5 in all
    expected = {"matching": 2, "dice": 4 / 7, "jaccard": 2 / 5, "overlap": 2 / 3, "cosine": 2 / sqrt(12)}
    found = {name: workspace.similarity(query, candidate, name) for name in NAMES}
    assert found == pytest.approx(expected)


def test_worked_values_of_two_frequency_vectors(workspace):
    query, candidate = "bye bye love", "bye bye bye"  # (2, 1) and (3, 0): q.s = 6, |q|^2 = 5, |s|^2 = 9
    expected = {"matching": 6, "dice": 12 / 14, "jaccard": 6 / 8, "overlap": 6 / 5, "cosine": 2 / sqrt(5)}
    found = {name: form(workspace, name, False, True).score(query, [candidate])[0] for name in NAMES}
    assert found == pytest.approx(expected)


def test_worked_values_of_stems(workspace):
    query, candidates = "seattle mariners", ["Seattle Mariner", "mariners", "marine"]
    assert workspace.measure("dice").score(query, candidates) == pytest.approx([1 / 2, 2 / 3, 0])
    stemmed = workspace.measure("dice-stems")  # all have the stem marin
    assert stemmed.score(query, candidates) == pytest.approx([1, 2 / 3, 2 / 3])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("stems", "frequencies"), FORMS)
@given(batch=st.lists(anything, min_size=1, max_size=6))
@settings(deadline=None, max_examples=40)
def test_scores_equal_the_formulas(workspace, name, stems, frequencies, batch):
    bags = [bag(text, stems, frequencies) for text in batch]
    expected = [COEFFICIENTS[name](q, s) for q, s in zip(bags, bags[::-1], strict=True)]
    measure = form(workspace, name, stems, frequencies)
    assert measure.score_pairs(batch, batch[::-1]) == pytest.approx(expected, abs=1e-12)
    assert measure.score(batch[0], batch) == pytest.approx([COEFFICIENTS[name](bags[0], s) for s in bags])


@given(a=anything, b=anything)
@settings(deadline=None, max_examples=100)
def test_coefficients_of_word_sets_have_a_fixed_order(workspace, a, b):
    score = {name: workspace.similarity(a, b, name) for name in NAMES}
    assert 0 <= score["jaccard"] <= score["dice"] + 1e-12
    assert score["dice"] <= score["cosine"] + 1e-12
    assert score["cosine"] <= score["overlap"] + 1e-12
    assert score["overlap"] <= min(1, score["matching"]) + 1e-12
    assert score["dice"] == pytest.approx(2 * score["jaccard"] / (1 + score["jaccard"]))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("stems", "frequencies"), FORMS)
@given(a=word_texts, b=word_texts)
@settings(deadline=None, max_examples=25)
def test_explanations_list_the_shared_words_and_sum_to_the_score(workspace, name, stems, frequencies, a, b):
    measure = form(workspace, name, stems, frequencies)
    explanation = measure.explain(a, b)
    shares = [contribution.share for contribution in explanation.contributions]
    assert explanation.score == pytest.approx(measure.score(a, [b])[0])
    assert sum(shares) == pytest.approx(explanation.score, abs=1e-12)
    assert shares == sorted(shares, reverse=True)
    shared = bag(a, stems).keys() & bag(b, stems).keys()
    named = [next(iter(bag(c.term, stems))) for c in explanation.contributions]
    assert sorted(named) == sorted(shared)


@pytest.fixture(scope="module")
def stocked(build):
    workspace = build(DOCUMENTS)
    workspace.repository.add(REPOSITORY)
    workspace = workspace.reopen()
    for name in NAMES:
        workspace.build(name)
        workspace.build(f"{name}-stems")
    return workspace.reopen()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("stems", [False, True])
@pytest.mark.parametrize(
    "query", ["java islands", "the Java island, running", "running running", "zzyzx", "..."]
)
def test_a_repository_is_ranked_as_by_brute_force(stocked, name, stems, query):
    every = {text: COEFFICIENTS[name](bag(query, stems), bag(text, stems)) for text, _ in REPOSITORY}
    expected = {text: score for text, score in every.items() if score > 0}
    measure = f"{name}-stems" if stems else name
    found = stocked.match([query], 100, measure=measure)[0].suggestions
    assert {offer.query: offer.score for offer in found} == pytest.approx(expected, abs=1e-6)
    order = ranked((text, count, expected[text]) for text, count in REPOSITORY if text in expected)
    assert [offer.query for offer in found] == order
    for k in (1, 2, 3):
        first = stocked.match([query], k, measure=measure)[0].suggestions
        assert [offer.query for offer in first] == order[:k]


@pytest.mark.parametrize("name", NAMES)
def test_a_repository_is_ranked_by_term_frequencies_if_configured(build, name):
    workspace = Workspace(build(DOCUMENTS).path, Settings(measures={name: {"frequencies": True}}))
    repository = [("bye bye bye", 1), ("love love", 2), ("bye", 1), ("love bye", 3), ("hello", 9)]
    workspace.repository.add(repository)
    workspace = workspace.reopen()
    workspace.build(name)
    found = workspace.reopen().match(["bye bye love"], 100, measure=name)[0].suggestions
    query = bag("bye bye love", frequencies=True)
    expected = {text: COEFFICIENTS[name](query, bag(text, frequencies=True)) for text, _ in repository[:4]}
    assert {offer.query: offer.score for offer in found} == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("stems", "frequencies"), FORMS)
def test_texts_without_words_score_0(workspace, name, stems, frequencies):
    measure = form(workspace, name, stems, frequencies)
    assert measure.score("", ["", "!", "java"]).tolist() == [0, 0, 0]
    assert measure.score("java", ["", "…", "NASA"]).tolist() == [0, 0, 0]
    assert measure.explain("", "java").contributions == ()


@pytest.mark.parametrize("name", NAMES)
def test_word_sets_need_no_corpus(build, name):
    assert build().similarity("web page", "Page", name) > 0


def test_a_long_text_is_compared_like_a_short_one(workspace):
    long = " ".join(f"w{number}" for number in range(3000))
    found = {name: workspace.similarity(long, "w1 w2 nothing", name) for name in NAMES}
    assert found == pytest.approx(
        {name: COEFFICIENTS[name](bag(long), bag("w1 w2 nothing")) for name in NAMES}
    )
