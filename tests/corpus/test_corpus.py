"""The corpus equals a dictionary of documents after any sequence of additions and removals."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from live_documents import counts, live_documents, streams
from querykin import Document, InputError, QuerykinError, Workspace
from querykin.corpus.corpus import Corpus
from querykin.corpus.corpus_state import MAX_SEGMENTS
from querykin.types import Change
from reference import tokenizer as reference_tokenizer
from reference.statistics import recount
from reference.vocabulary import ReferenceVocabulary
from strategies import texts

ids = st.sampled_from("abcdef")
documents = st.builds(Document, id=ids, title=texts(10), text=texts(30))
sources = st.sampled_from(["console", "shop", "default"])
batch = st.lists(documents, max_size=4)
changes = st.lists(
    st.one_of(
        st.tuples(st.just("add"), batch, sources),
        st.tuples(st.just("replace"), batch, sources),
        st.tuples(st.just("remove"), st.lists(ids, min_size=1, max_size=3), sources),
        st.tuples(st.just("remove source"), st.just(()), sources),
    ),
    max_size=12,
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


def stored(document: Document) -> Document:
    """Lone surrogates are not text: they are stored as question marks."""
    title, text = (part.encode("utf-8", "replace").decode() for part in (document.title, document.text))
    return replace(document, title=title, text=text)


Known = dict[str, tuple[Document, str]]  # by id: the document and its source


def expected(known: Known, verb: str, what: list, source: str) -> tuple[Known, Change]:
    """The documents after an operation on a plain dictionary, and what has changed."""
    if verb == "remove":
        after = {name: value for name, value in known.items() if name not in what}
        return after, Change(removed=len(known) - len(after))
    given = {document.id: (document, source) for document in what}
    kept = known
    if verb != "add":
        kept = {n: value for n, value in known.items() if value[1] != source or n in given}
    return kept | given, Change(
        added=len(given.keys() - known.keys()),
        replaced=sum(known.get(name, value) != value for name, value in given.items()),
        repeated=len(what) - len(given),
        removed=len(known) - len(kept),
        unchanged=sum(known.get(name) == value for name, value in given.items()),
    )


def perform(corpus: Corpus, verb: str, what: list, source: str, dry_run: bool = False) -> Change:
    if verb == "remove":
        return corpus.remove(what)
    if verb == "remove source":
        return corpus.remove_source(source, dry_run=dry_run)
    return corpus.add(what, source=source, replace=verb == "replace", dry_run=dry_run)


def sizes(known: Known) -> dict[str, int]:
    return dict(Counter(source for _, source in known.values()))


@given(changes, st.booleans())
@settings(deadline=None, max_examples=40)
def test_after_any_changes_documents_sources_and_statistics_equal_a_dictionary(build, changes, reopen):
    known: Known = {}
    workspace, vocabulary = build(), ReferenceVocabulary()
    for operation in changes:
        workspace = workspace.reopen() if reopen else workspace
        corpus = workspace.corpus
        verb, what, source = operation
        if (verb == "remove" and not set(what) <= known.keys()) or (
            verb == "remove source" and source not in sizes(known)
        ):
            with pytest.raises(QuerykinError):
                perform(corpus, *operation)
            continue
        after, change = expected(known, *operation)
        generation = corpus.generation
        if verb != "remove":
            assert perform(corpus, *operation, dry_run=True) == change
            assert (corpus.generation, corpus.sources()) == (generation, sizes(known))
        assert perform(corpus, *operation) == change
        assert (corpus.generation > generation) == bool(change)
        known = after
        if change and verb != "remove":  # what is not committed leaves no words behind
            vocabulary.add([word for each in what for word in reference_tokenizer.words(text_of(each))])
        assert (len(corpus), corpus.sources()) == (len(known), sizes(known))
        texts_by_id = {name: document for name, (document, _) in known.items()}
        assert counts(corpus) == expected_counts(texts_by_id, vocabulary)
    stored_as = {
        document.id: (document, document.source) for document in workspace.reopen().corpus.documents()
    }
    assert stored_as == {name: (stored(document), source) for name, (document, source) in known.items()}
    assert corpus_is_intact(workspace)


def corpus_is_intact(workspace: Workspace) -> bool:
    return workspace.corpus._store.corrupted_files() == []


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
    corpus.add([Document("c"), Document("a", "changed")])
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


CATALOGUE = [Document(str(number), f"Product {number}", "a hose") for number in range(6)]


def test_the_same_documents_again_write_nothing(build):
    workspace = build()
    workspace.corpus.add(CATALOGUE, source="shop")
    files = sorted(path.name for path in workspace.path.rglob("*"))
    assert workspace.corpus.add(CATALOGUE, source="shop", replace=True) == Change(unchanged=6)
    assert workspace.corpus.generation == 1
    assert sorted(path.name for path in workspace.path.rglob("*")) == files


def test_a_changed_document_alone_is_written_again(build):
    corpus = build().corpus
    corpus.add(CATALOGUE)
    change = corpus.add([*CATALOGUE[1:], Document("0", "Product 0", "a longer hose")])
    assert change == Change(replaced=1, unchanged=5)
    assert [len(segment) for segment in corpus.segments] == [6, 1]


def test_an_equal_document_of_another_source_moves_there_and_keeps_its_statistics(build):
    corpus = build().corpus
    corpus.add(CATALOGUE, source="monday")
    version, segments = corpus.statistics.version, corpus.names
    assert corpus.add(CATALOGUE[2:], source="tuesday", replace=True) == Change(replaced=4)
    assert corpus.sources() == {"monday": 2, "tuesday": 4}
    assert (corpus.statistics.version, corpus.names) == (version, segments)
    assert corpus.remove_source("monday") == Change(removed=2)
    assert [document.id for document in corpus.documents("tuesday")] == ["2", "3", "4", "5"]


def test_documents_name_their_own_sources(build):
    corpus = build().corpus
    documents = [Document("a", source="x"), Document("b", source="y"), Document("c")]
    corpus.add(documents)
    assert corpus.sources() == {"default": 1, "x": 1, "y": 1}
    assert corpus.add([Document("d", source="x")], replace=True) == Change(added=1, removed=1)
    assert corpus.sources() == {"default": 1, "x": 1, "y": 1}


def test_the_last_of_two_documents_with_one_id_is_recognized_when_it_comes_again(build):
    corpus = build().corpus
    twice = [Document("a", "first"), Document("a", "second")]
    corpus.add(twice)
    generation = corpus.generation
    assert corpus.add(twice) == Change(repeated=1, unchanged=1)
    assert (corpus.generation, corpus.document("a").title) == (generation, "second")


@pytest.mark.parametrize("name", ["", " \t", "x" * 300, 3])
def test_a_source_needs_a_name(build, name):
    with pytest.raises(InputError, match="a source needs a name"):
        build().corpus.add(CATALOGUE, source=name)


def test_an_unknown_source_or_document_is_an_error_that_names_the_known(build):
    corpus = build().corpus
    with pytest.raises(InputError, match="nothing has been added yet"):
        corpus.remove_source("shop")
    corpus.add(CATALOGUE, source="shop")
    with pytest.raises(QuerykinError, match="did you mean 'shop'"):
        corpus.remove_source("shops")
    with pytest.raises(QuerykinError, match="unknown source"):
        list(corpus.documents("console"))
    with pytest.raises(InputError, match=r"no document '9' .* corpus list"):
        corpus.document("9")


def test_a_dry_run_in_a_new_workspace_creates_nothing(tmp_path):
    corpus = Workspace.open(tmp_path / "new").corpus
    assert corpus.add(CATALOGUE, source="shop", dry_run=True) == Change(added=6)
    assert not (tmp_path / "new").exists()


def test_sources_survive_merges_of_segments(build):
    corpus = build().corpus
    for number in range(3 * MAX_SEGMENTS):
        corpus.add([Document(f"{number}-{i}", "title") for i in range(3)], source=f"source {number % 3}")
        corpus.remove([f"{number}-0"])
    assert len(corpus.segments) <= MAX_SEGMENTS
    assert corpus.sources() == {f"source {n}": 2 * MAX_SEGMENTS for n in range(3)}
    assert all(
        document.source == f"source {int(document.id.split('-')[0]) % 3}" for document in corpus.documents()
    )
