"""Windows: where they stand, what they hold, and every stretch tried by the twin."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin import Document
from querykin.compute.threads import zeroed_scratch
from querykin.search.bm25 import mark, unmark
from querykin.search.query_parser import parse
from querykin.search.snippets import snippet
from querykin.search.windows import window, windows
from reference import windows as twin
from topics import QUERIES

WORDS = 8
# Eighths, so that sums are exact and equal weights are equal.
terms = st.dictionaries(st.integers(-2, WORDS - 1), st.integers(1, 24).map(lambda n: n / 8), max_size=5)


@st.composite
def streams(draw):
    """Words of a document and where they start: each word a few characters behind the one before."""
    steps = draw(st.lists(st.tuples(st.integers(0, WORDS - 1), st.integers(1, 40)), max_size=60))
    return [word for word, _ in steps], np.cumsum([step for _, step in steps], dtype=np.int64).tolist()


def cut(words, starts, weights, width):
    tokens, places = np.array(words, np.uint32) << 2, np.array(starts, np.uint32)
    stems = np.array(list(weights), np.int64)
    values = np.array(list(weights.values()), np.float64)
    with zeroed_scratch(np.int8, WORDS) as slot:
        mark(stems, slot)
        found = window(tokens, places, 0, len(words), np.arange(WORDS, dtype=np.int32), values, width, slot)
        unmark(stems, slot)
    return found


@given(streams(), terms, st.integers(1, 400))
@settings(deadline=None, max_examples=400)
def test_the_window_equals_the_twins(stream, weights, width):
    words, starts = stream
    assert cut(words, starts, weights, width) == twin.window(words, starts, weights, width)


@given(streams(), terms, st.integers(1, 400))
@settings(deadline=None, max_examples=200)
def test_a_window_begins_and_ends_within_its_width(stream, weights, width):
    words, starts = stream
    begin, end = cut(words, starts, weights, width)
    assert 0 <= begin <= end <= len(words)
    assert begin == end or starts[end - 1] - starts[begin] <= width


def every_tenth(count: int) -> list[int]:
    return list(range(0, 10 * count, 10))


def test_a_short_text_is_its_own_window():
    assert cut([0, 1, 2], [0, 10, 20], {1: 1.0}, 20) == (0, 3)


def test_a_text_without_the_words_shows_its_beginning():
    assert cut([0] * 100, every_tenth(100), {1: 1.0}, 200) == (0, 21)


def test_a_lone_word_stands_in_the_middle():
    words = [0] * 100
    words[50] = 1
    assert cut(words, every_tenth(100), {1: 1.0}, 200) == (40, 61)


def test_a_word_at_the_end_keeps_the_window_inside_the_text():
    assert cut([0] * 99 + [1], every_tenth(100), {1: 1.0}, 200) == (79, 100)


def test_two_different_words_weigh_more_than_one_repeated():
    words = [0] * 200
    words[20:30] = [1] * 10
    words[150], words[154] = 1, 2
    begin, end = cut(words, every_tenth(200), {1: 1.0, 2: 1.0}, 200)
    assert (begin, end) == (142, 163)


def test_of_equally_heavy_places_the_one_with_more_matches_is_shown():
    words = [0] * 200
    words[20] = 1
    words[150] = words[151] = 1
    begin, end = cut(words, every_tenth(200), {1: 1.0}, 200)
    assert begin <= 150 < 151 < end


def test_windows_of_many_results_leave_the_title_out_and_answer_to_their_own_query(workspace):
    corpus = workspace.corpus
    (segment,), stem = corpus.segments, corpus.vocabulary.stem
    queries = parse(QUERIES, corpus)
    owners = np.repeat(np.arange(len(QUERIES)), len(segment))
    places = np.tile(np.arange(len(segment)), len(QUERIES))
    arrays = segment.tokens, segment.starts, segment.indptr, segment.title_lengths, stem
    asked = queries.indptr, queries.stems, queries.idf
    with zeroed_scratch(np.int8, len(stem)) as slot:
        begins, ends = windows(*arrays, places, owners, *asked, 300, slot)
    for owner, place, begin, end in zip(owners, places, begins, ends, strict=True):
        first, last = segment.indptr[place] + segment.title_lengths[place], segment.indptr[place + 1]
        stems = stem[segment.tokens[first:last] >> 2].tolist()
        weights = dict(zip(*(values.tolist() for values in queries.terms(owner)), strict=True))
        expected = twin.window(stems, segment.starts[first:last].tolist(), weights, 300)
        assert (begin - first, end - first) == expected


def test_a_snippet_is_text_with_dots_where_the_body_goes_on(build):
    document = Document("1", "The title", "One two three. Four  five\nsix!")
    (segment,) = build([document]).corpus.segments
    assert snippet(segment, 0, 2, 8) == "One two three. Four five six!"
    assert snippet(segment, 0, 2, 5) == "One two three. …"
    assert snippet(segment, 0, 5, 8) == "… Four five six!"
    assert snippet(segment, 0, 3, 4) == "… two …"
    assert snippet(segment, 0, 4, 4) == ""


def test_a_window_starts_where_the_decomposed_text_says(build):
    document = Document("1", "Cre\u0300me bru\u0302le\u0301e", "e\u0301te\u0301 word")
    (segment,) = build([document]).corpus.segments
    assert snippet(segment, 0, 2, 3) == "été …"
