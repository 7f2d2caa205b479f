"""Texts compared by the company their words keep: distributional and distributional-ngrams."""

from functools import cache
from math import isnan, nan, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin import Config, Document, InputError, Workspace, WorkspaceError
from querykin.measures import measures
from querykin.weighting.association import WEIGHTINGS
from reference.association import PlainDistributional
from reference.cooccurrence import PlainNeighbours
from reference.lexical import ranked
from topics import DOCUMENTS, QUERIES, WORDS

NAMES = ["distributional", "distributional-ngrams"]
TITLES = [document.title for document in DOCUMENTS if document.title]
DISTINCT = {text.casefold(): text for text in (*QUERIES, *TITLES)}  # as a repository keeps them
REPOSITORY = [(text, 1 + 7 * number % 5) for number, text in enumerate(DISTINCT.values())]
REPOSITORY += [("space, exploration", 9), ("exploration space", 9), ("nasa!", 2), ("zzyzx", 50), ("😀", 3)]
PLAIN = PlainNeighbours.over(DOCUMENTS, TITLES)
SETTINGS = [(weighting, smoothing) for weighting in WEIGHTINGS for smoothing in (0.0, 0.5)]
asked = st.lists(
    st.sampled_from([*WORDS, *TITLES, "zzyzx", "NASA's"]),
    max_size=4,
).map(" ".join)
PAIRS = [(a, b) for a in QUERIES for b in ("NASA", "space travel", "apple pie oven", "java", "Black hole")]
# f(tea, cup) = f(tea, hot) = 1 and so on: every document is a pair, and counts are those of pairs.
DRINKS = ["tea cup"] * 3 + ["tea hot"] * 2 + ["coffee cup"] * 2 + ["coffee hot"] * 3 + ["stone road"] * 10
# [new york] comes five times between three words on either side, new and york alone elsewhere.
CITY = ["big tall proud new york city never sleeps"] * 5 + [
    "a new car", "a new idea", "the old york abbey", "york in the north", "big proud chicago never sleeps",
    "my new idea of a car",
]  # fmt: skip


def some(texts, title: str = "") -> list[Document]:
    return [Document(str(number), title, text) for number, text in enumerate(texts)]


def configured(workspace: Workspace, **parameters) -> Workspace:
    return Workspace(workspace.path, Config(measures={name: parameters for name in NAMES}))


@cache
def plain(name: str, weighting: str = "npmi", smoothing: float = 0.0) -> PlainDistributional:
    return PlainDistributional(PLAIN, measures[name].phrases, weighting, smoothing)


@pytest.fixture(scope="module")
def city(build):
    """A corpus that knows New York as a title."""
    return build([*some(CITY), Document("title", "New York", "")])


@pytest.fixture(scope="module")
def stocked(build):
    """All titles and some more queries, built for both measures; tests only read it."""
    workspace = build(DOCUMENTS)
    workspace.count_neighbours()  # before there are queries: titles are the only phrases
    workspace.repository.add(REPOSITORY)
    workspace = workspace.reopen()
    for name in NAMES:
        workspace.build(name)
    return workspace.reopen()


def test_worked_chi_square(build):
    """Of 40 meetings tea has 5, 3 with cup and 2 with hot, which have 5 too: tables 3 2 2 33 and 2 3 3 32.

    Coffee has the two the other way round.
    """
    workspace = configured(build(some(DRINKS)), weighting="chi-square")
    strong = (3 * 33 - 2 * 2) ** 2 * 40 / (5 * 35) ** 2
    weak = (2 * 32 - 3 * 3) ** 2 * 40 / (5 * 35) ** 2
    cosine = 2 * strong * weak / (strong**2 + weak**2)
    for name in NAMES:
        assert workspace.similarity("tea", "coffee", name) == pytest.approx(cosine)
        assert workspace.similarity("tea", "stone", name) == 0.0
        assert workspace.similarity("tea", "tea", name) == pytest.approx(1.0)
    root = configured(workspace, weighting="root")
    cosine = 2 * sqrt(strong * weak) / (strong + weak)
    assert root.similarity("tea", "coffee", "distributional") == pytest.approx(cosine)


def test_worked_geometric_mean(build):
    """Tea and coffee together meet cup sqrt(3 * 2) times and hot as often: they are as near to either."""
    workspace = build(some(DRINKS))
    scores = workspace.measure("distributional").score("tea coffee", ["tea", "coffee", "cup hot", "road"])
    assert scores[0] == pytest.approx(scores[1])
    assert scores[2:].tolist() == [0.0, 0.0]


