"""Writers that fail or collide, and readers that were opened before a change."""

import os
from collections.abc import Iterator

import pytest

from live_documents import live_documents
from querykin import Document, Workspace, WorkspaceError
from querykin.corpus.corpus import Corpus
from topics import DOCUMENTS


def names(corpus: Corpus) -> set[str]:
    return {document.id for document in live_documents(corpus).values()}


def failing(error: type[BaseException]) -> Iterator[Document]:
    yield from (Document(str(i), "new", f"words never seen {i} " * 50_000) for i in range(8))
    raise error


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError,
        KeyboardInterrupt,
        PermissionError,
    ],
)
def test_documents_that_fail_midway_change_nothing(build, error):
    corpus = build([Document("a", "x")]).corpus
    before, words = corpus.info(), corpus.vocabulary.count
    with pytest.raises(error):
        corpus.add(failing(error))
    assert corpus.info() == before
    assert corpus.vocabulary.count == words
    corpus.add([Document("b", "y")])
    assert names(corpus) == {"a", "b"}


def test_fields_that_are_not_json_are_refused_with_the_whole_batch(build):
    corpus = build([Document("a", "x")]).corpus
    with pytest.raises(TypeError, match="JSON"):
        corpus.add([Document("b"), Document("c", fields={"when": object()})])
    assert names(corpus) == {"a"}


def test_a_failed_addition_leaves_no_file_open(build):
    workspace = build([Document("a", "x")])
    with pytest.raises(RuntimeError) as caught:  # the traceback keeps the writer alive
        workspace.corpus.add(failing(RuntimeError))
    paths = [os.path.realpath(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")]
    still_open = [
        path for path in paths if path.startswith(str(workspace.path)) and path.endswith("(deleted)")
    ]
    del caught
    assert still_open == []


def test_a_second_writer_is_refused(build):
    workspace = build([Document("a", "x")])
    refused = []

    def meanwhile():
        yield Document("b", "y")
        with pytest.raises(WorkspaceError, match="another process is writing") as caught:
            workspace.reopen().corpus.add([Document("c", "z")])
        refused.append(caught)

    workspace.corpus.add(meanwhile())
    assert refused
    assert names(workspace.reopen().corpus) == {"a", "b"}


def test_a_writer_starts_from_the_newest_state_not_from_its_snapshot(build):
    workspace = build([Document("a", "x")])
    late = workspace.reopen().corpus
    workspace.corpus.add([Document("b", "y")])
    late.add([Document("c", "z")])
    assert names(late) == {"a", "b", "c"}


@pytest.fixture
def replaced(build) -> Workspace:
    """A workspace opened before another writer replaced every document twice."""
    workspace = build(DOCUMENTS)
    assert len(workspace.corpus) == len(DOCUMENTS)
    other = workspace.reopen()
    for _ in range(2):
        other.corpus.add(Document(document.id, "new", "nothing of the old") for document in DOCUMENTS)
    return workspace


def test_an_open_reader_keeps_tokens_and_statistics_when_everything_was_replaced(workspace, replaced):
    corpus, unchanged = replaced.corpus, workspace.corpus
    assert corpus.info()["documents"] == len(DOCUMENTS)
    assert corpus.statistics.cf.tolist() == unchanged.statistics.cf.tolist()
    assert corpus.segments[0].tokens.whole().tolist() == unchanged.segments[0].tokens.whole().tolist()
    assert corpus.vocabulary.word(5) == unchanged.vocabulary.word(5)


def test_an_open_expander_keeps_answering_when_everything_was_replaced(workspace, build):
    opened = build(DOCUMENTS)
    assert opened.expander.corpus.generation == opened.corpus.generation
    opened.reopen().corpus.add(Document(document.id, "new") for document in DOCUMENTS)
    for pair in (("java island", "Indonesia"), ("NASA", "space exploration")):
        assert opened.similarity(*pair, "web-kernel") == workspace.similarity(*pair, "web-kernel")
    assert opened.reopen().similarity("new", "new", "web-kernel") == 1.0


def test_an_open_reader_keeps_its_documents_when_everything_was_replaced(replaced):
    assert list(live_documents(replaced.corpus).values()) == list(DOCUMENTS)


def test_a_search_index_replaced_before_it_was_opened_is_the_new_one(replaced):
    assert replaced.similarity("new", "new", "web-kernel") == 1.0


def test_an_open_reader_can_still_explain_when_everything_was_replaced(workspace, build):
    opened = build(DOCUMENTS)
    assert opened.similarity("NASA", "space exploration", "web-kernel") > 0
    opened.reopen().corpus.add(Document(document.id, "new") for document in DOCUMENTS)
    assert opened.explain("NASA", "space exploration", "web-kernel") == workspace.explain(
        "NASA", "space exploration", "web-kernel"
    )
