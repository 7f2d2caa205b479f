"""Passage windows: equal to trying every span, and worked cases."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin import Document
from querykin.compute.threads import zeroed_scratch
from querykin.search.bm25 import mark, unmark
from querykin.search.kernel_arrays import SegmentArrays, segment_arrays
from querykin.search.query_parser import parse_queries
from querykin.search.snippets import snippet
from querykin.search.windows import window, windows
from reference import windows as reference
from topics import QUERIES

WORDS = 8
# Eighths, so that sums are exact and equal weights are equal.
terms = st.dictionaries(st.integers(-2, WORDS - 1), st.integers(1, 24).map(lambda n: n / 8), max_size=5)


@st.composite
def streams(draw):
    """The words of a document and their character offsets."""
    steps = draw(st.lists(st.tuples(st.integers(0, WORDS - 1), st.integers(1, 40)), max_size=60))
    return [word for word, _ in steps], np.cumsum([step for _, step in steps], dtype=np.int64).tolist()


def window_of(words, starts, weights, width):
    tokens, offsets = np.array(words, np.uint32) << 2, np.array(starts, np.uint32)
    document = SegmentArrays(tokens, offsets, np.array([0, len(words)]), np.zeros(1, np.int32))
    stems = np.array(list(weights), np.int64)
    values = np.array(list(weights.values()), np.float64)
    stem = np.arange(WORDS, dtype=np.int32)
    with zeroed_scratch(np.int8, WORDS) as slots:
        mark(stems, slots)
        found = window(document, 0, len(words), stem, values, width, slots)
        unmark(stems, slots)
    return found


@given(streams(), terms, st.integers(1, 400))
@settings(deadline=None, max_examples=400)
def test_the_window_equals_the_reference(stream, weights, width):
    words, starts = stream
    assert window_of(words, starts, weights, width) == reference.window(words, starts, weights, width)


@given(streams(), terms, st.integers(1, 400))
@settings(deadline=None, max_examples=200)
def test_a_window_is_no_longer_than_its_width(stream, weights, width):
    words, starts = stream
    begin, end = window_of(words, starts, weights, width)
    assert 0 <= begin <= end <= len(words)
    assert begin == end or starts[end - 1] - starts[begin] <= width


def every_tenth(count: int) -> list[int]:
    return list(range(0, 10 * count, 10))


def test_the_window_of_a_short_text_is_the_whole_text():
    assert window_of([0, 1, 2], [0, 10, 20], {1: 1.0}, 20) == (0, 3)


def test_the_window_of_a_text_without_matches_is_its_beginning():
    assert window_of([0] * 100, every_tenth(100), {1: 1.0}, 200) == (0, 21)


def test_a_single_match_is_in_the_middle():
    words = [0] * 100
    words[50] = 1
    assert window_of(words, every_tenth(100), {1: 1.0}, 200) == (40, 61)


def test_a_match_at_the_end_keeps_the_window_inside_the_text():
    assert window_of([0] * 99 + [1], every_tenth(100), {1: 1.0}, 200) == (79, 100)


def test_two_different_words_weigh_more_than_one_repeated():
    words = [0] * 200
    words[20:30] = [1] * 10
    words[150], words[154] = 1, 2
    begin, end = window_of(words, every_tenth(200), {1: 1.0, 2: 1.0}, 200)
    assert (begin, end) == (142, 163)


def test_of_spans_of_equal_weight_the_one_with_more_matches_wins():
    words = [0] * 200
    words[20] = 1
    words[150] = words[151] = 1
    begin, end = window_of(words, every_tenth(200), {1: 1.0}, 200)
    assert begin <= 150 < 151 < end


def test_windows_of_many_results_exclude_titles_and_match_their_own_query(workspace):
    corpus = workspace.corpus
    (segment,), stem = corpus.segments, corpus.vocabulary.stem
    queries = parse_queries(QUERIES, corpus)
    query_of = np.repeat(np.arange(len(QUERIES)), len(segment))
    ordinals = np.tile(np.arange(len(segment)), len(QUERIES))
    with zeroed_scratch(np.int8, len(stem)) as slots:
        arrays = segment_arrays(segment, ordinals)
        begins, ends = windows(arrays, ordinals, query_of, queries.arrays, stem, 300, slots)
    for query, ordinal, begin, end in zip(query_of, ordinals, begins, ends, strict=True):
        first, last = segment.indptr[ordinal] + segment.title_lengths[ordinal], segment.indptr[ordinal + 1]
        stems = stem[segment.tokens[first:last] >> 2].tolist()
        weights = dict(zip(*(values.tolist() for values in queries.terms(query)), strict=True))
        expected = reference.window(stems, segment.starts[first:last].tolist(), weights, 300)
        assert (begin - first, end - first) == expected


def test_a_snippet_has_an_ellipsis_where_the_body_continues(build):
    document = Document("1", "The title", "One two three. Four  five\nsix!")
    (segment,) = build([document]).corpus.segments
    assert snippet(segment, 0, 2, 8) == "One two three. Four five six!"
    assert snippet(segment, 0, 2, 5) == "One two three. …"
    assert snippet(segment, 0, 5, 8) == "… Four five six!"
    assert snippet(segment, 0, 3, 4) == "… two …"
    assert snippet(segment, 0, 4, 4) == ""


def test_a_snippet_of_decomposed_text_starts_at_the_right_character(build):
    document = Document("1", "Cre\u0300me bru\u0302le\u0301e", "e\u0301te\u0301 word")
    (segment,) = build([document]).corpus.segments
    assert snippet(segment, 0, 2, 3) == "été …"
