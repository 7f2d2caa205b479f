"""The five methods of Metzler et al. (2007) on one query, "seattle mariners", as in their table 2."""

from math import exp
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin import Document, Settings, Workspace
from querykin.errors import WorkspaceError
from querykin.text.stopwords import ENGLISH_STOP_WORDS
from reference.corpus import ReferenceCorpus
from reference.language_model import ReferenceLanguageModel
from reference.lexical import LEXICAL, STEMMING, backoff, cascade_score, exact, exact_stems, ranking

DOCUMENTS = [
    Document(
        "mariners",
        "Seattle Mariners",
        "The Seattle Mariners are a professional baseball team of Seattle. The Mariners play their home "
        "games in the American League West, and baseball fans buy Mariners tickets every season.",
    ),
    Document(
        "tickets",
        "Mariners tickets",
        "Tickets for Seattle Mariners baseball games at Safeco Field are sold at the stadium. Single game "
        "tickets of the Mariners go on sale in March, season tickets before the schedule is out.",
    ),
    Document(
        "schedule",
        "Mariners schedule",
        "The schedule of the Seattle Mariners lists 81 home games of the baseball season at Safeco Field, "
        "with dates, opponents and where to buy tickets.",
    ),
    Document(
        "stadium",
        "Safeco Field",
        "Safeco Field is the baseball stadium of the Seattle Mariners. The stadium has a roof, and its field "
        "is real grass. Games of the Mariners draw many fans.",
    ),
    Document(
        "baseball",
        "Baseball",
        "Baseball is a game between two teams of nine players. A pitcher throws the ball, a batter hits it. "
        "The season of Major League Baseball ends with the World Series.",
    ),
    Document(
        "ichiro",
        "Ichiro Suzuki",
        "Ichiro Suzuki played baseball for the Seattle Mariners and hit safely in game after game.",
    ),
    Document(
        "seattle",
        "Seattle",
        "Seattle is a city and a port in the state of Washington. Visitors of Seattle see the Space Needle, "
        "the harbour and the market, and stay in hotels downtown.",
    ),
    Document(
        "hotels",
        "Seattle hotels",
        "Hotels in downtown Seattle offer rooms near the harbour and the market. Compare hotel rates.",
    ),
    Document(
        "mariner",
        "Mariner",
        "A mariner is a sailor. The ancient mariner of the poem shot an albatross at sea.",
    ),
    Document(
        "potter",
        "Harry Potter",
        "Harry Potter is a young wizard. The books follow Harry and his friends at the school Hogwarts.",
    ),
    Document(
        "pie",
        "Apple pie",
        "A recipe for apple pie: peel the apples, add sugar and cinnamon, and bake the pie in the oven.",
    ),
    Document(
        "lottery",
        "Lottery",
        "The lottery draws six winning numbers on Saturday; the jackpot grows until somebody wins.",
    ),
    Document(
        "java",
        "Java",
        "Java is a programming language whose programs run on a virtual machine.",
    ),
]
QUERY = "seattle mariners"
REPOSITORY = [
    ("seattle mariners", 90),
    ("seattle mariner", 12),
    ("mariners tickets", 40),
    ("mariners schedule", 35),
    ("mariners baseball", 20),
    ("baseball tickets", 8),
    ("safeco field", 25),
    ("ichiro suzuki", 30),
    ("seattle", 400),
    ("mariners", 150),
    ("seattle hotels", 60),
    ("harry potter", 500),
    ("apple pie recipe", 70),
    ("winning lottery numbers", 45),
    ("java programming", 80),
    ("zzyzx", 3),
]
BASEBALL = {
    "seattle mariners",
    "seattle mariner",
    "mariners tickets",
    "mariners schedule",
    "mariners",
    "mariners baseball",
    "baseball tickets",
    "safeco field",
    "ichiro suzuki",
}
ELSEWHERE = {"harry potter", "apple pie recipe", "winning lottery numbers", "java programming"}
# The paper's mu_C = 2500 fits expansions of 200 results; here they have 4 results and about 150 words.
SMALL = Settings(measures={name: {"results": 4, "mu_c": 10.0} for name in ("sparse-prob", "dense-prob")})
COLUMNS = ["lexical", "stemming", "sparse-prob", "dense-prob", "backoff"]
REFERENCE = ReferenceCorpus(DOCUMENTS)
WORDS = [
    "seattle",
    "mariners",
    "mariner",
    "tickets",
    "ticket",
    "schedule",
    "baseball",
    "harry",
    "potter",
    "apple",
    "apples",
    "pie",
    "the",
    "of",
    "zzyzx",
]
query_texts = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)