def test_a_text_whose_words_share_no_context_has_no_opinion_unless_counts_are_smoothed(build):
    workspace = build(some(DRINKS))
    assert isnan(workspace.similarity("tea stone", "tea", "distributional"))
    smoothed = configured(workspace, smoothing=0.5)
    assert 0 < smoothed.similarity("tea stone", "tea", "distributional") < 1


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("weighting", "smoothing"), SETTINGS)
def test_scores_equal_the_twins(workspace, name, weighting, smoothing):
    measure = configured(workspace, weighting=weighting, smoothing=smoothing).measure(name)
    twin = plain(name, weighting, smoothing)
    expected = [twin.score(a, b) for a, b in PAIRS]
    found = measure.score_pairs([a for a, _ in PAIRS], [b for _, b in PAIRS])
    assert found == pytest.approx(expected, nan_ok=True, abs=1e-9)
    assert sum(score > 0 for score in expected) > len(expected) / 4


@pytest.mark.parametrize("name", NAMES)
@given(a=asked, b=asked, chosen=st.sampled_from(SETTINGS))
@settings(deadline=None, max_examples=60)
def test_scores_of_random_texts_equal_the_twins(workspace, name, a, b, chosen):
    weighting, smoothing = chosen
    measure = configured(workspace, weighting=weighting, smoothing=smoothing).measure(name)
    expected = plain(name, weighting, smoothing).score(a, b)
    assert measure.score(a, [b])[0] == pytest.approx(expected, nan_ok=True, abs=1e-9)


@given(
    st.lists(st.lists(st.sampled_from("abcd"), max_size=8).map(" ".join), min_size=1, max_size=5),
    st.lists(st.lists(st.sampled_from("abcde"), max_size=3).map(" ".join), min_size=2, max_size=2),
    st.sampled_from(SETTINGS),
)
@settings(deadline=None, max_examples=50)
def test_scores_over_random_corpora_equal_the_twins(build, spoken, pair, chosen):
    weighting, smoothing = chosen
    workspace = configured(build(some(spoken, "a b")), weighting=weighting, smoothing=smoothing)
    counted = PlainNeighbours.over(some(spoken, "a b"), ["a b"])
    for name in NAMES:
        twin = PlainDistributional(counted, measures[name].phrases, weighting, smoothing)
        expected = twin.score(*pair)
        assert workspace.similarity(*pair, name) == pytest.approx(expected, nan_ok=True, abs=1e-6)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("weighting", "smoothing"), SETTINGS)
@given(batch=st.lists(asked, min_size=1, max_size=8))
@settings(deadline=None, max_examples=10)
def test_it_is_a_kernel_under_every_weighting(workspace, name, weighting, smoothing, batch):
    measure = configured(workspace, weighting=weighting, smoothing=smoothing).measure(name)
    rows = measure.encode([*batch, *QUERIES])
    gram = rows.gram(rows)[np.ix_(rows.covered, rows.covered)]
    assert np.linalg.eigvalsh(gram).min() > -1e-9
    assert gram == pytest.approx(gram.T)
    assert np.diag(gram) == pytest.approx(1.0)
    assert gram.min() >= 0
    assert rows.weights.min() > 0


@pytest.mark.parametrize("name", NAMES)
def test_texts_of_one_topic_are_more_alike_than_texts_of_two(workspace, name):
    assert workspace.similarity("NASA", "ESA", name) > workspace.similarity("NASA", "omelette", name)
    assert workspace.similarity("Bali", "Sumatra", name) > workspace.similarity("Bali", "pitcher", name)


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
    assert not workspace.neighbours.usable.any()
    for text in ("new york", "new york city", "the old york"):
        scores = [workspace.similarity(text, "chicago", name) for name in NAMES]
        assert scores[0] == pytest.approx(scores[1], nan_ok=True)


@pytest.mark.parametrize("name", NAMES)
def test_no_known_word_is_no_opinion(workspace, name):
    measure = workspace.measure(name)
    assert np.isnan(measure.score("NASA", ["zzyzx", "", "😀", " \n"])).all()
    assert np.isnan(measure.score("zzyzx qwrtp", ["NASA", "zzyzx qwrtp"])).all()
    assert not measure.encode(["", "zzyzx"]).covered.any()
    assert len(measure.encode([])) == 0
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


@pytest.mark.parametrize("terms", [1, 3, 10])
def test_only_the_strongest_contexts_of_a_text_are_kept(workspace, terms):
    measure = configured(workspace, terms=terms).measure("distributional")
    twin = plain("distributional")
    for text in ("NASA", "java island", "the"):
        strongest = np.sort(list(twin.vector(text).values()))[::-1][:terms]
        _, weights = measure.encode([text]).row(0)
        assert np.sort(weights)[::-1] == pytest.approx(strongest / np.linalg.norm(strongest))


