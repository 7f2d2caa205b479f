"""The phrases of a workspace, and when it counts co-occurrences."""

import shutil

import pytest

from counted import check, make_documents, parts
from querykin import Document, Settings, Workspace
from querykin.cooccurrence.counting import Documents
from querykin.cooccurrence.limits import MAX_BYTES
from querykin.cooccurrence.phrases import Phrases
from querykin.querylog.phrase_lists import MIN_QUERIES, all_phrases, phrase_lists
from querykin.settings_sections import CooccurrenceSettings
from recorded_progress import Recorded


def test_phrases_of_a_workspace_are_titles_quoted_words_and_repeated_queries(build):
    workspace = build([Document("1", "New York City", "x"), Document("2", "York", "the red fox")])
    workspace.repository.add([("city hall", 2), ("red fox", 1), ('the "blue sky" and "sea" today', 1)])
    expected = Phrases.of(["New York City", "city hall", "blue sky"])
    assert listed(workspace) == expected.hashes.tolist()


@pytest.mark.parametrize("quotes", ['""', "“”", "„“", "„”", "«»"])
def test_quotes_may_be_straight_curly_or_angled(build, quotes):
    workspace = build(make_documents("x"))
    begin, end = quotes
    workspace.repository.add([(f"the {begin}blue sky{end} and {begin}red fox{end} of today", 1)])
    assert listed(workspace) == Phrases.of(["blue sky", "red fox"]).hashes.tolist()


def test_n_grams_of_enough_past_queries_are_phrases(build):
    workspace = build(make_documents("x"))
    frequent = [(f"the apple pie {number}", 1) for number in range(MIN_QUERIES)]
    rare = [(f"city hall {number} city hall", 1) for number in range(MIN_QUERIES - 1)]
    workspace.repository.add([*frequent, *rare])
    assert listed(workspace) == Phrases.of(["apple pie"]).hashes.tolist()
    opened = workspace.reopen()
    found = phrase_lists(opened.corpus, opened.repository)
    assert [len(phrases) for phrases in found.values()] == [0, 0, 0, 1]


def listed(workspace: Workspace) -> list[int]:
    """The hashes of all phrases."""
    opened = workspace.reopen()
    return all_phrases(opened.corpus, opened.repository).hashes.tolist()


def test_titles_and_queries_that_were_removed_are_not_phrases(build):
    workspace = build([Document(str(number), f"title {number}", "x") for number in range(5)])
    workspace.repository.add([("city hall", 2), ("red fox", 3)])
    workspace.corpus.remove(["1"])
    workspace.repository.remove(["red fox"])
    expected = Phrases.of(["title 0", "title 2", "title 3", "title 4", "city hall"])
    assert listed(workspace) == expected.hashes.tolist()


def test_a_workspace_counts_on_first_use_and_then_only_new_documents(build):
    messages = Recorded()
    workspace = Workspace.open(build(make_documents("a b c")).path, progress=messages)
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


def test_deleted_counts_are_made_again(build):
    workspace = build(make_documents("a b c"))
    workspace.update_derived("distributional")
    shutil.rmtree(workspace.path / "cooccurrence")
    opened = workspace.reopen()
    check(opened.corpus, opened.cooccurrence, [])


def test_counts_of_another_corpus_are_not_used(build):
    """Words have other ids in it."""
    workspace = build(make_documents("a b c", "d e f"))
    workspace.update_derived("distributional")
    shutil.rmtree(workspace.path / "corpus")
    workspace = workspace.reopen()
    workspace.corpus.add(make_documents("f e d c b a"))
    opened = workspace.reopen()
    check(opened.corpus, opened.cooccurrence, [])


@pytest.mark.parametrize(("settings", "max_bytes"), [({}, MAX_BYTES), ({"memory": 16}, 16 << 20)])
def test_counting_uses_the_memory_of_the_settings(build, monkeypatch, settings, max_bytes):
    given = []
    words = Documents.words
    monkeypatch.setattr(
        Documents, "words", lambda *arguments: given.append(arguments[2]) or words(*arguments)
    )
    opened = Workspace(
        build(make_documents("a b c")).path, Settings(cooccurrence=CooccurrenceSettings(**settings))
    )
    check(opened.corpus, opened.cooccurrence, [])
    opened.corpus.add([Document("new", "", "a b d")])
    opened.update_derived("distributional")
    opened.update_derived("distributional", rebuild=True)
    assert given == [max_bytes] * 3
