"""sparse-prob and dense-prob over a repository; its expansions are the collection of the smoothing."""

from math import isnan, log, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from language_models import GENTLE, NAMES, REFERENCE, TWO, query_texts, reference_model
from querykin import Settings, Workspace
from reference.lexical import ranked
from stocked import REPOSITORY, TITLES, stock
from topics import DOCUMENTS


def expect_ranking(workspace, name, query, repository, corpus=REFERENCE):
    """All covered queries of the repository are ranked as by brute force."""
    candidates = tuple(text for text, _ in repository)
    reference = reference_model(workspace.measure(name), candidates, corpus)
    scores = dict(zip(candidates, reference.scores(name, query, candidates), strict=True))
    covered = [(text, count, scores[text]) for text, count in repository if not isnan(scores[text])]
    found = workspace.match([query], 1000, measure=name)[0]
    assert {offer.query: offer.score for offer in found.suggestions} == pytest.approx(
        {text: score for text, _, score in covered}, abs=1e-6
    )
    order = ranked(covered)
    assert [offer.query for offer in found.suggestions] == order
    assert [offer.count for offer in found.suggestions] == [dict(repository)[text] for text in order]
    best = workspace.match([query], 3, measure=name)[0].suggestions
    assert [offer.query for offer in best] == order[:3]


@pytest.fixture(scope="module")
def stocked(build):
    """All titles and a few more queries, indexed for both measures; read-only."""
    return stock(build(DOCUMENTS), REPOSITORY, *NAMES)


def test_worked_collection_of_a_repository(build):
    # Of the candidates "apple", "sky" and "blue" the collection has 9 words: red 2, apple 1, blue 4, sky 2.
    # P(red|apple) = (2 + 6 * 2/9) / 9 = 10/27, P(apple|apple) = (1 + 6/9) / 9 = 5/27: 5/9 of the query's.
    # P(red|sky) = (6 * 2/9) / 9 = 4/27, P(apple|sky) = 2/27: 2/9 of the query's.
    workspace = Workspace(build(TWO).path, GENTLE)
    workspace = stock(workspace, [("apple", 1), ("sky", 1), ("blue", 4), ("zzyzx", 9)], *NAMES)
    found = workspace.match(["red"], 9, measure="dense-prob")[0].suggestions
    assert [offer.query for offer in found] == ["apple", "blue", "sky"]
    assert [offer.score for offer in found] == pytest.approx([log(5 / 9), log(2 / 9), log(2 / 9)])
    found = workspace.match(["red"], 9, measure="sparse-prob")[0].suggestions
    assert [offer.score for offer in found] == pytest.approx([log(10 / 27), log(4 / 27), log(4 / 27)])
    # A word that is in no expansion of a candidate counts 0.5: (6 * 0.5/9) / 9 = 1/27.
    assert workspace.similarity("red zzyzx", "apple", "sparse-prob") == pytest.approx(
        1 / 2 * log(10 / 27 / (1 / 2)) + 1 / 2 * log(1 / 27 / (1 / 2))
    )


@pytest.mark.parametrize("name", NAMES)
@given(query=query_texts)
@settings(deadline=None, max_examples=60)
def test_a_repository_is_ranked_as_by_brute_force(stocked, name, query):
    expect_ranking(stocked, name, query, REPOSITORY)


@pytest.mark.parametrize("name", NAMES)
@given(query=query_texts, candidate=st.sampled_from(REPOSITORY))
@settings(deadline=None, max_examples=60)
def test_a_pair_scores_the_same_alone_and_in_a_ranking(stocked, name, query, candidate):
    found = {offer.query: offer.score for offer in stocked.match([query], 1000, measure=name)[0].suggestions}
    alone = stocked.similarity(query, candidate[0], name)
    assert alone == pytest.approx(found.get(candidate[0], nan), abs=1e-6, nan_ok=True)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("sparse-prob", {"results": 3, "mu_c": 20.0}),
        ("dense-prob", {"results": 3, "mu_c": 20.0}),
        ("dense-prob", {"terms": 2, "stop_words": "none"}),
        ("dense-prob", {"mu_q": 50.0}),
    ],
)
def test_an_index_is_ranked_with_the_parameters_of_the_settings(build, name, parameters):
    workspace = Workspace(build(DOCUMENTS).path, Settings(measures={name: parameters}))
    workspace = stock(workspace, REPOSITORY, name)
    for query in ("java island", "rockets of nasa", "the", "zzyzx"):
        expect_ranking(workspace, name, query, REPOSITORY)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("removed", [["NASA"], ["Space exploration", "java island", "zzyzx"], TITLES[:40]])