def test_a_batch_of_many_texts_is_encoded_like_each_alone(workspace):
    measure = workspace.measure("distributional-ngrams")
    many = [*TITLES, "zzyzx", *QUERIES, ""] * 2
    together = measure.encode(many)
    for number in range(0, len(many), 7):
        alone = measure.encode([many[number]])
        assert together.row(number)[0].tolist() == alone.features.tolist()
        assert together.row(number)[1] == pytest.approx(alone.weights)


@pytest.mark.parametrize("name", NAMES)
def test_an_index_finds_what_brute_force_finds(stocked, name):
    """The twin scores every query of the repository; what shares nothing is not offered."""
    for query in ("space exploration", "java island", "rockets of NASA", "the apple pie", "Krakatoa"):
        scores = {text: plain(name).score(query, text) for text, _ in REPOSITORY}
        found = stocked.match([query], 1000, measure=name)[0]
        expected = {text: score for text, score in scores.items() if score > 1e-6}
        assert {s.query: s.score for s in found.suggestions if s.score > 1e-6} == pytest.approx(
            expected, abs=2e-6
        )
        order = ranked((s.query, s.count, s.score) for s in found.suggestions)
        assert [s.query for s in found.suggestions] == order
        best = stocked.match([query], 5, measure=name)[0].suggestions
        assert best == found.suggestions[:5]
    for query in ("zzyzx", "", "😀"):
        nothing = stocked.match([query], 5, measure=name)[0]
        assert (nothing.covered, nothing.suggestions) == (False, ())


@pytest.mark.parametrize("parameters", [{"weighting": "chi-square"}, {"smoothing": 0.5}, {"terms": 3}])
@pytest.mark.parametrize("name", NAMES)
def test_an_index_is_ranked_under_the_parameters_of_the_configuration(stocked, name, parameters):
    workspace = configured(stocked, **parameters)
    with pytest.raises(WorkspaceError, match="querykin build"):
        workspace.match(["NASA"], 3, measure=name)
    workspace.build(name)
    measure, candidates = workspace.measure(name), [text for text, _ in REPOSITORY]
    for query in ("java island", "rockets of nasa"):
        scores = measure.score(query, candidates)
        expected = np.sort(scores[scores > 0])[::-1][:10]
        found = workspace.match([query], 10, measure=name)[0].suggestions
        assert [s.score for s in found] == pytest.approx(expected, abs=2e-6)
    stocked.build(name)


@pytest.mark.parametrize("name", NAMES)
def test_pairs_are_scored_without_a_repository(build, name):
    workspace = build(DOCUMENTS[:30])
    assert workspace.similarity("NASA", "ESA", name) > 0
    with pytest.raises(WorkspaceError, match=r"repository in .* is empty"):
        workspace.suggest("NASA", measure=name)


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_corpus_is_told(build, name):
    with pytest.raises(WorkspaceError, match="corpus add"):
        build().measure(name)


@pytest.mark.parametrize("name", NAMES)
def test_new_documents_count_after_the_counts_were_brought_up_to_date(build, name):
    workspace = build(DOCUMENTS[:50])
    before = workspace.similarity("Bali", "Sumatra", name)
    workspace.corpus.add([*DOCUMENTS[50:], Document("new", "", "zzyzx lies between Bali and Sumatra")])
    workspace = workspace.reopen()
    assert workspace.neighbours.behind(workspace.corpus)
    assert workspace.similarity("Bali", "Sumatra", name) == pytest.approx(before)
    assert isnan(workspace.similarity("zzyzx", "Bali", name))
    assert "b: unknown and left out: zzyzx" in workspace.explain("Bali", "zzyzx", name).notes
    workspace.count_neighbours()
    workspace = workspace.reopen()
    assert not workspace.neighbours.behind(workspace.corpus)
    documents = [*DOCUMENTS, Document("new", "", "zzyzx lies between Bali and Sumatra")]
    listed = [document.title for document in DOCUMENTS[:50]]  # the list is that of the first count
    twin = PlainDistributional(PlainNeighbours.over(documents, listed), measures[name].phrases)
    for pair in (("Bali", "Sumatra"), ("zzyzx", "Bali"), ("space exploration", "NASA")):
        assert workspace.similarity(*pair, name) == pytest.approx(twin.score(*pair))
    assert workspace.similarity("Bali", "Sumatra", name) != pytest.approx(before)


@pytest.mark.parametrize("name", NAMES)
def test_an_index_of_old_counts_must_be_built_again(build, name):
    workspace = build(DOCUMENTS[:50])
    workspace.repository.add(REPOSITORY)
    workspace = workspace.reopen()
    workspace.build(name)
    before = workspace.match(["space exploration"], 10, measure=name)
    workspace.corpus.add(DOCUMENTS[50:])
    workspace = workspace.reopen()
    assert workspace.match(["space exploration"], 10, measure=name) == before
    workspace.count_neighbours()
    workspace = workspace.reopen()
    with pytest.raises(WorkspaceError, match=f"querykin build --measures {name}"):
        workspace.suggest("space exploration", measure=name)
    workspace.build(name)
    expect_brute_force(workspace.reopen(), name, before)


