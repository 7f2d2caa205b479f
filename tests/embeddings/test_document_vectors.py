"""Document vectors: stored or computed they are the same; builds embed what is new, and can be killed."""

import shutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin import Document, Hit, Workspace
from querykin.embeddings import document_vectors
from querykin.embeddings.document_vectors import DocumentVectors, drop_damaged
from querykin.embeddings.leads import CHARACTERS, lead
from querykin.embeddings.vector_parts import quantize, unit_rows
from querykin.errors import WorkspaceError
from querykin.integrity import corrupted_files
from querykin.search.expansion import Expander
from querykin.search.recorded_engine import RecordedEngine
from querykin.storage.store import Store
from recorded_progress import Recorded
from reference import expanded_embedding as reference
from topics import DOCUMENTS, QUERIES
from word_model import WIDTH, WordModel

WORDS = 7  # of a lead


@pytest.fixture
def stocked(tmp_path):
    """Ten documents in two segments, with room for more."""
    workspace = Workspace.open(tmp_path / "workspace")
    workspace.corpus.add(DOCUMENTS[:6])
    workspace.corpus.add(DOCUMENTS[6:10])
    return workspace.reopen()


def vectors_of(workspace, model=None, corpus_id=None) -> DocumentVectors:
    """The document vectors of a workspace under a small model."""
    model = model or WordModel()
    path = workspace.path / "document-vectors" / "static"
    return DocumentVectors(path, lambda: model, WORDS, corpus_id or workspace.corpus.store_id)


def found(workspace):
    """The results of queries that find documents."""
    return workspace.expander.search([*QUERIES, "pitcher ball base", "umpire"], 50)[1]


def expected(documents) -> np.ndarray:
    rows = WordModel()([reference.lead(each.title, each.text, WORDS) for each in documents])
    return np.array([reference.in_8_bits(row) for row in rows.tolist()])


def stored(workspace) -> dict[str, list[int]]:
    """The vectors on disk by the id of the document; removed documents have none."""
    manifest = Store(workspace.path / "document-vectors" / "static", "document-vectors").manifest()
    folder, rows = workspace.path / "document-vectors" / "static" / "parts", {}
    for name in manifest.metadata["parts"]:
        doc_ids, part = np.load(folder / name / "doc_ids.npy"), np.load(folder / name / "vectors.npy")
        assert (np.diff(doc_ids) > 0).all()
        assert not set(doc_ids.tolist()) & set(rows)
        rows |= dict(zip(doc_ids.tolist(), part.tolist(), strict=True))
    corpus, by_name = workspace.corpus, {}
    for segment in corpus.segments:
        for ordinal in np.flatnonzero(segment.live(corpus.tombstones)).tolist():
            by_name[segment.document(ordinal).id] = rows[int(segment.doc_ids[ordinal])]
    return by_name


@given(st.lists(st.lists(st.floats(-1, 1, width=32), min_size=3, max_size=3), max_size=5))
def test_8_bits_keep_the_direction(rows):
    matrix = np.array(rows, np.float32).reshape(len(rows), 3)
    plain = [reference.in_8_bits(row) for row in matrix.astype(float).tolist()]
    kept = unit_rows(quantize(matrix))
    assert kept == pytest.approx(np.array(plain).reshape(kept.shape), abs=1e-12)
    norms = np.linalg.norm(matrix.astype(float), axis=1)
    assert (kept * matrix).sum(axis=1) == pytest.approx(norms, rel=1e-4, abs=1e-30)
    assert not kept[norms == 0].any()


def test_a_lead_is_the_title_and_the_first_words():
    assert lead(Document("1", "NASA", " leads \n space  exploration"), 2) == "NASA. leads space"
    assert lead(Document("1", "", ""), 2) == ""
    assert len(lead(Document("1", "", "天" * 10_000_000), 40)) == 40 * CHARACTERS
    assert len(lead(Document("1", "x" * 10_000_000, ""), 40)) == 40 * CHARACTERS + 2


