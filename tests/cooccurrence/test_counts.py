"""Co-occurrence counts on disk: after any changes they equal a count of the current documents."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counted import LISTED, check, make_documents, metadata, parts, phrases_of, words_of
from live_documents import live_documents
from querykin import Document
from querykin.cooccurrence.counts import MAX_PARTS, MIN_PHRASE_COOCCURRENCES, CooccurrenceCounts
from querykin.cooccurrence.phrases import Phrases
from querykin.text.tokenizer import tokenize
from reference.cooccurrence import ReferenceCooccurrence
from strategies import texts
from topics import DOCUMENTS

ids = st.sampled_from("123456")
word_texts = st.lists(st.sampled_from("abcdef"), max_size=12).map(" ".join)
documents = st.builds(Document, id=ids, title=word_texts, text=word_texts)
changes = st.lists(
    st.one_of(
        st.lists(documents, min_size=1, max_size=4).map(lambda batch: ("add", batch)),
        st.lists(ids, min_size=1, max_size=2).map(lambda names: ("remove", names)),
        st.just(("count", None)),
    ),
    max_size=6,
)


@given(changes, st.sampled_from([64, 1000, 1 << 30]))
@settings(deadline=None, max_examples=50)
def test_after_any_changes_counts_equal_the_reference(build, changes, limit):
    workspace = build()
    corpus, known = workspace.corpus, set()
    counted = CooccurrenceCounts(workspace.path / "cooccurrence")
    for verb, what in [*changes, ("count", None)]:
        if verb == "add":
            corpus.add(what)
            known |= {document.id for document in what}
        elif verb == "remove" and set(what) <= known:
            corpus.remove(what)
            known -= set(what)
        elif verb == "count":
            counted.update(corpus, lambda: Phrases.of(LISTED), max_bytes=limit)
            check(corpus, counted)
            assert not counted.is_stale(corpus)


@given(st.lists(st.builds(Document, id=ids, title=texts(10), text=texts(30)), min_size=1, max_size=3))
@settings(deadline=None, max_examples=30)
def test_counts_of_texts_of_any_characters_equal_the_reference(build, batch):
    workspace = build(batch)
    counted = CooccurrenceCounts(workspace.path / "cooccurrence")
    counted.update(workspace.corpus, lambda: Phrases.of(["valentine's rock", "of the", "3.14"]))
    reference = ReferenceCooccurrence.over(live_documents(workspace.corpus).values())
    assert words_of(workspace.corpus, counted) == {
        w: reference.of((w,)) for w, n in reference.marginals.items() if n
    }


def test_counts_of_a_corpus_of_five_topics_equal_the_reference(counting):
    listed = [document.title for document in DOCUMENTS]
    corpus, _ = counting(DOCUMENTS)
    counted = CooccurrenceCounts(corpus._store.path.parent / "counted")
    counted.update(corpus, lambda: Phrases.of(listed))
    reference = ReferenceCooccurrence.over(DOCUMENTS, listed)
    assert words_of(corpus, counted) == {w: reference.of((w,)) for w, n in reference.marginals.items() if n}
    phrases = [" ".join(phrase) for phrase in reference.phrases]
    assert phrases_of(corpus, counted, phrases) == {
        text: reference.of(tuple(text.split())) for text in phrases if reference.of(tuple(text.split()))
    }
    frequent = set(counted.phrases.hashes[counted.frequent_phrases])
    assert frequent == {Phrases.of([" ".join(phrase)]).hashes[0] for phrase in reference.frequent_phrases}
    assert 0 < len(frequent) < len(phrases)


def test_contexts_cross_from_title_to_body(counting):
    corpus, counted = counting([Document("1", "a b", "c d e")])
    found = words_of(corpus, counted)
    assert found["b"] == {"a": 1, "c": 1, "d": 1, "e": 1}
    assert found["a"] == {"b": 1, "c": 1, "d": 1}
    assert phrases_of(corpus, counted, ["a b c"]) == {"a b c": {"d": 1, "e": 1}}


@pytest.mark.parametrize("limit", [0, 64, 1000])
def test_little_memory_gives_the_same_counts(build, limit):
    workspace = build(DOCUMENTS[::3])
    listed = [document.title for document in DOCUMENTS]
    much, little = (CooccurrenceCounts(workspace.path / name) for name in ("much", "little"))
    much.update(workspace.corpus, lambda: Phrases.of(listed))
    little.update(workspace.corpus, lambda: Phrases.of(listed), max_bytes=limit)
    for kind in (False, True):
        units = np.arange(len(much.phrases) if kind else workspace.corpus.vocabulary.count)
        for left, right in pairwise(counted.rows(units, kind) for counted in (much, little)):
            assert left.indptr.tolist() == right.indptr.tolist()
            assert left.features.tolist() == right.features.tolist()
            assert left.weights.tolist() == right.weights.tolist()
    assert much.marginals.tolist() == little.marginals.tolist()


def test_new_documents_are_counted_in_a_separate_part(counting):
    first, second = make_documents("a b c d", "a b a b"), [Document("new", "a b c", "d e a b")]
    corpus, counted = counting(first)
    old = metadata(counted)["parts"]
    corpus.add(second)
    counted.update(corpus, lambda: Phrases.of(LISTED))
    assert metadata(counted)["parts"][:1] == old
    assert parts(counted) == 2
    check(corpus, counted)
    at_once, whole = counting([*first, *second])
    assert words_of(corpus, counted) == words_of(at_once, whole)
    assert phrases_of(corpus, counted, LISTED) == phrases_of(at_once, whole, LISTED)
    assert counted.marginals.tolist() == whole.marginals.tolist()


def test_new_words_of_later_documents_are_counted_with_old_ones(counting):
    corpus, counted = counting(make_documents("a b"), [Document("x", "", "y a z"), Document("y", "", "y b")])
    assert parts(counted) == 2
    assert words_of(corpus, counted) == {
        "a": {"b": 1, "y": 1, "z": 1},
        "b": {"a": 1, "y": 1},
        "y": {"a": 1, "z": 1, "b": 1},
        "z": {"y": 1, "a": 1},
    }


def test_words_added_after_counting_have_empty_rows(counting):
    corpus, counted = counting(make_documents("a b"))
    corpus.add([Document("new", "", "y z")])
    (new,) = corpus.vocabulary.lookup(tokenize(["z"]))
    assert new >= len(counted.marginals)
    rows = counted.rows(np.array([new, new + 100]), False)
    assert not rows.covered.any()


def test_after_a_removal_everything_is_counted_again(counting):
    corpus, counted = counting(make_documents("a b c", "a b d", "a b e"), [Document("new", "", "a b f")])
    assert parts(counted) == 2
    corpus.remove(["1"])
    counted.update(corpus, lambda: Phrases.of(LISTED))
    assert parts(counted) == 1
    check(corpus, counted)
    assert "d" not in words_of(corpus, counted)


def test_after_a_replacement_everything_is_counted_again(counting):
    corpus, counted = counting(make_documents("a b c", "a b d"), [Document("1", "", "e f")])
    assert parts(counted) == 1
    check(corpus, counted)


def test_documents_added_and_removed_between_two_counts_are_not_counted(counting):
    corpus, counted = counting(make_documents("a b c", "a b d"))
    corpus.add([Document("new", "", "e f"), Document("newer", "", "a f")])
    corpus.remove(["new"])
    counted.update(corpus, lambda: Phrases.of(LISTED))
    assert parts(counted) == 2
    check(corpus, counted)


def test_after_six_parts_everything_is_counted_again(counting):
    batches = [[Document(str(number), "", f"a b w{number}")] for number in range(MAX_PARTS + 2)]
    corpus, counted = counting(*batches[:MAX_PARTS])
    assert parts(counted) == MAX_PARTS
    check(corpus, counted)
    for batch, expected in zip(batches[MAX_PARTS:], (1, 2), strict=True):
        corpus.add(batch)
        counted.update(corpus, lambda: Phrases.of(LISTED))
        assert parts(counted) == expected
        check(corpus, counted)


def test_a_rebuild_counts_everything_with_the_current_phrases(counting):
    corpus, counted = counting(make_documents("a b c"), [Document("new", "", "a b d")])
    counted.update(corpus, lambda: Phrases.of(["b c"]), rebuild=True)
    assert parts(counted) == 1
    check(corpus, counted, ["b c"])


def test_phrases_are_listed_only_when_everything_is_counted(counting):
    corpus, counted = counting(make_documents("a b c"))
    corpus.add([Document("new", "", "a b d")])
    counted.update(corpus, lambda: pytest.fail("phrases were listed"))
    check(corpus, counted)


def test_counts_do_not_depend_on_segments(counting):
    corpus, counted = counting(DOCUMENTS[:20], DOCUMENTS[20:40], DOCUMENTS[40:])
    at_once, whole = counting(DOCUMENTS)
    assert words_of(corpus, counted) == words_of(at_once, whole)


def occurrences(*sizes: int) -> list[Document]:
    """Documents in each of which [new york] has so many context words."""
    filler = [f"w{number}" for number in range(6)]
    return make_documents(*(" ".join([*filler[:3], "new york", *filler[3:]][: size + 1]) for size in sizes))


def test_a_phrase_with_thirty_co_occurrences_is_frequent_and_one_with_fewer_is_not(counting):
    place = np.searchsorted(Phrases.of(LISTED).hashes, Phrases.of(["new york"]).hashes[0])
    assert MIN_PHRASE_COOCCURRENCES == 30
    _, enough = counting(occurrences(6, 6, 6, 6, 6))
    _, few = counting(occurrences(6, 6, 6, 6, 5))
    assert enough.rows(np.array([place]), True).weights.sum() == 30
    assert few.rows(np.array([place]), True).weights.sum() == 29
    assert enough.frequent_phrases.tolist() == [number == place for number in range(len(LISTED))]
    assert not few.frequent_phrases.any()


def test_the_counts_of_a_phrase_add_up_over_parts(counting):
    more = [Document("more", "", "w0 w1 w2 new york w3")]
    corpus, counted = counting(occurrences(6, 6, 6, 6, 5))
    assert not counted.frequent_phrases.any()
    corpus.add(more)
    counted.update(corpus, lambda: Phrases.of(LISTED))
    assert parts(counted) == 2
    assert counted.frequent_phrases.sum() == 1
    check(corpus, counted)


def test_another_corpus_in_the_same_folder_is_counted_again(counting):
    _, counted = counting(make_documents("a b c", "a b d"))
    other, _ = counting(make_documents("f e d", "f a", "f b"))
    assert counted.is_stale(other)
    counted.update(other, lambda: Phrases.of(LISTED))
    assert parts(counted) == 1
    check(other, counted)


def test_an_empty_corpus_has_no_counts(counting):
    corpus, counted = counting(make_documents("a b c"))
    corpus.remove(["0"])
    counted.update(corpus, lambda: Phrases.of(LISTED))
    check(corpus, counted)
    assert counted.total == 0
    never = counting()[1]
    assert len(never.rows(np.array([0, 5]), False).features) == 0
    assert (never.total, len(never.phrases), len(never.frequent_phrases), len(never.marginals)) == (
        0,
        0,
        0,
        0,
    )
