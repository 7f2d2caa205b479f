"""The engine over posting lists: the results of tantivy's proposals, ranked, over any segments."""

import shutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin import Document, Workspace
from querykin.errors import DamagedFile
from querykin.search.postings_engine import PostingsEngine
from querykin.search.query_parser import parse_queries
from querykin.search.tantivy_engine import TantivyEngine
from querykin.storage.array_files import save
from querykin.storage.store import locked
from topics import DOCUMENTS, QUERIES, WORDS


def assert_same_results(corpus, texts: list[str], limit: int, since: int = 0) -> None:
    queries = parse_queries(texts, corpus)
    ours = PostingsEngine(corpus).search_documents(queries, limit, since)
    theirs = TantivyEngine(corpus).search_documents(queries, limit, since)
    for name in ("indptr", "documents", "scores", "matched", "segment_ids", "ordinals"):
        assert getattr(ours, name).tolist() == getattr(theirs, name).tolist(), name


@pytest.fixture(scope="module")
def pieces(build):
    workspace = build(*(DOCUMENTS[i : i + 9] for i in range(0, len(DOCUMENTS), 9)))
    workspace.corpus.remove([document.id for document in DOCUMENTS[::7]])
    return workspace.reopen()


@given(st.lists(st.lists(st.sampled_from([*WORDS, "zzyzx"]), max_size=10).map(" ".join), max_size=4))
@settings(max_examples=25)
def test_scores_and_documents_are_those_of_tantivys_proposals(workspace, pieces, texts):
    assert_same_results(workspace.corpus, texts, 20)
    assert_same_results(pieces.corpus, texts, 20)


@pytest.mark.parametrize("since", [0, 5, 20, 1000])
def test_only_documents_from_an_id_on_are_found(pieces, since):
    assert_same_results(pieces.corpus, QUERIES, 50, since)


def test_as_many_results_are_found_as_are_asked_for(build):
    documents = [Document(str(n), f"bridge {n}", "stone bridge " + "river " * (n % 7)) for n in range(1100)]
    corpus = build(documents).corpus
    assert_same_results(corpus, ["stone river", "bridge 7"], 1000)
    found = PostingsEngine(corpus).search_documents(parse_queries(["stone"], corpus), 1000)
    assert len(found.documents) == 1000


def without_postings(workspace, folder) -> Workspace:
    """A copy of a workspace whose segments have no posting lists, as an earlier version wrote them."""
    shutil.copytree(workspace.path, folder)
    corpus = Workspace.open(folder).corpus
    with corpus._store.changing(corpus._load):
        for segment in corpus.segments:
            for name in (*segment.folder.glob("list_*"), *segment.folder.glob("posting_*")):
                name.unlink()
            (segment.folder / "field_norms.npy").unlink()
        sealed = {name: corpus._store.seal(name) for name in corpus.names}
        manifest = corpus._store.manifest()
        parts = {**manifest.parts, **sealed}
        corpus._store._replace_manifest(type(manifest)(1, manifest.store_id, manifest.metadata, parts))
    return Workspace.open(folder)


def test_a_corpus_of_an_earlier_version_is_given_posting_lists_once(build, tmp_path):
    workspace = build(DOCUMENTS[:30], DOCUMENTS[30:])
    version = workspace.corpus.statistics.version
    old = without_postings(workspace, tmp_path / "old")
    assert isinstance(old.expander.engine, PostingsEngine)
    assert not Workspace.open(old.path).corpus.lacks_postings
    assert old.corpus.statistics.version == version
    assert_same_results(old.corpus, QUERIES, 30)
    assert old.corpus._store.corrupted_files() == []


def test_without_posting_lists_the_engine_is_tantivy(build, tmp_path, monkeypatch):
    monkeypatch.setattr("querykin.corpus_resources.is_writable", lambda path: False)
    old = without_postings(build(DOCUMENTS[:9]), tmp_path / "old")
    assert isinstance(old.expander.engine, TantivyEngine)


def test_while_another_process_writes_the_engine_is_tantivy(build, tmp_path):
    old = without_postings(build(DOCUMENTS[:9]), tmp_path / "old")
    with locked(tmp_path / "old" / "corpus"):
        assert isinstance(old.expander.engine, TantivyEngine)


def test_hostile_postings_are_refused(build, tmp_path):
    corpus = build(DOCUMENTS[:9]).corpus
    save(corpus.segments[0].folder, posting_tf=np.zeros(3, np.uint16))
    with pytest.raises(DamagedFile, match="posting_tf"):
        PostingsEngine(corpus)
