"""What a workspace takes for phrases, and when it counts neighbours."""

import shutil

import pytest

from counted import check, parts, some
from querykin import Document, Settings, Workspace
from querykin.cooccurrence.counting import ROOM, Documents
from querykin.cooccurrence.phrases import Phrases
from querykin.querylog.phrase_lists import MIN_QUERIES, all_phrases, phrase_lists
from querykin.settings import CooccurrenceSettings
from recorded_progress import Recorded


def test_phrases_of_a_workspace_are_titles_quoted_words_and_queries_asked_again(build):
    workspace = build([Document("1", "New York City", "x"), Document("2", "York", "the red fox")])
    workspace.repository.add([("city hall", 2), ("red fox", 1), ('the "blue sky" and "sea" today', 1)])
    expected = Phrases.of(["New York City", "city hall", "blue sky"])
    assert listed(workspace) == expected.hashes.tolist()


@pytest.mark.parametrize("quotes", ['""', "“”", "„“", "„”", "«»"])
def test_quotes_may_be_straight_curly_or_angled(build, quotes):
    workspace = build(some("x"))
    begin, end = quotes
    workspace.repository.add([(f"the {begin}blue sky{end} and {begin}red fox{end} of today", 1)])
    assert listed(workspace) == Phrases.of(["blue sky", "red fox"]).hashes.tolist()


def test_runs_of_words_that_enough_past_queries_hold_are_phrases(build):
    workspace = build(some("x"))
    often = [(f"the apple pie {number}", 1) for number in range(MIN_QUERIES)]
    seldom = [(f"city hall {number} city hall", 1) for number in range(MIN_QUERIES - 1)]
    workspace.repository.add([*often, *seldom])
    assert listed(workspace) == Phrases.of(["apple pie"]).hashes.tolist()
    opened = workspace.reopen()
    found = phrase_lists(opened.corpus, opened.repository)
    assert [len(phrases) for phrases in found.values()] == [0, 0, 0, 1]


def listed(workspace: Workspace) -> list[int]:
    """The hashes of all that is taken for phrases."""
    opened = workspace.reopen()
    return all_phrases(opened.corpus, opened.repository).hashes.tolist()


def test_titles_of_documents_that_have_gone_and_queries_that_were_removed_are_no_phrases(build):
    workspace = build([Document(str(number), f"title {number}", "x") for number in range(5)])
    workspace.repository.add([("city hall", 2), ("red fox", 3)])
    workspace.corpus.remove(["1"])
    workspace.repository.remove(["red fox"])
    expected = Phrases.of(["title 0", "title 2", "title 3", "title 4", "city hall"])
    assert listed(workspace) == expected.hashes.tolist()


def test_a_workspace_counts_on_first_use_and_then_only_what_is_new(build):
    messages = Recorded()
    workspace = Workspace.open(build(some("a b c")).path, progress=messages)
    workspace.update_derived("distributional")
    assert len(messages.lines) == 1
    workspace.update_derived("distributional")
    assert len(messages.lines) == 1
    assert parts(workspace.cooccurrence) == 1
    workspace.corpus.add([Document("new", "", "a b d")])
    workspace.update_derived("distributional")
    assert (len(messages.lines), parts(workspace.cooccurrence)) == (2, 2)
    workspace.update_derived("distributional", rebuild=True)
    assert (len(messages.lines), parts(workspace.cooccurrence)) == (3, 1)


def test_a_folder_of_counts_that_was_deleted_is_counted_again(build):
    workspace = build(some("a b c"))
    workspace.update_derived("distributional")
    shutil.rmtree(workspace.path / "cooccurrence")
    opened = workspace.reopen()
    check(opened.corpus, opened.cooccurrence, [])


def test_counts_of_another_corpus_are_not_taken_for_those_of_this_one(build):
    """The numbers of words mean something else in it."""
    workspace = build(some("a b c", "d e f"))
    workspace.update_derived("distributional")
    shutil.rmtree(workspace.path / "corpus")
    workspace = workspace.reopen()
    workspace.corpus.add(some("f e d c b a"))
    opened = workspace.reopen()
    check(opened.corpus, opened.cooccurrence, [])


@pytest.mark.parametrize(("settings", "room"), [({}, ROOM), ({"memory": 16}, 16 << 20)])
def test_counting_is_given_the_memory_of_the_settings(build, monkeypatch, settings, room):
    given = []
    words = Documents.words
    monkeypatch.setattr(Documents, "words", lambda *asked: given.append(asked[2]) or words(*asked))
    opened = Workspace(build(some("a b c")).path, Settings(cooccurrence=CooccurrenceSettings(**settings)))
    check(opened.corpus, opened.cooccurrence, [])
    opened.corpus.add([Document("new", "", "a b d")])
    opened.update_derived("distributional")
    opened.update_derived("distributional", rebuild=True)
    assert given == [room] * 3