@pytest.mark.parametrize("name", NAMES)
def test_a_build_counts_the_neighbours_of_new_documents(build, name):
    workspace = build(DOCUMENTS[:50])
    workspace.repository.add(REPOSITORY)
    workspace = workspace.reopen()
    workspace.build(name)
    before = workspace.match(["space exploration"], 10, measure=name)
    workspace.corpus.add(DOCUMENTS[50:])
    workspace.reopen().build(name)
    workspace = workspace.reopen()
    assert not workspace.neighbours.behind(workspace.corpus)
    expect_brute_force(workspace, name, before)


def expect_brute_force(workspace, name, before):
    """Another ranking than before, and that of today's scores."""
    after = workspace.match(["space exploration"], 10, measure=name)
    assert after != before
    scores = workspace.measure(name).score("space exploration", [text for text, _ in REPOSITORY])
    expected = np.sort(scores[scores > 0])[::-1][:10]
    assert [s.score for s in after[0].suggestions] == pytest.approx(expected, abs=2e-6)


@pytest.mark.parametrize("name", NAMES)
def test_new_counts_serve_an_open_workspace_too(build, name):
    """Its measures were opened over the vocabulary of before."""
    workspace = build(DOCUMENTS[:50])
    workspace.similarity("Bali", "Java", name)
    workspace.corpus.add([Document("new", "", "qwrtp Bali qwrtp Java qwrtp Bali qwrtp Java")])
    workspace.count_neighbours()
    found, opened = (w.explain("Bali", "Java", name) for w in (workspace, workspace.reopen()))
    assert found.score == pytest.approx(opened.score)
    assert {part.term for part in found.contributions} == {part.term for part in opened.contributions}


@pytest.mark.parametrize("name", NAMES)
def test_counts_that_another_process_brings_serve_an_open_workspace_too(build, name):
    workspace = build(DOCUMENTS[:50])
    assert workspace.expander.corpus.generation == workspace.corpus.generation
    other = workspace.reopen()
    other.corpus.add([Document("new", "", "qwrtp Bali qwrtp Java qwrtp Bali qwrtp Java")])
    other.count_neighbours()
    found = workspace.explain("Bali", "Java", name)
    assert found.score > 0
    assert sum(part.share for part in found.contributions) == pytest.approx(found.score)


@pytest.mark.parametrize("name", NAMES)
def test_rows_of_two_counts_are_never_compared(build, name):
    workspace = build(DOCUMENTS[:20])
    before = workspace.measure(name).encode(["NASA"])
    workspace.corpus.add(DOCUMENTS[20:])
    workspace = workspace.reopen()
    workspace.count_neighbours()
    with pytest.raises(ValueError, match="different spaces"):
        before.gram(workspace.measure(name).encode(["NASA"]))


@pytest.mark.parametrize("times", [1, 2, 3])
def test_words_that_meet_by_chance_alone_have_no_opinion(build, times):
    """a and b meet a and b as 1 to n, so that nothing tells them apart; rounding must not."""
    for n in (1, 3, 5):
        workspace = build(some([*["a a"], *["a b"] * 2 * n, *["b b"] * n * n] * times))
        for weighting in WEIGHTINGS:
            found = configured(workspace, weighting=weighting).similarity("a", "b", "distributional")
            assert isnan(found), (times, n, weighting, found)


@pytest.mark.parametrize("name", NAMES)
def test_a_measure_without_counts_says_where_to_get_them(workspace, name):
    with pytest.raises(InputError, match="Workspace"):
        measures[name](workspace.expander).score("NASA", ["ESA"])


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_weighting_is_refused_with_those_there_are(workspace, name):
    with pytest.raises(InputError, match=r"chi-square, root, npmi.*'tfidf'"):
        configured(workspace, weighting="tfidf").similarity("NASA", "ESA", name)


@pytest.mark.parametrize("name", NAMES)
def test_long_texts_are_compared_too(workspace, name):
    long = " ".join([*WORDS, *TITLES] * 5)
    smoothed = configured(workspace, smoothing=0.5).measure(name)
    assert np.isfinite(smoothed.score(long, ["NASA", long])).all()
    expected = plain(name).score(long, "NASA")
    assert workspace.similarity(long, "NASA", name) == pytest.approx(expected, nan_ok=True)
    assert workspace.similarity("", "", name) == pytest.approx(nan, nan_ok=True)
