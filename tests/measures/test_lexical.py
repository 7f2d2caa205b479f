"""Word matches, alone and in cascades (Metzler et al. 2007), and edit distance."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.lexical import CRITERIA, LEXICAL, STEMMING, cascade_score, edit, ranking
from reference.tokenizer import words
from strategies import texts
from topics import DOCUMENTS

STACKS = {"lexical": LEXICAL, "stemming": STEMMING}
NAMES = [*CRITERIA, *STACKS]
ALIKE = ["run", "runs", "running", "java", "JAVA", "island", "islands", "of", "zzyzx", "-"]
word_texts = st.lists(st.sampled_from(ALIKE), max_size=5).map(" ".join)
anything = st.one_of(word_texts, word_texts, texts())
QUERY = "seattle mariners baseball"
REPOSITORY = [
    ("seattle mariners", 4),
    ("seattle mariners baseball", 1),
    ("Seattle Mariner baseball", 8),
    ("mariners baseball", 4),
    ("baseball", 1),
    ("seattle", 5),
    ("baseball seattle", 9),
    ("mariners", 5),
    ("mariners, baseball", 4),
    ("marine", 3),
    ("harry potter", 90),
    ("!", 2),
    ("baseball baseball", 1),
]


def expected_score(name, query, candidate):
    if name in STACKS:
        return cascade_score(STACKS[name], query, candidate)
    return float(CRITERIA[name](query, candidate))


@pytest.mark.parametrize(
    ("candidate", "exact", "phrase", "subset", "exact_stems"),
    [
        ("Seattle Mariners, BASEBALL!", 1, 1, 1, 1),
        ("seattle mariners", 0, 1, 1, 0),
        ("mariners baseball", 0, 1, 1, 0),
        ("baseball", 0, 1, 1, 0),
        ("seattle baseball", 0, 0, 1, 0),
        ("baseball baseball", 0, 0, 1, 0),
        ("mariners seattle baseball", 0, 0, 1, 0),
        ("seattle mariner baseball", 0, 0, 0, 1),
        ("seattle mariners baseball tickets", 0, 0, 0, 0),
        ("base", 0, 0, 0, 0),
        ("", 0, 0, 0, 0),
    ],
)
def test_worked_matches_of_a_query(workspace, candidate, exact, phrase, subset, exact_stems):
    found = {name: workspace.similarity(QUERY, candidate, name) for name in CRITERIA}
    assert found == {"exact": exact, "phrase": phrase, "subset": subset, "exact-stems": exact_stems}


@pytest.mark.parametrize(
    ("candidate", "lexical", "stemming"),
    [
        ("Seattle Mariners Baseball", 3 + 3 / 4, 4 + 3 / 4),
        ("seattle mariners", 2 + 2 / 3, 3 + 2 / 3),
        ("seattle", 2 + 1 / 2, 3 + 1 / 2),
        ("baseball mariners seattle", 1 + 3 / 4, 2 + 3 / 4),
        ("baseball baseball", 1 + 1 / 2, 2 + 1 / 2),
        ("seattle mariner baseball", 0, 1 + 3 / 4),
        ("harry potter", 0, 0),
    ],
)
def test_worked_scores_of_cascades(workspace, candidate, lexical, stemming):
    assert workspace.similarity(QUERY, candidate, "lexical") == pytest.approx(lexical)
    assert workspace.similarity(QUERY, candidate, "stemming") == pytest.approx(stemming)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("kitten", "sitting", 1 - 3 / 7),
        ("Seattle  MARINERS!", "seattle mariner", 1 - 1 / 16),
        ("web page", "webpage", 1 - 1 / 8),
        ("abc", "", 0),
        ("", "?", 0),
        ("é", "e\u0301", 1),
    ],
)
def test_worked_edit_similarities(workspace, a, b, expected):
    assert workspace.similarity(a, b, "edit") == pytest.approx(expected)
    assert workspace.similarity(b, a, "edit") == pytest.approx(expected)


@pytest.mark.parametrize("name", NAMES)
@given(batch=st.lists(anything, min_size=1, max_size=8))
@settings(deadline=None, max_examples=100)
def test_scores_equal_the_reference(workspace, name, batch):
    pairs = [(a, b) for a in batch for b in batch]
    expected = [expected_score(name, a, b) for a, b in pairs]
    found = workspace.measure(name).score_pairs([a for a, _ in pairs], [b for _, b in pairs])
    assert found == pytest.approx(expected, abs=1e-12)
    assert workspace.measure(name).score(batch[0], batch) == pytest.approx(expected[: len(batch)])


@given(batch=st.lists(anything, min_size=1, max_size=4))
@settings(deadline=None, max_examples=100)
def test_edit_similarity_equals_the_reference(workspace, batch):
    pairs = [(a, b) for a in batch for b in batch]
    found = workspace.measure("edit").score_pairs([a for a, _ in pairs], [b for _, b in pairs])
    assert found == pytest.approx([edit(a, b) for a, b in pairs], abs=1e-12)


@given(query=word_texts, start=st.integers(0, 4), end=st.integers(0, 5))
@settings(deadline=None, max_examples=100)
def test_an_exact_match_is_a_phrase_and_a_phrase_is_a_subset(workspace, query, start, end):
    found = words(query)
    candidates = [" ".join(found), " ".join(found[start:end]), " ".join(sorted(found)), " ".join(found[::-1])]
    exact, phrase, subset = (workspace.measure(name).score(query, candidates) for name in list(CRITERIA)[:3])
    assert (exact <= phrase).all()
    assert (phrase <= subset).all()
    assert (exact <= workspace.measure("exact-stems").score(query, candidates)).all()


@pytest.mark.parametrize("name", NAMES)
@given(query=word_texts, candidate=word_texts)
@settings(deadline=None, max_examples=60)
def test_explanations_name_the_tier_and_list_the_words_of_the_candidate(workspace, name, query, candidate):
    explanation = workspace.explain(query, candidate, name)
    parts = {contribution.term: contribution.share for contribution in explanation.contributions}
    shares = [contribution.share for contribution in explanation.contributions]
    assert explanation.score == pytest.approx(expected_score(name, query, candidate))
    assert sum(shares) == pytest.approx(explanation.score, abs=1e-9)
    assert shares == sorted(shares, reverse=True)
    if explanation.score > 0:
        if name in STACKS:
            tier = next(tier for tier, matches in CRITERIA.items() if matches(query, candidate))
            assert parts.pop(tier) == len(STACKS[name]) - list(CRITERIA).index(tier)
        assert set(words(" ".join(parts))) == set(words(candidate))
    else:
        assert parts == {}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("query", [QUERY, "Baseball, Seattle", "seattle", "mariners baseball", "potter", "?"])
def test_a_repository_is_ranked_as_by_brute_force(stocked, name, query):
    found = stocked.match([query], 100, measure=name)[0].suggestions
    expected = {text: expected_score(name, query, text) for text, _ in REPOSITORY}
    assert {offer.query: offer.score for offer in found} == pytest.approx(
        {text: score for text, score in expected.items() if score > 0}
    )
    tiers = STACKS.get(name, [lambda a, b: expected_score(name, a, b)])
    order = ranking(tiers, query, REPOSITORY)
    assert [offer.query for offer in found] == order
    for k in (1, 2, 3, 5):
        best = stocked.match([query], k, measure=name)[0].suggestions
        assert [offer.query for offer in best] == order[:k]


@pytest.fixture(scope="module")
def stocked(build):
    workspace = build(DOCUMENTS)
    workspace.repository.add(REPOSITORY)
    workspace = workspace.reopen()
    for name in NAMES:
        workspace.build(name)
    return workspace.reopen()


def test_the_lexical_order_of_a_repository(stocked):
    found = stocked.match([QUERY], 100, measure="stemming")[0].suggestions
    assert [offer.query for offer in found] == [
        "seattle mariners baseball",  # exact
        "mariners baseball",
        "mariners, baseball",
        "seattle mariners",  # phrases of two words, by text
        "mariners",
        "seattle",
        "baseball",  # of one word, by count, then by text
        "baseball seattle",
        "baseball baseball",  # subsets
        "Seattle Mariner baseball",  # exact stems
    ]


@pytest.mark.parametrize("query", [QUERY, "Seatle marinrs", "haary poter", "b", "?", "漢字"])
def test_a_repository_is_ranked_by_edit_distance(stocked, query):
    order = ranking([edit], query, REPOSITORY)
    for k in (2, 100):
        found = stocked.match([query], k, measure="edit")[0].suggestions
        assert [offer.query for offer in found] == order[:k]
        assert [offer.score for offer in found] == pytest.approx([edit(query, text) for text in order[:k]])


@given(a=anything, b=anything)
@settings(deadline=None, max_examples=60)
def test_explanations_of_edit_show_the_unchanged_characters(workspace, a, b):
    explanation = workspace.explain(a, b, "edit")
    assert explanation.score == pytest.approx(edit(a, b))
    shares = [contribution.share for contribution in explanation.contributions]
    assert sum(shares) == pytest.approx(explanation.score, abs=1e-9)
    assert shares == sorted(shares, reverse=True)


def test_a_removed_query_is_not_returned(build):
    workspace = build(DOCUMENTS)
    workspace.repository.add(REPOSITORY)
    workspace = workspace.reopen()
    workspace.build("lexical")
    workspace.repository.remove(["seattle mariners", "baseball seattle"])
    left = [
        (text, count) for text, count in REPOSITORY if text not in ("seattle mariners", "baseball seattle")
    ]
    found = workspace.reopen().match([QUERY], 100, measure="lexical")[0].suggestions
    assert [offer.query for offer in found] == ranking(LEXICAL, QUERY, left)


@pytest.mark.parametrize("name", [*NAMES, "edit"])
def test_texts_without_words_match_nothing(workspace, name):
    assert workspace.measure(name).score("", ["", "!", "java"]).tolist() == [0, 0, 0]
    assert workspace.measure(name).score("java", ["", "…"]).tolist() == [0, 0]
    assert workspace.explain("", "", name).contributions == ()


@pytest.mark.parametrize("name", [*NAMES, "edit"])
def test_matches_need_no_corpus(build, name):
    expected = 1 if name == "edit" else expected_score(name, "web page", "Web  Page")
    assert build().similarity("web page", "Web  Page", name) == pytest.approx(expected)


def test_a_sequence_of_more_than_64_words_is_a_phrase_only_as_the_whole_query(workspace):
    long = [f"w{number}" for number in range(100)]
    runs = [long[:64], long[36:], long[20:84], long, long[:65], long[1:99]]
    found = workspace.measure("phrase").score(" ".join(long), [" ".join(run) for run in runs])
    assert found.tolist() == [1, 1, 1, 1, 0, 0]
    assert workspace.similarity(" ".join(long), " ".join(long[:65]), "subset") == 1
    assert workspace.similarity(" ".join(long), " ".join(long), "lexical") == pytest.approx(3 + 100 / 101)
