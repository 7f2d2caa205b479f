"""Negative KL divergence of language models: sparse-prob and dense-prob (Metzler et al. 2007)."""

from dataclasses import replace
from functools import cache
from math import isnan, log, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin import Config, Document, Workspace
from querykin.text import FUNCTION_WORDS
from reference.corpus import PlainCorpus
from reference.language_model import PlainLanguageModel
from reference.lexical import ranked
from reference.tokeniser import words
from topics import DOCUMENTS, QUERIES, WORDS

NAMES = ["sparse-prob", "dense-prob"]
PLAIN = PlainCorpus(DOCUMENTS)
TITLES = [document.title for document in DOCUMENTS if document.title]
DISTINCT = {text.casefold(): text for text in (*QUERIES, *TITLES)}  # as a repository keeps them
REPOSITORY = [(text, 1 + 7 * number % 5) for number, text in enumerate(DISTINCT.values())]
REPOSITORY += [("space, exploration", 9), ("exploration space", 9), ("nasa!", 2), ("zzyzx", 50), ("😀", 3)]
asked = st.lists(st.sampled_from([*WORDS, "zzyzx", "exploring"]), max_size=5).map(" ".join)
BOTH = {"results": st.sampled_from([1, 2, 5, 20, 200]), "mu_c": st.sampled_from([1.0, 30.0, 2500.0])}
DENSE = {"terms": st.sampled_from([1, 3, 20, 1000]), "mu_q": st.sampled_from([0.0, 0.5, 100.0]),
         "stop_words": st.sampled_from(["english", "none", "space the JAVA"])}  # fmt: skip
PARAMETERS = {"sparse-prob": st.fixed_dictionaries(BOTH), "dense-prob": st.fixed_dictionaries(BOTH | DENSE)}
TWO = [Document("red", "Red", "red apple"), Document("blue", "Blue", "blue sky")]
GENTLE = Config(measures={name: {"mu_c": 6.0} for name in NAMES})


@cache
def plain(measure, candidates: tuple[str, ...] = (), corpus: PlainCorpus = PLAIN) -> PlainLanguageModel:
    """The twin of a measure with its parameters."""
    common = PlainLanguageModel(corpus, measure.results, mu_c=measure.mu_c, candidates=candidates)
    if measure.name == "sparse-prob":
        return common
    named = {"english": FUNCTION_WORDS, "none": frozenset()}
    stop_words = named.get(measure.stop_words, frozenset(words(measure.stop_words)))
    return replace(common, terms=measure.terms, mu_q=measure.mu_q, stop_words=stop_words)


def stock(workspace: Workspace, repository, *names: str) -> Workspace:
    """The workspace with a repository and the indexes of these measures."""
    workspace.repository.add(repository)
    workspace = workspace.reopen()
    for name in names:
        workspace.build(name)
    return workspace.reopen()


def expect_ranking(workspace, name, query, repository, corpus=PLAIN):
    """All covered queries of the repository, with the scores and in the order of brute force."""
    candidates = tuple(text for text, _ in repository)
    twin = plain(workspace.measure(name), candidates, corpus)
    scores = dict(zip(candidates, twin.scores(name, query, candidates), strict=True))
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
    """All titles and some more queries, built for both measures; tests only read it."""
    return stock(build(DOCUMENTS), REPOSITORY, *NAMES)


@pytest.fixture(scope="module")
def two(build):
    """Two documents, "red red apple" and "blue blue sky" with their titles, and mu_C = 6.

    The corpus has 6 words: P(red|Coll) = P(blue|Coll) = 2/6, P(apple|Coll) = P(sky|Coll) = 1/6. So
    P(red|C) for the candidate "apple" is (2 + 6 * 2/6) / (3 + 6) = 4/9, P(apple|C) = (1 + 1) / 9 = 2/9,
    P(blue|C) = 2/9, P(sky|C) = 1/9; for the candidates "blue" and "sky" the colours change places.
    """
    return Workspace(build(TWO).path, GENTLE)


def test_worked_dense_prob(two):
    # P(red|Q) = 2/3, P(apple|Q) = 1/3, and each is 2/3 as likely for "apple", 1/3 as likely for "sky".
    found = two.measure("dense-prob").score("red", ["red", "apple", "sky", "zzyzx", ""])
    assert found == pytest.approx([log(2 / 3), log(2 / 3), log(1 / 3), nan, nan], nan_ok=True)