def test_a_vector_is_that_of_the_lead_whether_stored_or_not(stocked):
    results, model = found(stocked), WordModel()
    documents = [
        results.segments[results.segment_ids[r]].document(int(results.ordinals[r]))
        for r in range(len(results.documents))
    ]
    computed = vectors_of(stocked, model).of(results)
    assert len(documents) > 10
    assert computed == pytest.approx(expected(documents), abs=1e-12)
    assert len(model.embedded) == len(set(documents_ids(documents)))  # each once
    vectors = vectors_of(stocked)
    vectors.update(stocked.corpus)
    assert len(vectors) == 10
    for opened in (vectors, vectors_of(stocked, model := WordModel())):
        assert np.array_equal(opened.of(results), computed)
    assert model.embedded == []  # read, not computed


def documents_ids(documents) -> list[str]:
    return [document.id for document in documents]


def test_only_new_documents_are_embedded(stocked):
    vectors_of(stocked).update(stocked.corpus)
    stocked.corpus.add([DOCUMENTS[20], Document("baseball-0", "Mariners", "A team of Seattle.")])
    stocked = stocked.reopen()
    model, results = WordModel(), found(stocked)
    computed = vectors_of(stocked).of(results)
    vectors_of(stocked, model).update(stocked.corpus)
    leads = [lead(DOCUMENTS[20], WORDS), "Mariners. A team of Seattle."]
    assert {text for text in model.embedded if text} == set(leads)
    assert np.array_equal(vectors_of(stocked).of(results), computed)
    progress, before = Recorded(), Store(vectors_of(stocked)._store.path, "document-vectors").manifest()
    vectors_of(stocked).update(stocked.corpus, progress)
    assert progress.lines == []
    assert vectors_of(stocked)._store.manifest() == before


class Killed(Exception):
    pass


class Killing(Recorded):
    """Ends a build once so many documents are embedded."""

    def __init__(self, documents):
        super().__init__()
        self.left = documents

    def task(self, title, total):
        return self

    def __enter__(self):
        return self.advance

    def __exit__(self, *error):
        return None

    def advance(self, documents):
        self.left -= documents
        if self.left < 0:
            raise Killed