def test_removed_queries_are_excluded_from_the_ranking_and_the_collection(build, name, removed):
    workspace = stock(build(DOCUMENTS), REPOSITORY, name)
    gone = {text.casefold() for text in removed}
    left = [(text, count) for text, count in REPOSITORY if text.casefold() not in gone]
    workspace.repository.remove(removed)
    workspace = workspace.reopen()
    for query in ("space exploration", "java", "home run"):
        expect_ranking(workspace, name, query, left)
        first = workspace.match([query], 1, measure=name)[0].suggestions[0]
        assert workspace.similarity(query, first.query, name) == pytest.approx(first.score, abs=1e-6)
    workspace.build(name, rebuild=True)
    expect_ranking(workspace.reopen(), name, "space exploration", left)


@pytest.mark.parametrize("name", NAMES)
def test_added_queries_belong_to_the_collection_after_the_next_build(build, name):
    workspace = stock(build(DOCUMENTS), REPOSITORY[::2], name)
    expect_ranking(workspace, name, "space exploration", REPOSITORY[::2])
    workspace = stock(workspace, REPOSITORY[1::2], name)
    expect_ranking(workspace, name, "space exploration", [*REPOSITORY[::2], *REPOSITORY[1::2]])


@pytest.mark.parametrize("name", NAMES)
def test_pairs_are_smoothed_with_the_repository_once_it_is_built_and_while_it_exists(build, name):
    workspace = build(DOCUMENTS)
    workspace.repository.add(REPOSITORY)
    candidates = [text for text, _ in REPOSITORY]
    query, others = "space exploration", ["NASA", "rocket launch", "apple pie"]

    def expect(live_ids):
        expected = reference_model(workspace.measure(name), tuple(live_ids)).scores(name, query, others)
        assert workspace.measure(name).score(query, others) == pytest.approx(expected)

    expect([])
    workspace.build(name)
    expect(candidates)
    workspace.repository.remove(candidates[:30])
    expect(candidates[30:])
    workspace.repository.remove(candidates[30:])
    expect([])  # an empty repository: the corpus again
    workspace.repository.add([("zzyzx", 1)])
    workspace.build(name)
    expect(["zzyzx"])  # not covered: the corpus, too


@pytest.mark.parametrize("name", NAMES)
def test_rare_queries_are_not_suggested_but_belong_to_the_collection(stocked, name):
    everything = stocked.match(["java island"], 1000, measure=name)[0].suggestions
    frequent = (
        stocked.suggester(name, min_count=4, filter="none").suggest(["java island"], 1000)[0].suggestions
    )
    assert frequent == tuple(offer for offer in everything if offer.count >= 4)


@pytest.mark.parametrize("name", NAMES)
def test_of_many_equal_scores_the_most_frequent_are_returned(build, name):
    ends = [f"{a}{b}" for a in "!?.;" for b in "-+=,"]
    repository = [(f"space exploration{end}", 1 + number % 3) for number, end in enumerate(ends)]
    workspace = stock(build(DOCUMENTS), [*repository[:7], ("apple pie", 9)], name)
    workspace = stock(workspace, repository[7:], name)
    order = ranked((text, count, 0.0) for text, count in repository)
    for k in (1, 4, 9, 16):
        found = workspace.match(["NASA"], k, measure=name)[0].suggestions
        assert [offer.query for offer in found] == order[:k]
        assert len({offer.score for offer in found}) == 1


@pytest.mark.parametrize("name", NAMES)
def test_new_documents_count_after_a_rebuild(build, name):
    workspace = stock(build(DOCUMENTS[:50]), REPOSITORY, name)
    workspace.corpus.add(DOCUMENTS[50:])
    workspace = workspace.reopen()
    workspace.build(name, rebuild=True)
    workspace = workspace.reopen()
    for query in ("space exploration", "Krakatoa", "islands"):
        expect_ranking(workspace, name, query, REPOSITORY)


@pytest.mark.parametrize("name", NAMES)
def test_replaced_rows_are_not_counted_twice(build, name):
    workspace = stock(build(DOCUMENTS[:50]), REPOSITORY, name)
    workspace.corpus.add(DOCUMENTS[50:])
    workspace = workspace.reopen()
    workspace.build(name)
    workspace = workspace.reopen()
    measure = workspace.retriever(name).measure  # current documents with the old statistics
    rows = measure.encode_candidates([text for text, _ in REPOSITORY])
    words_there = np.unique(rows.features)
    totals = [rows.weights[rows.features == word].sum() for word in words_there]
    assert measure.find_collection(measure).length() == rows.weights.sum()
    assert measure.find_collection(measure).counts(words_there).tolist() == totals


@pytest.mark.parametrize("name", NAMES)
def test_scores_do_not_depend_on_segments(build, name):
    workspace = build(DOCUMENTS[:20], DOCUMENTS[20:50], DOCUMENTS[50:])
    for start in range(3):
        workspace = stock(workspace, REPOSITORY[start::3], name)
    for query in ("space exploration", "islands"):
        expect_ranking(workspace, name, query, REPOSITORY)


@pytest.mark.parametrize("name", NAMES)
def test_an_uncovered_query_has_no_results(stocked, name):
    for query in ("zzyzx", "", "😀"):
        found = stocked.match([query], 5, measure=name)[0]
        assert not found.covered
        assert found.suggestions == ()