def test_worked_sparse_prob(two):
    measure = two.measure("sparse-prob")
    assert measure.score("red", ["apple", "sky"]) == pytest.approx([log(4 / 9), log(2 / 9)])
    # P(red|Q) = 2/3 and P(sky|Q) = 1/3; then a word that nobody knows: P(zzyzx|C) = 6 * (0.5 / 6) / 9 = 1/18.
    both = 2 / 3 * log(4 / 9 / (2 / 3)) + 1 / 3 * log(1 / 9 / (1 / 3))
    assert measure.score("red sky RED", ["apple"]) == pytest.approx([both])
    unknown = 1 / 2 * log(4 / 9 / (1 / 2)) + 1 / 2 * log(1 / 18 / (1 / 2))
    assert measure.score("red zzyzx", ["apple"]) == pytest.approx([unknown])


def test_worked_truncation_and_function_words_leave_the_mass_below_1(two):
    measure = two.measure("dense-prob")
    for kept in (replace(measure, terms=1), replace(measure, stop_words="apple sky")):
        # Only P(red|Q) = 2/3 is left, and it is not made 1.
        assert kept.score("red", ["apple", "sky"]) == pytest.approx([2 / 3 * log(2 / 3), 2 / 3 * log(1 / 3)])


def test_worked_smoothing_of_the_query_model(two):
    # mu_Q = 3: P(red|Q) = (2 + 3 * 2/6) / 6 = 1/2, P(apple|Q) = (1 + 3 * 1/6) / 6 = 1/4; half of 4/9 and 2/9.
    measure = replace(two.measure("dense-prob"), mu_q=3.0)
    assert measure.score("red", ["apple"]) == pytest.approx([3 / 4 * log(8 / 9)])


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
    # A word that no candidate's expansion holds counts 0.5: (6 * 0.5/9) / 9 = 1/27.
    assert workspace.similarity("red zzyzx", "apple", "sparse-prob") == pytest.approx(
        1 / 2 * log(10 / 27 / (1 / 2)) + 1 / 2 * log(1 / 27 / (1 / 2))
    )


def test_the_papers_parameters_are_the_defaults(workspace):
    dense = workspace.measure("dense-prob")
    assert (dense.results, dense.terms, dense.mu_q, dense.mu_c) == (30, 20, 0.0, 2500.0)
    assert dense.stop_words == "english"
    sparse = workspace.measure("sparse-prob")
    assert (sparse.results, sparse.mu_c) == (30, 2500.0)
    assert not dense.symmetric
    assert not sparse.symmetric


def test_function_words_are_words(workspace):
    assert {"the", "of", "and", "is"} <= FUNCTION_WORDS
    assert all(words(word) == [word] for word in FUNCTION_WORDS)


@pytest.mark.parametrize("name", NAMES)
@given(query=asked, candidates=st.lists(asked, min_size=1, max_size=5))
@settings(deadline=None, max_examples=60)
def test_scores_equal_the_formulas(workspace, name, query, candidates):
    measure = workspace.measure(name)
    expected = plain(measure).scores(name, query, candidates)
    assert measure.score(query, candidates) == pytest.approx(expected, nan_ok=True)
    assert measure.score_pairs(candidates, [query] * len(candidates)) == pytest.approx(
        [plain(measure).scores(name, candidate, [query])[0] for candidate in candidates], nan_ok=True
    )


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data(), query=asked, candidate=asked)
@settings(deadline=None, max_examples=60)
def test_scores_equal_the_formulas_whatever_the_parameters(workspace, name, data, query, candidate):
    measure = replace(workspace.measure(name), **data.draw(PARAMETERS[name]))
    expected = plain(measure).scores(name, query, [candidate, query])
    assert measure.score(query, [candidate, query]) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("name", NAMES)
@given(query=asked)
@settings(deadline=None, max_examples=60)
def test_a_repository_is_ranked_as_by_comparing_with_every_query(stocked, name, query):
    expect_ranking(stocked, name, query, REPOSITORY)


