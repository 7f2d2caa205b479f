"""How many past queries hold each stem: counted like a slow twin, frozen until a rebuild, safe when empty."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.corpus.vocabulary import Vocabulary
from querykin.errors import WorkspaceError
from querykin.querylog import document_frequencies as query_frequencies
from querykin.querylog.document_frequencies import QueryLogFrequencies
from querykin.text.stemming import stems
from querykin.text.tokenizer import tokenize, words
from strategies import PIECES
from topics import WORDS

queries = st.lists(st.lists(st.sampled_from([*WORDS, *PIECES, "zzyzx", "blorping"]), max_size=5), max_size=12)


def slow_counts(asked):
    """The queries that hold each stem: a query counts once, however often it repeats a word."""
    return Counter(stem for query in asked for stem in set(stems(words(query))))


def hashes_of(stems_, vocabulary):
    return vocabulary.lookup_stems(tokenize(stems_))[1]


@given(queries, st.integers(1, 5))
@settings(deadline=None, max_examples=60)
def test_counts_equal_the_twins_in_batches_of_any_size(tmp_path_factory, workspace, parts, batch):
    asked = [" ".join(part) for part in parts]
    counts = QueryLogFrequencies(tmp_path_factory.mktemp("counts"))
    vocabulary = workspace.corpus.vocabulary
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(query_frequencies, "_BATCH", batch)
        counts.update(asked, vocabulary, "log")
    expected = slow_counts(asked)
    known = [word for word in dict.fromkeys(w for query in asked for w in words(query))]
    found = counts.frequencies(hashes_of(known, vocabulary))
    wanted = [expected[stem] / len(asked) * 100_000 for stem in stems(known)]
    assert found.tolist() == pytest.approx(wanted)
    assert counts.queries == len(asked)


def test_the_table_does_not_depend_on_what_the_corpus_knows(tmp_path, workspace):
    asked = ["space travel", "traveling to space", "zzyzx"]
    learned, empty = QueryLogFrequencies(tmp_path / "a"), QueryLogFrequencies(tmp_path / "b")
    learned.update(asked, workspace.corpus.vocabulary, "log")
    empty.update(asked, Vocabulary.empty(), "log")
    wanted = hashes_of(["space", "travel", "zzyzx", "nasa"], Vocabulary.empty())
    assert learned.frequencies(wanted).tolist() == empty.frequencies(wanted).tolist()
    assert empty.frequencies(wanted)[3] == 0


def test_nothing_asked_is_nothing_known(tmp_path):
    counts = QueryLogFrequencies(tmp_path)
    assert counts.queries == 0
    assert counts.frequencies(np.array([1, 2])).tolist() == [0, 0]
    counts.update([], Vocabulary.empty(), "log")
    assert counts.frequencies(np.array([1, 2])).tolist() == [0, 0]


def test_a_second_reader_sees_what_was_counted(tmp_path, workspace):
    counts = QueryLogFrequencies(tmp_path)
    before = QueryLogFrequencies(tmp_path)
    counts.update(["space"], workspace.corpus.vocabulary, "log")
    again = QueryLogFrequencies(tmp_path)
    wanted = hashes_of(["space"], workspace.corpus.vocabulary)
    assert again.frequencies(wanted).tolist() == [100_000]
    assert (again.state, again.store_id, again.queries) == (counts.state, "log", 1)
    assert before.frequencies(wanted).tolist() == [0]
    assert before.state != counts.state


def test_a_workspace_counts_once_and_again_only_when_told(build):
    workspace = build()
    workspace.repository.add([("space travel", 5), ("space", 1)])
    workspace = workspace.reopen()
    state = workspace.query_frequencies.state
    assert workspace.query_frequencies.queries == 2
    workspace.repository.add([("apple pie", 1)])
    assert workspace.reopen().query_frequencies.state == state
    assert workspace.reopen().query_frequencies.queries == 2
    workspace = workspace.reopen()
    workspace.update_derived("web-relevance", rebuild=True)
    assert workspace.reopen().query_frequencies.queries == 3
    assert workspace.reopen().query_frequencies.state != state


def test_an_empty_repository_is_not_counted(build):
    workspace = build()
    assert workspace.query_frequencies.queries == 0
    assert not (workspace.path / "query-log").exists()


def test_another_repository_in_the_same_place_is_counted_anew(build):
    workspace = build()
    workspace.repository.add([("space", 1)])
    assert workspace.reopen().query_frequencies.queries == 1
    for path in sorted((workspace.path / "repository").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    other = workspace.reopen()
    other.repository.add([("nasa", 1), ("moon", 1)])
    assert other.reopen().query_frequencies.queries == 2


def test_damage_is_said(tmp_path, workspace):
    counts = QueryLogFrequencies(tmp_path)
    counts.update(["space"], workspace.corpus.vocabulary, "log")
    next(tmp_path.rglob("counts.npy")).write_bytes(b"rubbish")
    with pytest.raises(WorkspaceError, match=r"counts\.npy is damaged"):
        QueryLogFrequencies(tmp_path)