def stock(path: Path) -> Workspace:
    workspace = Workspace(path, SMALL)
    workspace.repository.add(REPOSITORY)
    workspace = workspace.reopen()
    for name in COLUMNS:
        workspace.build(name)
    return workspace.reopen()


@pytest.fixture(scope="module")
def seattle(build):
    """The workspace of the table; read-only."""
    return stock(build(DOCUMENTS).path)


def dense(measure, candidates=()):
    """The reference of dense-prob, which is also a tier of backoff."""
    reference = ReferenceLanguageModel(
        REFERENCE,
        measure.results,
        measure.terms,
        measure.mu_q,
        measure.mu_c,
        ENGLISH_STOP_WORDS,
        tuple(candidates),
    )
    return reference.dense_prob


def column(workspace: Workspace, name: str, query: str = QUERY, k: int = 100) -> list[str]:
    return [suggestion.query for suggestion in workspace.match([query], k, measure=name)[0].suggestions]


def test_lexical_returns_only_words_of_the_query(seattle):
    assert column(seattle, "lexical") == ["seattle mariners", "seattle", "mariners"]


def test_stemming_ranks_the_singular_below_all_lexical_matches(seattle):
    assert column(seattle, "stemming") == ["seattle mariners", "seattle", "mariners", "seattle mariner"]


def test_backoff_ranks_exact_matches_then_exact_stems_then_the_results_of_dense_prob(seattle):
    rest = [query for query in column(seattle, "dense-prob") if query not in column(seattle, "backoff")[:2]]
    assert column(seattle, "backoff") == ["seattle mariners", "seattle mariner", *rest]


def test_language_models_rank_every_covered_query(seattle):
    for name in ("sparse-prob", "dense-prob", "backoff"):
        assert set(column(seattle, name)) == {query for query, _ in REPOSITORY} - {"zzyzx"}


def test_dense_prob_ranks_baseball_above_all_other_topics(seattle):
    for name in ("dense-prob", "backoff"):
        found = column(seattle, name)
        assert max(map(found.index, BASEBALL)) < min(map(found.index, ELSEWHERE))
        assert set(found[:8]) <= BASEBALL | {"seattle"}
        assert {"mariners tickets", "mariners baseball", "mariners schedule"} <= set(found[:8])


def test_sparse_prob_ranks_candidates_with_the_words_of_the_query_highest(seattle):
    found = column(seattle, "sparse-prob")
    assert set(found[:5]) <= BASEBALL | {"seattle", "seattle hotels"}
    assert set(found[-len(ELSEWHERE) :]) == ELSEWHERE


def test_each_method_returns_at_least_as_many_as_the_one_before(seattle):
    found = [len(column(seattle, name)) for name in COLUMNS]
    assert found == [3, 4, 15, 15, 15]


def test_worked_scores_of_backoff(seattle):
    score = {name: seattle.similarity(QUERY, "mariners tickets", name) for name in ("dense-prob", "backoff")}
    assert score["dense-prob"] < 0
    assert score["backoff"] == pytest.approx(1 + 1 / (1 + exp(-score["dense-prob"])))
    assert seattle.similarity(QUERY, "Seattle MARINERS!", "backoff") == pytest.approx(3 + 2 / 3)
    assert seattle.similarity(QUERY, "seattle mariner", "backoff") == pytest.approx(2 + 2 / 3)
    assert seattle.similarity("zzyzx", "zzyzx", "backoff") == pytest.approx(3 + 1 / 2)
    assert seattle.similarity("zzyzx", "seattle", "backoff") == 0
    assert seattle.similarity("seattle", "zzyzx", "backoff") == 0


@given(query=query_texts, candidates=st.lists(query_texts, min_size=1, max_size=5))
@settings(deadline=None, max_examples=100)
def test_scores_of_pairs_equal_the_reference_cascade(seattle, query, candidates):
    tiers = backoff(dense(seattle.measure("dense-prob"), [text for text, _ in REPOSITORY]))
    expected = [cascade_score(tiers, query, candidate) for candidate in candidates]
    assert seattle.measure("backoff").score(query, candidates) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("name", ["lexical", "stemming", "backoff"])
