"""The corpus equals a dictionary of documents after any sequence of additions and removals."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from live_documents import counts, live_documents, streams
from querykin import Document, InputError
from querykin.corpus.corpus import MAX_SEGMENTS, Change
from reference import tokenizer as reference_tokenizer
from reference.statistics import recount
from reference.vocabulary import ReferenceVocabulary
from strategies import texts

ids = st.sampled_from("abcdef")
documents = st.builds(Document, id=ids, title=texts(10), text=texts(30))
changes = st.lists(
    st.one_of(
        st.lists(documents, min_size=1, max_size=4).map(lambda batch: ("add", batch)),
        st.lists(ids, min_size=1, max_size=3).map(lambda names: ("remove", names)),
    ),
    max_size=8,
)


def text_of(document: Document) -> str:
    return f"{document.title}\n{document.text}"


def vocabulary_of(text: str) -> ReferenceVocabulary:
    vocabulary = ReferenceVocabulary()
    vocabulary.add(reference_tokenizer.words(text))
    return vocabulary


def expected_counts(known: dict[str, Document], vocabulary: ReferenceVocabulary) -> dict[str, object]:
    counted = recount(map(text_of, known.values()), vocabulary.root)
    return {
        "documents": counted.documents,
        "tokens": counted.tokens,
        "cf": dict(counted.cf),
        "df": dict(counted.df),
        "stem_df": dict(counted.stem_df),
    }


def by_id(corpus) -> dict[str, tuple[str, str]]:
    return {document.id: (document.title, document.text) for document in live_documents(corpus).values()}


def stored(document: Document) -> tuple[str, str]:
    """Lone surrogates are not text: they are stored as question marks."""
    return tuple(part.encode("utf-8", "replace").decode() for part in (document.title, document.text))


@given(changes)
@settings(deadline=None, max_examples=30)
def test_after_any_changes_documents_and_statistics_equal_a_recount(build, changes):
    known: dict[str, Document] = {}
    corpus, vocabulary = build().corpus, ReferenceVocabulary()
    for verb, what in changes:
        if verb == "add":
            change = corpus.add(what)
            vocabulary.add(
                [word for document in what for word in reference_tokenizer.words(text_of(document))]
            )
            names = {document.id for document in what}
            new, known_already = len(names - known.keys()), len(names & known.keys())
            assert change == Change(new, known_already, repeated=len(what) - len(names))
            known |= {document.id: document for document in what}
        elif set(what) <= known.keys():
            assert corpus.remove(what) == Change(removed=len(set(what)))
            known = {name: document for name, document in known.items() if name not in what}
        else:
            with pytest.raises(InputError, match="nothing was removed"):
                corpus.remove(what)
        assert len(corpus) == len(known)
        assert counts(corpus) == expected_counts(known, vocabulary)
    assert by_id(corpus) == {name: stored(document) for name, document in known.items()}
    assert corpus._store.corrupted_files() == []


@given(
    st.lists(
        documents,
        min_size=1,
        max_size=3,
        unique_by=lambda d: d.id,
    )
)
@settings(deadline=None, max_examples=30)
def test_stored_tokens_equal_the_reference(build, batch):
    corpus = build(batch).corpus
    last = {document.id: document for document in batch}
    for doc_id, found in streams(corpus).items():
        document = last[live_documents(corpus)[doc_id].id]
        tokens = reference_tokenizer.tokenize(f"{document.title}\n{document.text}")
        assert found == [(t.word, t.capitalised + 2 * t.sentence_start, t.start) for t in tokens]
    (segment,) = corpus.segments
    assert segment.title_lengths.tolist() == [
        len(reference_tokenizer.words(document.title)) for document in batch
    ]


def test_documents_come_back_as_they_were_given(build):
    given = [
        Document(
            "ünï/cødé \t'\"", "Crème brûlée", "e\u0301 😀 \0 \u2028 \r\n漢字", "https://example.org/?q=ä"
        ),
        Document("", "", "", "", {}),
        Document(
            "fields", "t", "x", "", {"year": 2006, "tags": ["a", "ß"], "deep": {"none": None, "pi": 3.14}}
        ),
        Document("long", "", "many words " * 100_000),
    ]
    found = live_documents(build(given).corpus)
    assert [found[doc_id] for doc_id in sorted(found)] == given


def test_doc_ids_ascend_in_the_order_of_arrival_and_are_never_reused(build):
    corpus = build().corpus
    corpus.add([Document("a"), Document("b")])
    corpus.add([Document("c"), Document("a")])
    corpus.remove(["c"])
    corpus.add([Document("c"), Document("d")])
    assert {doc_id: document.id for doc_id, document in live_documents(corpus).items()} == {
        1: "b",
        3: "a",
        4: "c",
        5: "d",
    }
    doc_ids = [doc_id for segment in corpus.segments for doc_id in segment.doc_ids.tolist()]
    assert all(a < b for a, b in pairwise(doc_ids))


def test_of_two_documents_with_one_id_in_one_input_the_last_counts(build):
    corpus = build([Document("a", "old")]).corpus
    assert corpus.add([Document("a", "first"), Document("b"), Document("a", "second")]) == Change(1, 1, 1)
    assert by_id(corpus) == {"b": ("", ""), "a": ("second", "")}


def test_removing_an_unknown_id_changes_nothing(build):
    corpus = build([Document("a", "x"), Document("b", "y")]).corpus
    before = corpus.info()
    with pytest.raises(InputError, match=r"'zzz'.*1 of 2"):
        corpus.remove(["a", "zzz"])
    assert corpus.info() == before
    assert by_id(corpus).keys() == {"a", "b"}


def test_a_removed_document_can_be_added_again(build):
    corpus = build([Document("a", "x"), Document("b", "y")]).corpus
    corpus.remove(["a"])
    with pytest.raises(InputError):
        corpus.remove(["a"])
    assert corpus.add([Document("a", "z")]) == Change(added=1)
    assert by_id(corpus) == {"b": ("y", ""), "a": ("z", "")}


def test_adding_nothing_changes_nothing(build):
    corpus = build([Document("a", "x")]).corpus
    before = corpus.info()
    assert corpus.add([]) == Change()
    assert corpus.info() == before


def test_everything_can_be_removed_and_added_again(build):
    corpus = build([Document("a", "x"), Document("b", "y")]).corpus
    corpus.remove(["b", "a"])
    assert (len(corpus), corpus.segments, live_documents(corpus)) == (0, [], {})
    corpus.add([Document("b", "x")])
    assert counts(corpus) == expected_counts({"b": Document("b", "x")}, vocabulary_of("x"))


def test_many_additions_merge_segments_and_readers_see_no_difference(build):
    batches = [
        [Document(f"{n}-{i}", f"Title {n}", f"word{n} shared. Next") for i in range(2)] for n in range(14)
    ]
    many, one = build(*batches).corpus, build([document for batch in batches for document in batch]).corpus
    assert 1 < len(many.segments) <= MAX_SEGMENTS
    assert len(one.segments) == 1
    assert live_documents(many) == live_documents(one)
    assert streams(many) == streams(one)
    assert counts(many) == counts(one)


def test_a_segment_with_a_majority_of_tombstones_is_rewritten(build):
    corpus = build([Document(str(i), f"word{i}", "text " * i) for i in range(9)]).corpus
    corpus.remove(["0", "1", "2", "3"])
    assert (len(corpus.segments[0]), len(corpus.tombstones)) == (9, 4)
    corpus.remove(["5"])
    assert (len(corpus.segments[0]), len(corpus.tombstones)) == (4, 0)
    assert corpus.segments[0].doc_ids.tolist() == [4, 6, 7, 8]
    assert by_id(corpus) == {str(i): (f"word{i}", "text " * i) for i in (4, 6, 7, 8)}
