"""The expansion kernel over embeddings: rows against plain lists, explanations, builds and their states."""

import shutil
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from querykin import Document, Hit, Settings, Workspace
from querykin.embeddings.document_vectors import DocumentVectors
from querykin.measures import measures
from querykin.measures.expanded_embedding import WebKernelDense, WebKernelStatic
from querykin.measures.text_evidence import text_evidence
from querykin.search.expansion import Expander
from querykin.search.postings_engine import PostingsEngine
from querykin.search.recorded_engine import RecordedEngine
from querykin.settings import EngineSettings
from querykin.testing import check_measure, check_search
from recorded_progress import Recorded
from reference import expanded_embedding as reference
from small_models import LEAD, use_small_models
from topics import DOCUMENTS, QUERIES, WORDS
from word_model import WordModel

NAMES = ["web-kernel-static", "web-kernel-dense"]
EXPANDING = ["web-kernel", *NAMES]
MOON = Document("moon", "Moon landing", "Astronauts of NASA landed on the Moon after a long space travel.")


@pytest.fixture
def small_models(monkeypatch):
    """Small models in place of the packaged ones."""
    return use_small_models(monkeypatch)


@pytest.fixture(scope="module")
def measure(workspace) -> WebKernelStatic:
    """With a small model; no vector is stored."""
    return made(workspace)


def made(workspace, kind=WebKernelStatic, **parameters):
    documents = DocumentVectors(
        workspace.path / "document-vectors" / "test", WordModel, LEAD, workspace.corpus.store_id
    )
    return kind(workspace.expander, documents=documents, **parameters)


def texts() -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from([*WORDS, "zzyzx", "qwrtp"]), max_size=5).map(" ".join)


def plain_mixture(measure, text: str) -> list[float]:
    """The row of a text on plain lists, not quantized; its evidence has tests of its own."""
    queries, results, covered = measure.expander.search([text], measure.results)
    evidence = text_evidence(measure.expander.corpus, queries, results, covered)
    (trust,) = evidence.trust(WordModel().whole_words([text])).tolist()
    documents = [
        results.segments[results.segment_ids[r]].document(int(results.ordinals[r]))
        for r in range(len(results.documents))
        if covered[0]
    ]
    leads = [reference.lead(document.title, document.text, LEAD) for document in documents]
    return reference.mixture(
        WordModel()([text])[0].tolist(),
        WordModel()(leads).tolist(),
        results.scores.tolist()[: len(leads)],
        measure.power,
        *reference.mixing_weights(
            trust, float(evidence.matched[0]), measure.own_weight, measure.context_weight
        ),
    )


weights = st.just(0.0) | st.floats(0.01, 2)


@given(a=texts(), b=texts(), power=weights, own=weights, context=weights)
@settings(max_examples=60)
def test_scores_are_those_of_plain_lists(workspace, a, b, power, own, context):
    measure = made(workspace, results=3, power=power, own_weight=own, context_weight=context)
    mixtures = [plain_mixture(measure, text) for text in (a, b)]
    assume(not any(map(reference.near_rounding_tie, mixtures)))
    rows = [reference.in_8_bits(mixture) for mixture in mixtures]
    expected = reference.dot(*rows) if all(map(any, rows)) else np.nan
    assert measure.score_pairs([a], [b])[0] == pytest.approx(expected, abs=1e-6, nan_ok=True)


@given(a=texts(), b=texts(), own=weights, context=weights)
@settings(max_examples=60)
def test_the_shares_of_words_and_documents_sum_to_the_score(workspace, a, b, own, context):
    measure = made(workspace, own_weight=own, context_weight=context)
    explanation = measure.explain(a, b)
    assert explanation.score == pytest.approx(measure.score_pairs([a], [b])[0], nan_ok=True)
    total = sum(each.share for each in explanation.contributions)
    assert total == pytest.approx(np.nan_to_num(explanation.score), abs=1e-12)


def test_the_measures_conform(measure, workspace):
    check_measure(measure)
    check_measure(made(workspace, WebKernelDense))