@pytest.mark.parametrize("name", NAMES)
@given(query=asked, candidate=st.sampled_from(REPOSITORY))
@settings(deadline=None, max_examples=60)
def test_a_pair_scores_the_same_alone_and_in_a_ranking(stocked, name, query, candidate):
    found = {offer.query: offer.score for offer in stocked.match([query], 1000, measure=name)[0].suggestions}
    alone = stocked.similarity(query, candidate[0], name)
    assert alone == pytest.approx(found.get(candidate[0], nan), abs=1e-6, nan_ok=True)


@pytest.mark.parametrize("name", NAMES)
@given(query=asked, candidate=asked)
@settings(deadline=None, max_examples=60)
def test_explanations_add_up_to_the_divergence(workspace, name, query, candidate):
    explanation = workspace.explain(query, candidate, name)
    score = workspace.similarity(query, candidate, name)
    shares = [contribution.share for contribution in explanation.contributions]
    assert explanation.score == pytest.approx(score, nan_ok=True)
    assert sum(shares) == pytest.approx(0.0 if isnan(score) else score, abs=1e-9)
    assert shares == sorted(shares, reverse=True)


@pytest.mark.parametrize("name", NAMES)
@given(query=asked, mu_c=st.sampled_from([1.0, 2500.0]))
@settings(deadline=None, max_examples=60)
def test_no_candidate_is_nearer_than_the_mass_of_the_query_allows(workspace, name, query, mu_c):
    """sum p log(c / p) is at most m log(1 / m) where the p sum to m and the c to 1 at most."""
    measure = replace(workspace.measure(name), mu_c=mu_c)
    twin = plain(measure)
    model = twin.surface_model(query) if name == "sparse-prob" else twin.expanded_model(query)
    scores = measure.score(query, list(QUERIES))
    mass = sum(model.values())
    assert (np.isnan(scores) | (scores <= (mass * log(1 / mass) if mass else 0) + 1e-9)).all()


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("sparse-prob", {"results": 3, "mu_c": 20.0}),
        ("dense-prob", {"results": 3, "mu_c": 20.0}),
        ("dense-prob", {"terms": 2, "stop_words": "none"}),
        ("dense-prob", {"mu_q": 50.0}),
    ],
)
def test_an_index_is_ranked_under_the_parameters_of_the_configuration(build, name, parameters):
    workspace = Workspace(build(DOCUMENTS).path, Config(measures={name: parameters}))
    workspace = stock(workspace, REPOSITORY, name)
    for query in ("java island", "rockets of nasa", "the", "zzyzx"):
        expect_ranking(workspace, name, query, REPOSITORY)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("removed", [["NASA"], ["Space exploration", "java island", "zzyzx"], TITLES[:40]])
def test_removed_queries_leave_the_ranking_and_the_collection(build, name, removed):
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
def test_added_queries_enter_the_collection_with_the_next_build(build, name):
    workspace = stock(build(DOCUMENTS), REPOSITORY[::2], name)
    expect_ranking(workspace, name, "space exploration", REPOSITORY[::2])
    workspace = stock(workspace, REPOSITORY[1::2], name)
    expect_ranking(workspace, name, "space exploration", [*REPOSITORY[::2], *REPOSITORY[1::2]])


@pytest.mark.parametrize("name", NAMES)
def test_pairs_know_the_repository_as_soon_as_it_is_built_and_as_long_as_it_is_there(build, name):
    workspace = build(DOCUMENTS)
    workspace.repository.add(REPOSITORY)
    candidates = [text for text, _ in REPOSITORY]
    query, others = "space exploration", ["NASA", "rocket launch", "apple pie"]

    def expect(living):
        expected = plain(workspace.measure(name), tuple(living)).scores(name, query, others)
        assert workspace.measure(name).score(query, others) == pytest.approx(expected)

    expect([])
    workspace.build(name)
    expect(candidates)
    workspace.repository.remove(candidates[:30])
    expect(candidates[30:])
    workspace.repository.remove(candidates[30:])
    expect([])  # nobody is left: the corpus again
    workspace.repository.add([("zzyzx", 1)])
    workspace.build(name)
    expect(["zzyzx"])  # which is not covered: the corpus too


@pytest.mark.parametrize("name", NAMES)
def test_rare_queries_are_not_offered_but_belong_to_the_collection(stocked, name):
    everything = stocked.match(["java island"], 1000, measure=name)[0].suggestions
    frequent = (
        stocked.suggester(name, min_count=4, filter="none").suggest(["java island"], 1000)[0].suggestions
    )
    assert frequent == tuple(offer for offer in everything if offer.count >= 4)


