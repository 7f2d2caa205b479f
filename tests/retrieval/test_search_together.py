"""Many queries searched together: each gets what it gets alone, ties and last bits included."""

import shutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin import Document, Workspace
from querykin.retrieval import dense_sums, hybrid_retriever, retrievers, threshold_algorithm
from small_models import use_small_models
from stocked import REPOSITORY
from topics import DOCUMENTS

HYBRIDS = ["hybrid", "hybrid-static"]
NAMES = [*HYBRIDS, "dense", "static", "web-kernel-static", "web-kernel"]
UNSEEN = ["space probes", "NASA", "nasa", "qwrtp vvwx", "zzyzx zz", "", "java and batik"]


@pytest.fixture(scope="module", autouse=True)
def models():
    """Small models, and limits that a small repository exceeds."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (retrievers, hybrid_retriever):
            patch.setattr(module, "MANY", 2)
        patch.setattr(dense_sums, "_TILE", 16)
        patch.setattr(hybrid_retriever, "_LISTED", 8)
        patch.setattr(hybrid_retriever, "_LOOKUPS", 12)
        patch.setattr(threshold_algorithm, "_DEPTH", 4)
        yield use_small_models(patch)


@pytest.fixture(scope="module")
def stocked(build) -> Workspace:
    """Two segments of documents and of rows, and removed queries; tests only read it."""
    workspace = build(DOCUMENTS[::2], DOCUMENTS[1::2])
    for part in (REPOSITORY[::2], REPOSITORY[1::2]):
        workspace.repository.add(part)
        workspace = workspace.reopen()
        workspace.build_all(NAMES)
    workspace.repository.remove(["Hubble", "Batik"])
    return workspace.reopen()


def texts_of(workspace: Workspace) -> list[str]:
    return [*workspace.repository.queries(workspace.repository.live_ids()), *UNSEEN]


def check(retriever, queries, k, min_score, min_count=1) -> None:
    together = retriever.search(queries, k, min_score, min_count)
    for query, found in zip(queries, together, strict=True):
        (alone,) = retriever.search([query], k, min_score, min_count)
        assert found.query_ids.tolist() == alone.query_ids.tolist()
        assert found.scores.tolist() == alone.scores.tolist()
        assert found.covered == alone.covered
        if alone.probabilities is not None:
            assert found.probabilities.tolist() == alone.probabilities.tolist()


@given(
    st.data(),
    st.sampled_from(NAMES),
    st.sampled_from([1, 3, 10, 200]),
    st.just(-np.inf) | st.floats(-0.2, 1),
    st.integers(1, 3),
    st.sampled_from([8, 16_384]),
)
@settings(max_examples=40)
def test_each_query_finds_what_it_finds_alone(stocked, data, name, k, min_score, min_count, kept):
    queries = data.draw(st.lists(st.sampled_from(texts_of(stocked)), min_size=2, max_size=8))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dense_sums, "MAX_KEPT", kept)
        check(stocked.retriever(name), queries, k, min_score, min_count)


@pytest.mark.parametrize("name", HYBRIDS)
def test_scores_are_those_of_the_pair(stocked, name):
    retriever, queries = stocked.retriever(name), texts_of(stocked)[:40]
    for query, found in zip(queries, retriever.search(queries, 200, 0.2), strict=True):
        others = stocked.repository.queries(found.query_ids)
        assert found.scores == pytest.approx(stocked.measure(name).score(query, others), abs=1e-9)
        expected = stocked.measure(name).score(query, texts_of(stocked)[: -len(UNSEEN)])
        assert len(found.query_ids) == np.sum(expected >= 0.2)


@pytest.mark.parametrize("name", NAMES)
def test_rows_read_from_the_index_are_those_of_encoding_again(stocked, name):
    retriever, queries = stocked.retriever(name), texts_of(stocked)
    parts = [*retriever.parts.values(), retriever.weights] if name in HYBRIDS else [retriever]
    for part in parts:
        found, encoded = part.encode(queries[::-1]), part.measure.encode_queries(queries[::-1])
        assert found.space == encoded.space
        for array in ("indptr", "features", "weights"):
            assert getattr(found, array).tolist() == getattr(encoded, array).tolist()


def test_what_is_in_the_index_is_not_encoded_again_unless_documents_were_added(
    stocked, tmp_path, monkeypatch
):
    shutil.copytree(stocked.path, tmp_path / "workspace")
    own = Workspace.open(tmp_path / "workspace", stocked.settings)
    retriever, query = own.retriever("web-kernel"), own.repository.query(0)
    kind, asked = type(retriever.measure), list[str]()
    encode = kind.encode_queries
    monkeypatch.setattr(kind, "encode_queries", lambda self, some: asked.extend(some) or encode(self, some))
    retriever.encode([query, query.upper(), "space probes"])
    assert asked == [query.upper(), "space probes"]
    own.corpus.add([Document("new", query, f"{query} again")])
    asked.clear()
    own.reopen().retriever("web-kernel").encode([query])
    assert asked == [query]


def test_candidates_that_only_the_web_kernel_knows_are_found(tmp_path):
    """No model knows a word that begins with z: neither the text nor the documents it finds have a vector."""
    workspace = Workspace.open(tmp_path)
    workspace.corpus.add(
        [Document("1", "zzyzx", "zzyzx zeta"), Document("2", "zeta", "zulu zzyzx zero zeta")]
    )
    workspace.repository.add([("zeta", 2), ("zzyzx zeta", 1), ("zz", 1), ("apple pie", 1)])
    workspace = workspace.reopen()
    workspace.build_all(HYBRIDS)
    for name in HYBRIDS:
        retriever, queries = workspace.reopen().retriever(name), ["zzyzx", "apple", "zz", "zeta"]
        assert len(retriever.search(queries, 5)[0].query_ids) == 2
        for min_score in (-np.inf, 0.0, 0.3):
            check(retriever, queries, 5, min_score)


def test_nothing_to_search(stocked):
    assert stocked.retriever("hybrid").search([], 5) == []
    assert stocked.retriever("dense").search([], 5) == []