@given(query=query_texts)
@settings(deadline=None, max_examples=60)
def test_rankings_equal_brute_force(seattle, name, query):
    dense_prob = dense(seattle.measure("dense-prob"), [text for text, _ in REPOSITORY])
    tiers = {"lexical": LEXICAL, "stemming": STEMMING, "backoff": backoff(dense_prob)}[name]
    expected = {text: cascade_score(tiers, query, text) for text, _ in REPOSITORY}
    found = seattle.match([query], 100, measure=name)[0].suggestions
    assert {suggestion.query: suggestion.score for suggestion in found} == pytest.approx(
        {text: score for text, score in expected.items() if score > 0}, abs=1e-6
    )
    assert [suggestion.query for suggestion in found] == ranking(tiers, query, REPOSITORY)
    for k in (1, 2, 5):
        assert column(seattle, name, query, k) == ranking(tiers, query, REPOSITORY)[:k]
    alone = seattle.measure(name).score(query, [suggestion.query for suggestion in found])
    assert [suggestion.score for suggestion in found] == pytest.approx(alone.tolist(), abs=1e-6)


@given(query=query_texts, candidates=st.lists(query_texts, min_size=1, max_size=4))
@settings(deadline=None, max_examples=60)
def test_a_match_of_words_scores_above_every_language_model_score(seattle, query, candidates):
    found = seattle.measure("backoff").score(query, candidates)
    for candidate, score in zip(candidates, found, strict=True):
        tiers = {3} if exact(query, candidate) else {2} if exact_stems(query, candidate) else {0, 1}
        assert int(score) in tiers


@given(query=query_texts, candidate=query_texts)
@settings(deadline=None, max_examples=60)
def test_explanations_name_the_tier_and_sum_to_the_score(seattle, query, candidate):
    explanation = seattle.explain(query, candidate, "backoff")
    score = seattle.similarity(query, candidate, "backoff")
    shares = [contribution.share for contribution in explanation.contributions]
    assert explanation.score == pytest.approx(score)
    assert sum(shares) == pytest.approx(score, abs=1e-9)
    assert shares == sorted(shares, reverse=True)
    first = [contribution.term for contribution in explanation.contributions[:1]]
    assert first == [[], ["dense-prob"], ["exact-stems"], ["exact"]][int(score)]


def test_removed_queries_are_never_returned(build):
    workspace = stock(build(DOCUMENTS).path)
    removed = ["seattle mariner", "mariners tickets", "harry potter"]
    workspace.repository.remove(removed)
    workspace = workspace.reopen()
    left = [(text, count) for text, count in REPOSITORY if text not in removed]
    tiers = backoff(dense(workspace.measure("dense-prob"), [text for text, _ in left]))
    assert column(workspace, "backoff") == ranking(tiers, QUERY, left)
    assert column(workspace, "stemming") == ranking(STEMMING, QUERY, left)
    found = workspace.match([QUERY], 100, measure="backoff")[0].suggestions
    assert [suggestion.score for suggestion in found] == pytest.approx(
        [cascade_score(tiers, QUERY, suggestion.query) for suggestion in found], abs=1e-6
    )


def test_without_a_repository_backoff_smooths_with_the_corpus(build):
    workspace = Workspace(build(DOCUMENTS).path, SMALL)
    tiers = backoff(dense(workspace.measure("dense-prob")))
    candidates = [text for text, _ in REPOSITORY]
    expected = [cascade_score(tiers, QUERY, candidate) for candidate in candidates]
    assert workspace.measure("backoff").score(QUERY, candidates) == pytest.approx(expected)


@pytest.mark.parametrize("name", COLUMNS)
def test_every_method_gives_suggestions(seattle, name):
    suggested = seattle.suggest(QUERY, 4, name, filter="none")
    assert [suggestion.query for suggestion in suggested.suggestions] == column(seattle, name)[:4]
    assert (suggested.measure, suggested.covered) == (name, True)
    diverse = seattle.suggest(QUERY, 4, name).suggestions
    assert "seattle mariner" not in [suggestion.query for suggestion in diverse]


def test_backoff_requires_a_corpus(build):
    with pytest.raises(WorkspaceError, match="corpus"):
        build().similarity("a", "a", "backoff")


def test_backoff_always_has_a_score(seattle):
    found = seattle.measure("backoff").score("", ["", "😀", "seattle"])
    assert found.tolist() == [0, 0, 0]
    assert seattle.match([""], 5, measure="backoff")[0].suggestions == ()


def test_a_positive_divergence_score_stays_below_the_next_tier(build):
    """The window of "bravo" contains the word of the query more often than its own window: -KL is above 0."""
    documents = [Document("1", "Alphas", "the the"), Document("2", "Bravo", "alphas " * 50)]
    few = Settings(measures={"dense-prob": {"results": 1, "mu_c": 1.0}})
    workspace = Workspace(build(documents).path, few)
    assert workspace.similarity("alphas", "bravo", "dense-prob") > 0.3
    found = workspace.measure("backoff").score("alphas", ["alphas", "alpha", "bravo"])
    assert found.astype(int).tolist() == [3, 2, 1]