@settings(max_examples=15)
@given(st.lists(st.integers(1, 70), min_size=1, max_size=4), st.data())
def test_any_history_ends_with_the_vectors_of_a_build_from_scratch(tmp_path_factory, counts, data):
    """Documents added and removed, builds between them, some of them killed."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(document_vectors, "BATCH", 5)
        patched.setattr(document_vectors, "MAX_PARTS", 3)
        workspace = Workspace.open(tmp_path_factory.mktemp("history"))
        for count in counts:
            workspace.corpus.add([DOCUMENTS[number % 61] for number in range(count, count + 20)])
            ids = [document.id for document in workspace.corpus.documents()]
            workspace.corpus.remove(data.draw(st.lists(st.sampled_from(ids), unique=True, max_size=19)))
            workspace = workspace.reopen()
            if data.draw(st.booleans()):
                try:
                    killing = Killing(data.draw(st.integers(0, 30)))
                    vectors_of(workspace).update(workspace.corpus, killing)
                except Killed:
                    pass
        vectors_of(workspace).update(workspace.corpus)
        incremental = stored(workspace)
        parts = vectors_of(workspace)._store.manifest().metadata["parts"]
        assert len(parts) <= 3
        shutil.rmtree(workspace.path / "document-vectors")
        vectors_of(workspace).update(workspace.corpus)
        assert incremental == stored(workspace)
        assert set(incremental) == {document.id for document in workspace.corpus.documents()}


def test_a_killed_build_continues_after_the_last_batch(stocked, monkeypatch):
    monkeypatch.setattr(document_vectors, "BATCH", 2)
    with pytest.raises(Killed):
        vectors_of(stocked).update(stocked.corpus, Killing(5))
    assert len(vectors_of(stocked)) == 4
    progress, model = Recorded(), WordModel()
    vectors_of(stocked, model).update(stocked.corpus, progress)
    assert progress.lines == ["document vectors (static): 6 documents to embed, less than a minute"]
    assert set(model.embedded) <= {lead(document, WORDS) for document in DOCUMENTS[4:10]}
    assert len(stored(stocked)) == 10


def test_removed_documents_are_dropped(stocked):
    vectors_of(stocked).update(stocked.corpus)
    stocked.corpus.remove([document.id for document in DOCUMENTS[:4]])
    stocked = stocked.reopen()
    vectors_of(stocked).update(stocked.corpus)
    assert len(vectors_of(stocked)) == 2 + 4
    stocked.corpus.remove([document.id for document in DOCUMENTS[4:10]])
    stocked = stocked.reopen()
    vectors_of(stocked).update(stocked.corpus)
    assert len(vectors_of(stocked)) == 0
    assert corrupted_files(stocked) == []


def test_another_model_or_corpus_starts_again(stocked):
    vectors_of(stocked).update(stocked.corpus)
    other = WordModel("other words")
    assert len(vectors_of(stocked, other)) == 0
    vectors_of(stocked, other).update(stocked.corpus)
    assert len(vectors_of(stocked, WordModel("other words"))) == 10
    assert len(vectors_of(stocked)) == 0
    assert len(vectors_of(stocked, other, corpus_id="another corpus")) == 0


def test_hits_of_an_external_engine_are_embedded_from_their_own_text(stocked, monkeypatch):
    """Even where the hash of a hit's id is the id of a document of the corpus."""
    monkeypatch.setattr("querykin.search.external_hits.id_hash", lambda name: int(name))
    vectors_of(stocked).update(stocked.corpus)
    hits = [Hit("0", "Pitcher", "throws the ball", "", 2.0), Hit("1", "", "zzyzx", "", 1.0)]
    _, results, _ = Expander(stocked.corpus, RecordedEngine({"ball": hits})).search(["ball"])
    rows = vectors_of(stocked).of(results)
    assert rows[0] == pytest.approx(expected([Document("0", "Pitcher", "throws the ball")])[0])
    assert not rows[1].any()


def test_an_empty_corpus_has_no_vectors(tmp_path):
    workspace = Workspace.open(tmp_path / "empty")
    vectors = vectors_of(workspace)
    vectors.update(workspace.corpus)
    assert len(vectors) == 0
    assert vectors.of(found(workspace)).shape == (0, WIDTH)
    assert not (tmp_path / "empty").exists()


def test_damaged_vectors_are_found_and_made_again(stocked):
    vectors_of(stocked).update(stocked.corpus)
    before, folder = stored(stocked), stocked.path / "document-vectors" / "static"
    file = next(folder.glob("parts/*/vectors.npy"))
    content = file.read_bytes()
    file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert corrupted_files(stocked) == [f"{file} differs from what was written"]
    drop_damaged(folder)
    vectors_of(stocked).update(stocked.corpus)
    assert corrupted_files(stocked) == []
    assert stored(stocked) == before
    drop_damaged(folder)  # intact: kept
    assert len(vectors_of(stocked)) == 10
    next(folder.glob("parts/*/vectors.npy")).write_bytes(b"")
    with pytest.raises(WorkspaceError, match="is damaged"):
        len(vectors_of(stocked))
    drop_damaged(folder)
    assert len(vectors_of(stocked)) == 0


def test_the_estimate_is_of_all_documents(stocked, monkeypatch):
    clock = iter(range(0, 10_000, 60))
    monkeypatch.setattr(document_vectors, "perf_counter", lambda: next(clock))
    monkeypatch.setattr(document_vectors, "_SAMPLE", 2)
    progress = Recorded()
    vectors_of(stocked).update(stocked.corpus, progress)
    assert progress.lines == ["document vectors (static): 10 documents to embed, about 5 minutes"]


def test_the_models_name_their_files(word_pieces, minilm):
    assert word_pieces.identity.startswith("wordllama ")
    assert minilm.identity.startswith("onnx ")
    assert minilm.identity.endswith("pooling=mean max_tokens=256")