def test_an_explanation_names_words_and_documents(measure):
    explanation = measure.explain("space exploration", "NASA")
    terms = [each.term for each in explanation.contributions]
    assert {"space", "exploration", "(all words together)"} < set(terms)
    assert "document: NASA" in terms
    titles = {side: [p.title for p in explanation.passages if p.side == side] for side in "ab"}
    assert 0 < len(titles["a"]) <= 2
    assert 0 < len(titles["b"]) <= 2
    shares = {each.term: each.share for each in explanation.contributions}
    assert all(shares[f"document: {title}"] > 0 for title in titles["a"] + titles["b"])


def test_without_context_the_words_make_the_score(workspace):
    explanation = made(workspace, context_weight=0.0).explain("exploration probes", "space rockets")
    documents = [each.share for each in explanation.contributions if each.term.startswith("document: ")]
    assert documents == pytest.approx([0] * len(documents))
    assert not explanation.passages


def test_a_text_that_is_not_covered_is_its_own_vector(measure):
    row = measure.encode_batch(["qwrtp vvwx"]).row(0)[1]
    assert row == pytest.approx(reference.in_8_bits(WordModel()(["qwrtp vvwx"])[0].tolist()), abs=1e-6)
    assert np.isfinite(measure.score("qwrtp vvwx", ["NASA"])).all()
    explanation = measure.explain("qwrtp vvwx", "qwrtp")
    assert explanation.passages == ()
    assert "qwrtp" in [each.term for each in explanation.contributions]


def test_a_text_that_the_model_does_not_know_is_its_context(build):
    workspace = build([Document("1", "zzyzx", "zzyzx crosses the desert of Mojave")])
    measure = made(workspace)
    (lead,) = WordModel()(["zzyzx. zzyzx crosses the desert of Mojave"])
    assert measure.encode_batch(["zzyzx"]).row(0)[1] == pytest.approx(reference.in_8_bits(lead.tolist()))
    explanation = measure.explain("zzyzx", "zzyzx")
    assert [each.term for each in explanation.contributions] == ["document: zzyzx"]
    assert explanation.score == pytest.approx(1.0)
    other = measure.explain("zzyzx", "mojave desert")
    assert sum(each.share for each in other.contributions) == pytest.approx(other.score, abs=1e-9)


def test_a_text_with_neither_is_not_covered(measure):
    assert not measure.encode_batch(["zzyzx", "", "😀 zz"]).covered[:2].any()
    assert np.isnan(measure.score("zzyzx", ["NASA", "zzyzx"])).all()
    assert measure.explain("zzyzx", "NASA").contributions == ()


def test_weights_may_depend_on_the_text(workspace):
    @dataclass(frozen=True)
    class Cautious(WebKernelStatic):
        """Long texts need no context."""

        def mixing_weights(self, queries, results, covered):
            own, context = super().mixing_weights(queries, results, covered)
            return own, np.where([len(text.split()) > 2 for text in queries.texts], 0.0, context)

    cautious, plain = made(workspace, Cautious), made(workspace)
    short, long = "space exploration", "space exploration by astronauts"
    rows, expected = cautious.encode_batch([short, long]), plain.encode_batch([short])
    assert np.array_equal(rows.row(0)[1], expected.row(0)[1])
    assert rows.row(1)[1] == pytest.approx(reference.in_8_bits(WordModel()([long])[0].tolist()), abs=1e-6)


def test_hits_of_an_external_engine_are_the_context(workspace):
    hits = {
        "space agency": [Hit("1", "Space agency", "Rockets and probes orbit the Moon", "", 2.0)],
        "moon probes": [Hit("1", "Space agency", "Rockets and probes orbit the Moon", "", 1.0)],
    }
    measure = replace(made(workspace), expander=Expander(workspace.corpus, RecordedEngine(hits)))
    leads = WordModel()(["Space agency. Rockets and probes orbit the Moon"]).tolist()
    own = WordModel()(["space agency", "moon probes"]).tolist()
    # Both texts are matched as a whole; the first is the title, and so trusted by half.
    mixed = [reference.mixing_weights(trust, 1.0, 1.0, 0.35) for trust in (0.5, 1.0)]
    mixtures = [reference.mixture(each, leads, [1.0], 2.0, *by) for each, by in zip(own, mixed, strict=True)]
    expected = [reference.in_8_bits(mixture) for mixture in mixtures]
    score = measure.score_pairs(["space agency"], ["moon probes"])[0]
    assert score == pytest.approx(reference.dot(*expected), abs=1e-6)
    explanation = measure.explain("space agency", "moon probes")
    assert {passage.document for passage in explanation.passages} == {"1"}


