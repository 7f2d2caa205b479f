"""Query-log document frequencies: equal to the reference, fixed until a rebuild, defined when empty."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from querykin.corpus.vocabulary import Vocabulary
from querykin.errors import WorkspaceError
from querykin.querylog import document_frequencies as query_frequencies
from querykin.querylog.document_frequencies import QueryLogFrequencies
from querykin.text.folding import fold
from querykin.text.stemming import stems
from querykin.text.tokenizer import tokens_of_words, words
from strategies import PIECES
from topics import WORDS

queries = st.lists(st.lists(st.sampled_from([*WORDS, *PIECES, "zzyzx", "blorping"]), max_size=5), max_size=12)


def folded_stems(words_):
    return [fold(stem) for stem in stems(words_)]


def slow_counts(log):
    """The number of queries with each stem: a query counts once, however often it repeats a word."""
    return Counter(stem for query in log for stem in set(folded_stems(words(query))))


def hashes_of(stems_, vocabulary):
    return vocabulary.lookup_stems(tokens_of_words(stems_))[1]


@given(queries, st.integers(1, 5))
@example([["informação"], ["informacao"]], 1)
@settings(deadline=None, max_examples=60)
def test_counts_equal_the_reference_in_batches_of_any_size(tmp_path_factory, workspace, parts, batch):
    log = [" ".join(part) for part in parts]
    counts = QueryLogFrequencies(tmp_path_factory.mktemp("counts"))
    vocabulary = workspace.corpus.vocabulary
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(query_frequencies, "_BATCH", batch)
        counts.update(log, vocabulary, "log")
    expected = slow_counts(log)
    known = [word for word in dict.fromkeys(w for query in log for w in words(query))]
    found = counts.frequencies(hashes_of(known, vocabulary))
    wanted = [expected[stem] / len(log) * 100_000 for stem in folded_stems(known)]
    assert found.tolist() == pytest.approx(wanted)
    assert counts.queries == len(log)


def test_the_table_does_not_depend_on_the_vocabulary(tmp_path, workspace):
    log = ["space travel", "traveling to space", "zzyzx"]
    learned, empty = QueryLogFrequencies(tmp_path / "a"), QueryLogFrequencies(tmp_path / "b")
    learned.update(log, workspace.corpus.vocabulary, "log")
    empty.update(log, Vocabulary.empty(), "log")
    wanted = hashes_of(["space", "travel", "zzyzx", "nasa"], Vocabulary.empty())
    assert learned.frequencies(wanted).tolist() == empty.frequencies(wanted).tolist()
    assert empty.frequencies(wanted)[3] == 0


def test_without_queries_all_frequencies_are_zero(tmp_path):
    counts = QueryLogFrequencies(tmp_path)
    assert counts.queries == 0
    assert counts.frequencies(np.array([1, 2])).tolist() == [0, 0]
    counts.update([], Vocabulary.empty(), "log")
    assert counts.frequencies(np.array([1, 2])).tolist() == [0, 0]


def test_a_later_reader_sees_the_counts_and_an_earlier_one_does_not(tmp_path, workspace):
    counts = QueryLogFrequencies(tmp_path)
    before = QueryLogFrequencies(tmp_path)
    counts.update(["space"], workspace.corpus.vocabulary, "log")
    again = QueryLogFrequencies(tmp_path)
    wanted = hashes_of(["space"], workspace.corpus.vocabulary)
    assert again.frequencies(wanted).tolist() == [100_000]
    assert (again.state, again.store_id, again.queries) == (counts.state, "log", 1)
    assert before.frequencies(wanted).tolist() == [0]
    assert before.state != counts.state


def test_a_workspace_counts_once_and_again_only_on_rebuild(build):
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


def test_another_repository_in_the_same_place_is_counted_again(build):
    workspace = build()
    workspace.repository.add([("space", 1)])
    assert workspace.reopen().query_frequencies.queries == 1
    for path in sorted((workspace.path / "repository").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    other = workspace.reopen()
    other.repository.add([("nasa", 1), ("moon", 1)])
    assert other.reopen().query_frequencies.queries == 2


def test_a_damaged_array_is_reported(tmp_path, workspace):
    counts = QueryLogFrequencies(tmp_path)
    counts.update(["space"], workspace.corpus.vocabulary, "log")
    next(tmp_path.rglob("counts.npy")).write_bytes(b"rubbish")
    with pytest.raises(WorkspaceError, match=r"counts\.npy is damaged"):
        QueryLogFrequencies(tmp_path)