@pytest.mark.parametrize("name", NAMES)
def test_of_many_equal_scores_the_most_frequent_are_found(build, name):
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
def test_new_documents_count_in_a_new_build(build, name):
    workspace = stock(build(DOCUMENTS[:50]), REPOSITORY, name)
    workspace.corpus.add(DOCUMENTS[50:])
    workspace = workspace.reopen()
    workspace.build(name, rebuild=True)
    workspace = workspace.reopen()
    for query in ("space exploration", "Krakatoa", "islands"):
        expect_ranking(workspace, name, query, REPOSITORY)


@pytest.mark.parametrize("name", NAMES)
def test_rows_that_were_replaced_are_not_counted_twice(build, name):
    workspace = stock(build(DOCUMENTS[:50]), REPOSITORY, name)
    workspace.corpus.add(DOCUMENTS[50:])
    workspace = workspace.reopen()
    workspace.build(name)
    workspace = workspace.reopen()
    measure = workspace.retriever(name).measure  # today's documents under the old statistics
    rows = measure.encode([text for text, _ in REPOSITORY])
    words_there = np.unique(rows.features)
    totals = [rows.weights[rows.features == word].sum() for word in words_there]
    assert measure.collection.length() == rows.weights.sum()
    assert measure.collection.counts(words_there).tolist() == totals


@pytest.mark.parametrize("name", NAMES)
def test_the_way_documents_and_queries_are_cut_into_segments_does_not_matter(build, name):
    workspace = build(DOCUMENTS[:20], DOCUMENTS[20:50], DOCUMENTS[50:])
    for start in range(3):
        workspace = stock(workspace, REPOSITORY[start::3], name)
    for query in ("space exploration", "islands"):
        expect_ranking(workspace, name, query, REPOSITORY)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_covered_has_no_score(workspace, name):
    measure = workspace.measure(name)
    assert np.isnan(measure.score("NASA", ["zzyzx", "", "😀"])).all()
    assert np.isnan(measure.score("zzyzx", ["NASA", "zzyzx"])).all()
    assert np.isnan(measure.score("", ["NASA", ""])).all()
    assert workspace.explain("zzyzx", "NASA", name).contributions == ()
    assert workspace.explain("NASA", "zzyzx", name).contributions == ()


def test_sparse_prob_needs_one_known_word_and_dense_prob_results_that_cover_the_query(workspace):
    query = "mars zzyzx qwrtp plugh xyzzy frotz"
    assert not PLAIN.covered(query, workspace.measure("dense-prob").results)
    assert isnan(workspace.similarity(query, "NASA", "dense-prob"))
    assert workspace.similarity(query, "NASA", "sparse-prob") < 0


@pytest.mark.parametrize("name", NAMES)
def test_a_query_without_opinion_ranks_nothing(stocked, name):
    for query in ("zzyzx", "", "😀"):
        found = stocked.match([query], 5, measure=name)[0]
        assert not found.covered
        assert found.suggestions == ()


def test_a_query_of_function_words_alone_is_compared_by_its_words_or_by_its_results(workspace):
    for name in NAMES:
        measure = workspace.measure(name)
        expected = plain(measure).scores(name, "the of", ["NASA", "apple pie"])
        assert measure.score("the of", ["NASA", "apple pie"]) == pytest.approx(expected, nan_ok=True)


def test_results_of_function_words_alone_give_no_opinion(build):
    """A model without words would have the best divergence of all, 0."""
    workspace = build([Document("1", "The", "the of and"), Document("2", "NASA", "NASA leads")])
    found = workspace.measure("dense-prob").score("the", ["NASA", "the"])
    assert np.isnan(found).all()


def test_long_texts_are_compared_too(workspace):
    long = " ".join(WORDS * 5)
    sparse = workspace.measure("sparse-prob")
    expected = plain(sparse).scores("sparse-prob", long, ["NASA", "apple pie"])
    assert sparse.score(long, ["NASA", "apple pie"]) == pytest.approx(expected)
    for name in NAMES:
        assert np.isfinite(workspace.measure(name).score(long, ["NASA", long])).all()