# Builds.


@pytest.fixture
def stocked(tmp_path, small_models) -> Workspace:
    workspace = Workspace.open(tmp_path / "workspace")
    workspace.corpus.add(DOCUMENTS)
    workspace.repository.add([(query, 1) for query in QUERIES])
    return workspace.reopen()


def _weights(segment):
    return segment.rows.rows(np.arange(len(segment)))


def rows_of(workspace: Workspace, name: str) -> dict[str, list[float]]:
    index = workspace.index(name)
    return {
        workspace.repository.query(int(query)): row.tolist()
        for segment, live in zip(index.segments, index.live_rows(workspace.repository), strict=True)
        for query, row, kept in zip(
            segment.query_ids, segment.rows.rows(np.arange(len(segment))), live, strict=True
        )
        if kept
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_build_embeds_the_documents_first(stocked, small_models, name):
    progress = Recorded()
    Workspace.open(stocked.path, progress=progress).build(name)
    model = name.rpartition("-")[2]
    assert progress.lines[0].startswith(f"document vectors ({model}): 61 documents to embed, ")
    assert progress.lines[1] == f"{name}: {len(QUERIES)} queries to index, 0 stale"
    assert len(stocked.reopen().document_vectors(model)) == 61
    assert not stocked.reopen().missing_derived(name)
    assert not stocked.reopen().plan(name).needed
    check_search(stocked, name, [*QUERIES, "rocket launch", "qwrtp", "zzyzx", ""])


@pytest.mark.parametrize("name", NAMES)
def test_an_updated_index_is_that_of_a_build_from_scratch(stocked, name, tmp_path):
    stocked.build(name)
    shutil.copytree(stocked.path, tmp_path / "again")
    for folder, rebuild in ((stocked.path, False), (tmp_path / "again", True)):
        workspace = Workspace.open(folder)
        workspace.corpus.add([MOON])
        workspace.corpus.remove(["space-0", "island-0"])
        workspace.repository.add([("moon landing", 1)])
        if rebuild:
            shutil.rmtree(folder / "document-vectors")
        workspace.reopen().build(name)
    updated, again = rows_of(Workspace.open(stocked.path), name), rows_of(workspace.reopen(), name)
    assert set(updated) == {*QUERIES, "moon landing"}
    for query, row in updated.items():
        assert row == pytest.approx(again[query], abs=1e-7)


def test_scores_do_not_depend_on_whether_documents_are_embedded(stocked):
    pairs = [(a, b) for a in QUERIES for b in QUERIES]
    before = stocked.score(pairs, NAMES)
    for name in NAMES:
        stocked.update_derived(name)
    after = stocked.reopen().score(pairs, NAMES)
    for name in NAMES:
        assert np.array_equal(before[name], after[name], equal_nan=True)


def test_another_model_makes_the_index_stale(stocked, small_models):
    stocked.build("web-kernel-static")
    small_models["static"] = WordModel("another")
    changed = stocked.reopen()
    assert changed.plan("web-kernel-static").rebuild
    changed.build("web-kernel-static")
    assert not changed.plan("web-kernel-static").needed
    assert len(small_models["static"].embedded) > 61


def test_a_rebuild_keeps_vectors_that_are_intact_and_makes_damaged_ones_again(stocked, small_models):
    stocked.build("web-kernel-static")
    stocked = stocked.reopen()
    progress = Recorded()
    Workspace.open(stocked.path, progress=progress).build("web-kernel-static", rebuild=True)
    assert not any("document vectors" in line for line in progress.lines)
    next(stocked.path.glob("document-vectors/static/parts/*/vectors.npy")).write_bytes(b"")
    damaged = Workspace.open(stocked.path, progress=progress)
    damaged.check_ready("web-kernel-static")
    damaged.build("web-kernel-static", rebuild=True)
    assert sum("document vectors (static): 61 documents" in line for line in progress.lines) == 1


def test_an_external_engine_needs_no_document_vectors(stocked, tmp_path):
    (tmp_path / "hits.json").write_text('{"nasa": []}')
    recorded = Settings(engine=EngineSettings(kind="recorded", path=str(tmp_path / "hits.json")))
    workspace = Workspace.open(stocked.path, recorded)
    workspace.build("web-kernel-static")
    assert not (stocked.path / "document-vectors").exists()
    assert not workspace.missing_derived("web-kernel-static")
    assert workspace.suggest("space exploration", 3, "web-kernel-static").suggestions


def test_several_measures_search_for_each_query_once(stocked, monkeypatch):
    searched: list[str] = []
    search = PostingsEngine.search_documents

    def counted(self, queries, limit, since=0):
        searched.extend(queries.texts)
        return search(self, queries, limit, since)

    monkeypatch.setattr(PostingsEngine, "search_documents", counted)
    monkeypatch.setattr("querykin.search.expansion.CACHE_SIZE", 4)
    for kind in {measures[name].kind for name in EXPANDING}:
        monkeypatch.setattr(kind, "batch", 4)
        monkeypatch.setattr(kind, "chunk", 4)
    progress = Recorded()
    Workspace.open(stocked.path, progress=progress).build_all(EXPANDING)
    assert sorted(searched) == sorted(QUERIES)
    assert [line for line in progress.lines if "to index" in line] == [
        f"{name}: {len(QUERIES)} queries to index, 0 stale" for name in EXPANDING
    ]
    assert [line.partition(":")[0] for line in progress.lines if "done" in line] == EXPANDING


def test_interrupted_builds_continue_together(stocked, monkeypatch):
    for kind in {measures[name].kind for name in EXPANDING}:
        monkeypatch.setattr(kind, "batch", 4)
    encode, calls = WebKernelStatic.encode_with_results, []

    def failing(self, texts):
        calls.append(texts)
        if len(calls) > 1:
            raise KeyboardInterrupt
        return encode(self, texts)

    monkeypatch.setattr(WebKernelStatic, "encode_with_results", failing)
    with pytest.raises(KeyboardInterrupt):
        stocked.build_all(["web-kernel", "web-kernel-static"])
    stocked = stocked.reopen()
    assert stocked.plan("web-kernel").done == 8
    assert stocked.plan("web-kernel-static").done == 4
    monkeypatch.setattr(WebKernelStatic, "encode_with_results", encode)
    stocked.build_all(["web-kernel", "web-kernel-static"])
    for name in ("web-kernel", "web-kernel-static"):
        assert not stocked.plan(name).needed
        check_search(stocked, name, QUERIES)


def test_pinned_statistics_share_one_cache_of_results(stocked):
    stocked.build_all(["web-kernel", "web-kernel-static"])
    stocked.corpus.add([MOON])
    stocked = stocked.reopen()
    pinned = [stocked.retriever(name).measure.expander for name in ("web-kernel", "web-kernel-static")]
    assert pinned[0] is pinned[1] is not stocked.expander


# The packaged models.


@pytest.mark.parametrize("name", NAMES)
def test_the_corpus_brings_a_name_near_what_it_names(workspace, name):
    """No general model knows that Merapi is a volcano of Java; the documents say so."""
    if not measures[name].kind.requirements().installed:
        pytest.skip(f"the extra for {name} is not installed")
    own = name.rpartition("-")[2]
    with_corpus = workspace.similarity("Merapi", "volcano of Java", name)
    assert with_corpus > workspace.similarity("Merapi", "volcano of Java", own) + 0.05
    assert with_corpus > workspace.similarity("Merapi", "apple pie", name) + 0.05
    assert (
        len(workspace.measure(name).encode_batch(["Merapi"]).row(0)[0]) == {"static": 256, "dense": 384}[own]
    )


def test_real_document_vectors_are_stored_in_a_byte_for_each_dimension(tmp_path):
    workspace = Workspace.open(tmp_path)
    workspace.corpus.add(DOCUMENTS)
    workspace = workspace.reopen()
    for name in NAMES:
        if measures[name].kind.requirements().installed:
            workspace.update_derived(name)
    sizes = {
        path.parts[-4]: np.load(path).nbytes
        for path in tmp_path.glob("document-vectors/*/parts/*/vectors.npy")
    }
    assert sizes == {"static": 61 * 256, "dense": 61 * 384}
