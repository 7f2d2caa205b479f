"""The embedded engine: its results equal scoring every document, however the corpus is segmented."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from live_documents import live_documents
from querykin import Document
from querykin.errors import DamagedFile
from querykin.search.query_parser import parse_queries
from querykin.search.tantivy_engine import TantivyEngine
from reference.corpus import ReferenceCorpus
from strategies import texts
from topics import DOCUMENTS, QUERIES, WORDS

EVERYTHING = 1000


@pytest.fixture(scope="session")
def reference_corpus() -> ReferenceCorpus:
    return ReferenceCorpus(DOCUMENTS)


def found(workspace, text: str, limit: int = EVERYTHING) -> tuple[list[int], list[float]]:
    results = workspace.expander.engine.search_documents(parse_queries([text], workspace.corpus), limit)
    return results.documents.tolist(), results.scores.tolist()


def assert_ranks_like_the_reference(
    workspace, reference_corpus: ReferenceCorpus, text: str, shift: int = 0
) -> None:
    """The same documents with the same scores, best first, equal scores in order of arrival."""
    doc_ids, scores = found(workspace, text)
    expected = {doc_id + shift: score for doc_id, score in reference_corpus.scores(text).items()}
    assert dict(zip(doc_ids, scores, strict=True)) == pytest.approx(expected, rel=1e-12)
    assert doc_ids == sorted(doc_ids, key=lambda doc_id: (-scores[doc_ids.index(doc_id)], doc_id))


@pytest.mark.parametrize("text", QUERIES)
def test_the_ranking_is_that_of_the_reference_over_all_documents(workspace, reference_corpus, text):
    assert_ranks_like_the_reference(workspace, reference_corpus, text)
    assert found(workspace, text)[0] == reference_corpus.search(text, EVERYTHING)


@given(st.lists(st.sampled_from([*WORDS, "zzyzx", "exploring", "Javanese"]), max_size=6).map(" ".join))
@settings(deadline=None, max_examples=60)
def test_any_words_are_ranked_like_the_reference(workspace, reference_corpus, text):
    assert_ranks_like_the_reference(workspace, reference_corpus, text)


@given(st.lists(st.tuples(texts(8), texts(30)), min_size=1, max_size=6), texts(12))
@settings(deadline=None, max_examples=20)
def test_any_documents_are_ranked_like_the_reference(build, pairs, text):
    documents = [Document(str(i), title, body) for i, (title, body) in enumerate(pairs)]
    workspace, reference_corpus = build(documents), ReferenceCorpus(documents)
    assert_ranks_like_the_reference(workspace, reference_corpus, text)
    assert_ranks_like_the_reference(workspace, reference_corpus, pairs[0][1][:12])


@pytest.mark.parametrize("size", [6, 25])
def test_several_segments_have_the_results_of_one(build, workspace, size):
    pieces = build(*(DOCUMENTS[i : i + size] for i in range(0, len(DOCUMENTS), size)))
    assert len(pieces.corpus.segments) > 1
    for text in QUERIES:
        assert found(pieces, text) == found(workspace, text)


@pytest.mark.parametrize("text", QUERIES)
def test_a_smaller_limit_gives_a_prefix_of_the_same_list(workspace, text):
    doc_ids, scores = found(workspace, text)
    assert len(doc_ids) > 3
    assert found(workspace, text, 3) == (doc_ids[:3], scores[:3])


def test_a_batch_has_the_results_of_its_texts_one_by_one(workspace):
    batch = ["zzyzx", *QUERIES, ""]
    results = workspace.expander.engine.search_documents(parse_queries(batch, workspace.corpus), 20)
    for number, text in enumerate(batch):
        part = slice(results.indptr[number], results.indptr[number + 1])
        assert (results.documents[part].tolist(), results.scores[part].tolist()) == found(workspace, text, 20)


def test_a_result_locates_its_document(build):
    pieces = build(DOCUMENTS[:20], DOCUMENTS[20:])
    results = pieces.expander.engine.search_documents(parse_queries(QUERIES, pieces.corpus), 50)
    by_id = live_documents(pieces.corpus)
    for doc_id, segment_id, ordinal in zip(
        results.documents, results.segment_ids, results.ordinals, strict=True
    ):
        assert results.segments[segment_id].document(int(ordinal)) == by_id[int(doc_id)]


def test_the_same_documents_indexed_twice_are_ranked_alike(build, workspace):
    again = build(DOCUMENTS)
    for text in QUERIES:
        assert found(again, text) == found(workspace, text)


def test_deleted_and_replaced_documents_are_never_found(build):
    workspace = build(DOCUMENTS)
    workspace.corpus.remove([document.id for document in DOCUMENTS[::3]])
    workspace.corpus.add([Document(document.id, "replaced") for document in DOCUMENTS[1::6]])
    workspace = workspace.reopen()
    gone = {*range(0, len(DOCUMENTS), 3), *range(1, len(DOCUMENTS), 6)}
    for text in QUERIES:
        doc_ids = set(found(workspace, text)[0])
        assert doc_ids
        assert not doc_ids & gone


def test_after_deletions_scores_are_those_of_the_documents_left(build):
    workspace = build(DOCUMENTS)
    workspace.corpus.remove([document.id for document in DOCUMENTS[:20]])
    workspace, reference_corpus = workspace.reopen(), ReferenceCorpus(DOCUMENTS[20:])
    assert len(workspace.corpus.tombstones) == 20
    for text in QUERIES:
        assert_ranks_like_the_reference(workspace, reference_corpus, text, shift=20)


def test_deleted_documents_do_not_displace_live_ones(build):
    deleted = [Document(f"deleted-{i}", "comet", "comet") for i in range(310)]
    live = [Document(f"live-{i}", "", "comet " + "and other words " * 20) for i in range(390)]
    workspace = build([*deleted, *live])
    workspace.corpus.remove([document.id for document in deleted])
    assert len(workspace.reopen().expander.engine.search("comet", 5)) == 5


def test_an_index_of_other_documents_is_refused(build):
    workspace = build(DOCUMENTS)
    engine = TantivyEngine(workspace.corpus)
    engine.live[0] = engine.live[0][:1]
    stems = parse_queries([DOCUMENTS[1].title], workspace.corpus).stems
    with pytest.raises(DamagedFile, match="documents that the segment does not have"):
        list(engine.propose([stems], 0, 5))


def test_files_of_the_index_may_be_read_by_those_who_may_read_the_others(build):
    (segment,) = build(DOCUMENTS[:2]).corpus.segments
    modes = {path.stat().st_mode & 0o777 for path in segment.folder.rglob("*") if path.is_file()}
    assert modes == {(segment.folder / "tokens.npy").stat().st_mode & 0o777}


def test_a_corpus_without_documents_finds_nothing(build):
    empty = build()
    assert TantivyEngine(empty.corpus).search("anything", 5) == []


def test_no_queries_have_no_results(workspace):
    results = workspace.expander.engine.search_documents(parse_queries([], workspace.corpus), 5)
    assert results.indptr.tolist() == [0]
    assert len(results.documents) == 0


def test_hits_have_the_document_and_the_matching_passage(workspace):
    best = workspace.expander.engine.search("volcano Krakatoa", 3)[0]
    assert (best.document_id, best.title, best.url) == (
        "island-7",
        "Krakatoa",
        "https://example.org/island/7",
    )
    assert "The volcano Krakatoa exploded in 1883" in best.snippet
    assert best.snippet.endswith(" …")
    assert len(best.snippet) < 300


def test_a_query_has_its_distinct_stems_the_rarest_first(workspace):
    queries = parse_queries(["The islands of the island Krakatoa zzyzx"], workspace.corpus)
    stems, idf = queries.terms(0)
    vocabulary = workspace.corpus.vocabulary
    assert stems[0] < 0  # an unknown word is the rarest of all
    assert [vocabulary.word(int(stem)) for stem in stems[1:]] == ["krakatoa", "island", "of", "the"]
    assert (np.diff(idf) <= 0).all()


def test_of_a_long_text_the_64_rarest_stems_are_searched(workspace):
    queries = parse_queries([" ".join(WORDS)], workspace.corpus)
    stems, idf = queries.terms(0)
    assert len(stems) == len(set(stems.tolist())) == 64
    everything = workspace.corpus.statistics.stem_idf[workspace.corpus.statistics.stem_df > 0]
    assert idf.tolist() == sorted(everything.tolist(), reverse=True)[:64]
