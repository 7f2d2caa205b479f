"""Co-occurrence counts: snapshots of readers, failing, killed and concurrent writers, and damage."""

import os
import signal
import subprocess
import sys

import pytest

from counted import LISTED, check, make_documents, metadata, parts, words_of
from querykin import Document, WorkspaceError
from querykin.build_policy import BuildPolicy
from querykin.cooccurrence.counts import CooccurrenceCounts
from querykin.cooccurrence.phrases import Phrases
from querykin.integrity import corrupted_files

# Updates the counts of a workspace, and is killed while it counts or just before it writes the manifest.
KILLED = """
import os, signal, sys
from querykin import Workspace
from querykin.cooccurrence import count_files
from querykin.storage.store import Store
die = lambda *arguments, **named: os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[2] == "commit":
    Store.commit = die
elif sys.argv[2] == "manifest":
    Store._replace_manifest = die
else:
    count_files.save = die
Workspace.open(sys.argv[1]).update_derived("distributional")
"""


def test_counts_are_stale_before_the_first_count_and_after_documents_were_added_or_removed(build):
    workspace = build(make_documents("a b c", "a d"))
    counted = CooccurrenceCounts(workspace.path / "cooccurrence")
    assert not counted
    assert counted.is_stale(workspace.corpus)
    counted.update(workspace.corpus, lambda: Phrases.of([]))
    assert counted
    assert not counted.is_stale(workspace.corpus)
    assert not counted.is_stale(workspace.reopen().corpus)
    workspace.corpus.add([Document("new", "", "x")])
    assert counted.is_stale(workspace.corpus)
    counted.update(workspace.corpus, lambda: Phrases.of([]))
    assert not counted.is_stale(workspace.corpus)
    workspace.corpus.remove(["new"])
    assert counted.is_stale(workspace.corpus)
    counted.update(workspace.corpus, lambda: Phrases.of([]))
    assert not counted.is_stale(workspace.corpus)


def test_every_count_has_its_own_version(counting):
    corpus, counted = counting(make_documents("a b c"))
    versions = {counted.version}
    for batch in ("x", "y"):
        corpus.add([Document(batch, "", batch)])
        counted.update(corpus, lambda: Phrases.of(LISTED))
        versions.add(counted.version)
    assert len(versions) == 3
    assert CooccurrenceCounts(counted._store.path).version == counted.version
    assert counting(make_documents("a b c"))[1].version not in versions


def test_an_open_reader_keeps_its_counts_until_it_updates(counting):
    corpus, counted = counting(make_documents("a b c"))
    reader = CooccurrenceCounts(counted._store.path)
    version, rows = reader.version, words_of(corpus, reader)
    corpus.add([Document("new", "", "a b d")])
    counted.update(corpus, lambda: Phrases.of(LISTED), rebuild=True)
    assert (reader.version, words_of(corpus, reader)) == (version, rows)
    assert words_of(corpus, CooccurrenceCounts(counted._store.path)) == words_of(corpus, counted) != rows


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_count_that_fails_midway_changes_nothing(counting, error):
    def failing():
        raise error

    corpus, counted = counting(make_documents("a b c"))
    before, version = metadata(counted), counted.version
    corpus.add([Document("new", "", "a b d")])
    with pytest.raises(error):
        counted.update(corpus, failing, rebuild=True)
    assert metadata(counted) == before
    assert counted.version == version
    folder = counted._store.path / "parts"
    assert {part.name for part in folder.iterdir()} == {before["phrases"], *before["parts"]}
    counted.update(corpus, lambda: Phrases.of(LISTED))
    check(corpus, counted)


@pytest.mark.parametrize("moment", ["save", "commit", "manifest"])
def test_a_killed_writer_leaves_the_old_counts_and_the_next_one_continues(build, moment):
    workspace = build(make_documents("a b c", "a b d"))
    corpus, counted = workspace.corpus, workspace.cooccurrence
    before, rows = metadata(counted), words_of(corpus, counted)
    corpus.add([Document("new", "", "e f a b")])
    command = [sys.executable, "-c", KILLED, str(workspace.path), moment]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    folder = counted._store.path / "parts"
    assert len(list(folder.iterdir())) > 1 + len(before["parts"])  # what it left
    opened = workspace.reopen()
    assert metadata(opened.cooccurrence) == before
    assert words_of(corpus, opened.cooccurrence) == rows
    assert opened.cooccurrence.is_stale(opened.corpus)
    opened.update_derived("distributional")
    assert parts(opened.cooccurrence) == 2
    check(opened.corpus, opened.cooccurrence, [])
    assert len(list(folder.iterdir())) == 3


def test_a_writer_killed_before_anything_was_counted_leaves_nothing(build):
    workspace = build(make_documents("a b c"))
    command = [sys.executable, "-c", KILLED, str(workspace.path), "commit"]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert not CooccurrenceCounts(workspace.path / "cooccurrence")
    opened = workspace.reopen()
    check(opened.corpus, opened.cooccurrence, [])


def test_a_second_writer_is_refused(counting):
    corpus, counted = counting(make_documents("a b c"))

    def meanwhile():
        with pytest.raises(WorkspaceError, match="another process is writing"):
            CooccurrenceCounts(counted._store.path).update(corpus, lambda: Phrases.of([]))
        return Phrases.of(["a b"])

    counted.update(corpus, meanwhile, rebuild=True)
    assert len(counted.phrases) == 1


def test_a_writer_continues_from_the_counts_on_disk_not_from_its_own_snapshot(counting):
    corpus, counted = counting(make_documents("a b c"))
    late = CooccurrenceCounts(counted._store.path)
    corpus.add([Document("x", "", "a b d")])
    counted.update(corpus, lambda: Phrases.of(LISTED))
    corpus.add([Document("y", "", "a b e")])
    late.update(corpus, lambda: Phrases.of(LISTED))
    assert parts(late) == 3
    check(corpus, late)


def test_damage_is_detected(build):
    workspace = build(make_documents("a b c"))
    workspace.update_derived("distributional")
    assert corrupted_files(workspace) == []
    (file,) = (workspace.path / "cooccurrence" / "parts").glob("counts-*/words-counts.npy")
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    assert [line for line in corrupted_files(workspace.reopen()) if "words-counts.npy" in line]


def test_a_missing_file_is_named(build):
    workspace = build(make_documents("a b c"))
    workspace.update_derived("distributional")
    (file,) = (workspace.path / "cooccurrence" / "parts").glob("counts-*/words-indptr.npy")
    os.remove(file)
    with pytest.raises(WorkspaceError, match=r"words-indptr\.npy"):
        assert workspace.reopen(BuildPolicy.REFUSE).cooccurrence
