"""Related queries: the nearest ones, filtered for variety, each with its reasons."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin import Workspace
from querykin.errors import InputError, UnknownName
from querykin.retrieval.filters import diverse, filters, paper, token_tuples
from querykin.text.analyzer import DEFAULT
from querykin.text.tokenizer import words
from topics import DOCUMENTS, QUERIES, WORDS

TITLES = [document.title for document in DOCUMENTS if document.title]
PAIRS = [f"{a} {b}" for a, b in pairwise(TITLES)]
asked = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)


@pytest.fixture(scope="module")
def stocked(build) -> Workspace:
    """A repository of titles, pairs of titles and a few other queries; tests only read it."""
    workspace = build(DOCUMENTS)
    counted = enumerate([*QUERIES, *TITLES, *PAIRS])
    workspace.repository.add([(query, 1 + number % 7) for number, query in counted])
    workspace.build("web-kernel")
    return workspace


def offered(workspace: Workspace, query: str, limit: int = 5, **options) -> list[str]:
    return [
        suggestion.query
        for suggestion in workspace.suggest(query, limit, "web-kernel", **options).suggestions
    ]


def term_set(query: str) -> set[str]:
    return set(words(query))


# The rule of the paper: |q| - |q & z| > |z| / 2.


@pytest.mark.parametrize(
    ("candidate", "chosen", "accepted"),
    [
        ("california lotto home", "california lottery", True),  # 3 - 1 > 1
        ("california lottery", "california lottery", False),
        ("winning lottery numbers", "california lottery", True),  # 3 - 1 > 1
        ("lottery numbers", "california lottery", False),  # 2 - 1 = 1
        ("NASA", "space exploration", False),  # 1 - 0 = 1
        ("NASA", "rockets", True),  # 1 > 0.5
        ("space exploration", "NASA", True),
        ("seattle mariners tickets", "seattle mariners", False),  # 3 - 2 = 1
        ("Java JAVA java", "island", True),  # sets of words: 1 > 0.5
        ("valentine's day", "valentines day", False),  # "valentine's" is one word: 2 - 1 = 1
        ("", "", False),
    ],
)
def test_the_rule_of_the_paper_decides_as_printed(candidate, chosen, accepted):
    assert paper(*token_tuples([candidate, chosen])) is accepted


@given(*[st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), max_size=6)] * 2)
def test_the_rule_of_the_paper_is_its_formula_over_sets(mine, theirs):
    q, z = set(mine), set(theirs)
    assert paper(tuple(mine), tuple(theirs)) == (len(q) - len(q & z) > 0.5 * len(z))


@given(asked, st.integers(1, 12))
@settings(deadline=None, max_examples=60)
def test_every_list_keeps_the_rule_of_the_paper(stocked, query, limit):
    chosen = [query]
    for candidate in offered(stocked, query, limit, filter="paper"):
        q = term_set(candidate)
        assert all(len(q) - len(q & term_set(z)) > 0.5 * len(term_set(z)) for z in chosen)
        chosen.append(candidate)


@given(asked, st.sampled_from(["paper", "diverse"]), st.integers(1, 8))
@settings(deadline=None, max_examples=60)
def test_a_filter_takes_the_best_candidates_that_it_accepts(stocked, query, name, limit):
    """What a naive walk over the whole ranking chooses."""
    chosen: list[str] = []
    for candidate in offered(stocked, query, 1000, filter="none"):
        accepted = all(filters[name](*token_tuples([candidate, other])) for other in [query, *chosen])
        chosen += [candidate] if accepted and len(chosen) < limit else []
    assert offered(stocked, query, limit, filter=name) == chosen


@pytest.mark.parametrize(
    "again",
    [
        "Seattle Mariners",
        "mariners seattle",
        "seattle mariner",
        "the seattle mariners",
        "mariners of seattle",
        "seattle's mariners",
        "seatle mariners",
        "seattle marinres",
        "seattle maryners",
        "seattlemariners",
        "what is the seattle mariners",
        "SEATTLE  mariners!",
    ],
)
def test_the_same_query_again_is_not_diverse(again):
    assert not diverse(*token_tuples([again, "seattle mariners"]))
    assert not diverse(*token_tuples(["seattle mariners", again]))


@pytest.mark.parametrize(
    ("candidate", "chosen"),
    [
        ("seattle mariners tickets", "seattle mariners"),
        ("seattle seahawks", "seattle mariners"),
        ("nasa", "space exploration"),
        ("world series 2004", "world series 2005"),  # figures are no typing errors
        ("java maps", "java apps"),  # short words may differ by one letter
    ],
)
def test_other_queries_are_diverse(candidate, chosen):
    assert diverse(*token_tuples([candidate, chosen]))


def test_less_than_one_suggestion_cannot_be_asked_for(stocked):
    with pytest.raises(InputError, match="k must be a whole number from 1, like 5, got 0"):
        stocked.suggest("nasa", 0)
    with pytest.raises(InputError, match="k must be a whole number from 1, like 5, got -1"):
        stocked.match(["nasa"], -1)


def test_without_a_filter_the_plain_ranking_comes(stocked):
    measure = stocked.measure("web-kernel")
    candidates = stocked.repository.queries(stocked.repository.live_ids())
    scores = measure.score("space exploration", candidates)
    ranked = sorted(zip(-scores, range(len(candidates)), strict=True))
    best = [(candidates[number], -negated) for negated, number in ranked if negated < 0][:10]
    found = stocked.suggest("space exploration", 10, "web-kernel", filter="none").suggestions
    assert [s.score for s in found] == pytest.approx([score for _, score in best], abs=1e-6)
    assert found[0].query == "space exploration"
    assert {s.query for s in found[:9]} <= {query for query, _ in best}


@given(asked, st.sampled_from(["none", "diverse"]))
@settings(deadline=None, max_examples=30)
def test_scores_fall_and_lie_between_0_and_1(stocked, query, name):
    scores = [s.score for s in stocked.suggest(query, 50, "web-kernel", filter=name).suggestions]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)


@given(asked, st.floats(0, 1), st.integers(1, 30))
@settings(deadline=None, max_examples=30)
def test_a_threshold_and_a_limit_cut_the_list(stocked, query, threshold, limit):
    everything = stocked.suggest(query, 60, "web-kernel").suggestions
    expected = [s for s in everything if s.score >= threshold][:limit]
    assert list(stocked.suggest(query, limit, "web-kernel", threshold=threshold).suggestions) == expected


def test_rarely_asked_queries_can_be_left_out(stocked):
    common = stocked.suggest("java island", 1000, "web-kernel", filter="none", min_count=5).suggestions
    everything = stocked.suggest("java island", 1000, "web-kernel", filter="none").suggestions
    assert list(common) == [s for s in everything if s.count >= 5]
    assert 0 < len(common) < len(everything)


def test_blocked_words_and_queries_are_never_offered(stocked):
    free = offered(stocked, "space exploration", 1000, filter="none")
    blocked = offered(stocked, "space exploration", 1000, filter="none", block=["Rockets", " mars   ROVER "])
    assert blocked == [
        query
        for query in free
        if "rocket" not in {DEFAULT.stem(word) for word in words(query)} and words(query) != ["mars", "rover"]
    ]
    assert {"rockets rocks", "Rocket engine"} <= set(free) - set(blocked)
    assert {query for query in free if "Mars rover" in query} - set(blocked) == {"Mars rover"}


def test_a_deeper_search_replaces_what_is_blocked(stocked):
    first = offered(stocked, "space exploration", 5, filter="none")
    others = offered(stocked, "space exploration", 5, filter="none", block=["space"])
    assert len(others) == 5
    assert not any("space" in words(query) for query in others)
    assert any("space" in words(query) for query in first)


@pytest.mark.parametrize("query", ["", "  ", "zzyzx qqxz", "😀", "?!"])
def test_a_query_that_the_corpus_does_not_cover_gets_nothing(query, stocked):
    for found in (stocked.suggest(query, 5, "web-kernel"), stocked.match([query], 5, "web-kernel")[0]):
        assert (found.query, found.covered, found.suggestions) == (query, False, ())


def test_a_query_never_seen_before_gets_related_ones(stocked):
    found = stocked.suggest("rocket launches by astronauts", 5, "web-kernel")
    assert found.covered
    assert len(found.suggestions) == 5
    assert {"space exploration", "ESA", "rockets rocks"} & {offer.query for offer in found.suggestions}


@given(asked)
@settings(deadline=None, max_examples=15)
def test_explanations_sum_to_the_scores(stocked, query):
    (found,) = stocked.suggester("web-kernel", filter="none").suggest([query], 4, explain=True)
    for suggestion in found.suggestions:
        explanation = suggestion.explanation
        assert (explanation.a, explanation.b) == (query, suggestion.query)
        assert sum(part.share for part in explanation.contributions) == pytest.approx(
            suggestion.score, abs=1e-6
        )


@given(st.lists(asked, max_size=4), st.integers(1, 20))
@settings(deadline=None, max_examples=20)
def test_match_is_suggest_without_a_filter(stocked, queries, k):
    assert stocked.match(queries, k, "web-kernel") == stocked.suggester("web-kernel", filter="none").suggest(
        queries, k
    )


def test_an_unknown_filter_is_named_with_the_known_ones(stocked):
    with pytest.raises(UnknownName, match="did you mean 'diverse'"):
        stocked.suggest("nasa", filter="divers")


@pytest.mark.parametrize("measure", ["web-kernel", "jaccard", "edit", "backoff"])
def test_all_pairs_are_the_nearest_others_of_every_query(stocked, measure):
    suggester = stocked.suggester(measure, filter="none", threshold=0.2)
    live_ids = stocked.repository.live_ids().tolist()
    found = dict(suggester.all_pairs(3))
    assert list(found) == live_ids
    for number in live_ids[::7]:
        query = stocked.repository.query(number)
        near = stocked.match([query], 1000, measure)[0].suggestions
        others = [offer for offer in near if offer.query_id != number and offer.score >= 0.2][:3]
        assert [o.query for o in found[number].suggestions] == [o.query for o in others]


@pytest.mark.parametrize("measure", ["web-kernel", "jaccard", "edit", "lexical"])
def test_what_was_removed_meanwhile_is_not_offered(build, measure):
    workspace = build(DOCUMENTS)
    workspace.repository.add([("space exploration", 1), ("space travel", 1)])
    suggester = workspace.suggester(measure, filter="none")
    assert "space exploration" in [
        o.query for o in suggester.suggest(["space exploration"], 5)[0].suggestions
    ]
    workspace.repository.remove(["space exploration"])
    assert "space exploration" not in [
        offer.query for offer in suggester.suggest(["space exploration"], 5)[0].suggestions
    ]
