"""Counts of neighbours: what readers see of them, writers that fail, die or are not alone, and damage."""

import os
import signal
import subprocess
import sys

import pytest

from counted import LISTED, check, facts, parts, some, words_of
from querykin import Document, WorkspaceError
from querykin.cooccurrence.counts import CooccurrenceCounts
from querykin.cooccurrence.phrases import Phrases

# Opens the counts of a workspace, and dies when it is about to write the manifest or while it counts.
KILLED = """
import os, signal, sys
from querykin import Workspace
from querykin.corpus import neighbours
from querykin.storage import Store
die = lambda *arguments, **named: os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[2] == "commit":
    Store.commit = die
elif sys.argv[2] == "manifest":
    Store._replace_manifest = die
else:
    neighbours.save = die
Workspace.open(sys.argv[1]).update_derived("distributional")
"""


def test_counts_are_behind_when_documents_have_come_or_gone_and_where_nothing_was_counted(build):
    workspace = build(some("a b c", "a d"))
    counted = CooccurrenceCounts(workspace.path / "cooccurrence")
    assert not counted
    assert counted.behind(workspace.corpus)
    counted.update(workspace.corpus, lambda: Phrases.of([]))
    assert counted
    assert not counted.behind(workspace.corpus)
    assert not counted.behind(workspace.reopen().corpus)
    workspace.corpus.add([Document("new", "", "x")])
    assert counted.behind(workspace.corpus)
    counted.update(workspace.corpus, lambda: Phrases.of([]))
    assert not counted.behind(workspace.corpus)
    workspace.corpus.remove(["new"])
    assert counted.behind(workspace.corpus)
    counted.update(workspace.corpus, lambda: Phrases.of([]))
    assert not counted.behind(workspace.corpus)


def test_every_count_has_a_state_of_its_own(counting):
    corpus, counted = counting(some("a b c"))
    states = {counted.state}
    for batch in ("x", "y"):
        corpus.add([Document(batch, "", batch)])
        counted.update(corpus, lambda: Phrases.of(LISTED))
        states.add(counted.state)
    assert len(states) == 3
    assert CooccurrenceCounts(counted._store.path).state == counted.state
    assert counting(some("a b c"))[1].state not in states


def test_an_open_reader_keeps_its_counts_until_it_updates(counting):
    corpus, counted = counting(some("a b c"))
    reader = CooccurrenceCounts(counted._store.path)
    state, rows = reader.state, words_of(corpus, reader)
    corpus.add([Document("new", "", "a b d")])
    counted.update(corpus, lambda: Phrases.of(LISTED), rebuild=True)
    assert (reader.state, words_of(corpus, reader)) == (state, rows)
    assert words_of(corpus, CooccurrenceCounts(counted._store.path)) == words_of(corpus, counted) != rows


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_count_that_fails_midway_changes_nothing(counting, error):
    def failing():
        raise error

    corpus, counted = counting(some("a b c"))
    before, state = facts(counted), counted.state
    corpus.add([Document("new", "", "a b d")])
    with pytest.raises(error):
        counted.update(corpus, failing, rebuild=True)
    assert facts(counted) == before
    assert counted.state == state
    folder = counted._store.path / "parts"
    assert {part.name for part in folder.iterdir()} == {before["phrases"], *before["parts"]}
    counted.update(corpus, lambda: Phrases.of(LISTED))
    check(corpus, counted)


@pytest.mark.parametrize("moment", ["save", "commit", "manifest"])
def test_a_killed_writer_leaves_the_old_counts_and_the_next_one_goes_on(build, moment):
    workspace = build(some("a b c", "a b d"))
    corpus, counted = workspace.corpus, workspace.cooccurrence
    before, rows = facts(counted), words_of(corpus, counted)
    corpus.add([Document("new", "", "e f a b")])
    command = [sys.executable, "-c", KILLED, str(workspace.path), moment]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    folder = counted._store.path / "parts"
    assert len(list(folder.iterdir())) > 1 + len(before["parts"])  # what it left
    opened = workspace.reopen()
    assert facts(opened.cooccurrence) == before
    assert words_of(corpus, opened.cooccurrence) == rows
    assert opened.cooccurrence.behind(opened.corpus)
    opened.update_derived("distributional")
    assert parts(opened.cooccurrence) == 2
    check(opened.corpus, opened.cooccurrence, [])
    assert len(list(folder.iterdir())) == 3


def test_a_writer_killed_before_anything_was_counted_leaves_nothing(build):
    workspace = build(some("a b c"))
    command = [sys.executable, "-c", KILLED, str(workspace.path), "commit"]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert not CooccurrenceCounts(workspace.path / "cooccurrence")
    opened = workspace.reopen()
    check(opened.corpus, opened.cooccurrence, [])


def test_a_second_writer_is_told_to_wait(counting):
    corpus, counted = counting(some("a b c"))

    def meanwhile():
        with pytest.raises(WorkspaceError, match="another process is writing"):
            CooccurrenceCounts(counted._store.path).update(corpus, lambda: Phrases.of([]))
        return Phrases.of(["a b"])

    counted.update(corpus, meanwhile, rebuild=True)
    assert len(counted.phrases) == 1


def test_a_writer_goes_on_from_what_is_on_disk_not_from_its_own_snapshot(counting):
    corpus, counted = counting(some("a b c"))
    late = CooccurrenceCounts(counted._store.path)
    corpus.add([Document("x", "", "a b d")])
    counted.update(corpus, lambda: Phrases.of(LISTED))
    corpus.add([Document("y", "", "a b e")])
    late.update(corpus, lambda: Phrases.of(LISTED))
    assert parts(late) == 3
    check(corpus, late)


def test_damage_is_found(build):
    workspace = build(some("a b c"))
    workspace.update_derived("distributional")
    assert workspace.damaged() == []
    (file,) = (workspace.path / "cooccurrence" / "parts").glob("counts-*/words-counts.npy")
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    assert [line for line in workspace.reopen().damaged() if "words-counts.npy" in line]


def test_a_missing_file_is_named(build):
    workspace = build(some("a b c"))
    workspace.update_derived("distributional")
    (file,) = (workspace.path / "cooccurrence" / "parts").glob("counts-*/words-first.npy")
    os.remove(file)
    with pytest.raises(WorkspaceError, match=r"words-first\.npy"):
        assert workspace.reopen().cooccurrence
