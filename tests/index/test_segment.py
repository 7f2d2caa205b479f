"""Segments of an index: what is written is read, and joined segments are those rows written at once."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.compute.arrays import make_indptr
from querykin.index.posting_blocks import BLOCK
from querykin.index.segment import IndexSegment, SegmentRows, merge, write_segment
from querykin.vectors import QUANTIZATION_LEVELS, Vectors
from reference.vectors import Row

weight = st.integers(1, 40).map(lambda n: n / 8)
row = st.dictionaries(st.integers(-3, 6), weight, max_size=5)
# What a segment holds of one query: its row, the documents behind it, the score of the last one.
entry = st.tuples(
    row, st.lists(st.integers(0, 50), max_size=4).map(sorted), st.sampled_from([0.0, 1.5, np.inf])
)
segments = st.lists(st.dictionaries(st.integers(0, 30), entry, max_size=8), min_size=1, max_size=5)


def written(
    folder: Path, entries: dict[int, tuple[Row, list[int], float]], layout: str = "postings"
) -> IndexSegment:
    """Write entries, which are given by the numbers of their queries."""
    folder.mkdir()
    numbers = sorted(entries)
    rows, documents, last_scores = (
        zip(*(entries[n] for n in numbers), strict=True) if numbers else ((), (), ())
    )
    parts = [part for row in rows for part in sorted(row.items())]
    vectors = Vectors(
        make_indptr(map(len, rows)),
        np.array([feature for feature, _ in parts], np.int64),
        np.array([weight for _, weight in parts], np.float64),
        "s",
    )
    behind = np.array([document for some in documents for document in some], np.int64)
    last = np.array(last_scores, np.float64)
    sizes = np.array(numbers, np.float64) / 3
    rows = SegmentRows(
        np.array(numbers, np.int64), vectors, sizes, make_indptr(map(len, documents)), behind, last
    )
    write_segment(folder, rows, layout)
    return IndexSegment(folder)


def entries(segment: IndexSegment) -> dict[int, tuple[Row, list[int], float]]:
    """What a segment holds, by the numbers of its queries."""
    rows: list[Row] = [{} for _ in range(len(segment))]
    for feature, part in lists(segment).items():
        for row, weight in part:
            rows[row][feature] = weight
    behind: list[list[int]] = [[] for _ in range(len(segment))]
    for row, document in zip(*(side.tolist() for side in segment.documents()), strict=True):
        behind[row].append(document)
    held = zip(rows, behind, segment.last_scores.tolist(), strict=True)
    return dict(zip(segment.query_ids.tolist(), held, strict=True))


def lists(segment: IndexSegment) -> dict[int, list[tuple[int, float]]]:
    """The inverted lists that are not empty."""
    held = {feature: segment.rows.postings(feature) for feature in segment.rows.features.tolist()}
    return {
        feature: list(zip(*(side.tolist() for side in part), strict=True)) for feature, part in held.items()
    }


def _answers(segment: IndexSegment, features, weights):
    """Everything that can be asked of lists."""
    size, tf_scaling = len(segment), np.zeros(len(features))
    yield segment.rows.dot_all(features, weights, tf_scaling, size)
    yield segment.rows.dot_rows(features, weights, tf_scaling, np.arange(size))
    yield from segment.rows.top(features, weights, np.ones(size, np.bool_), 3)
    yield segment.rows.totals(features, np.ones(size, np.bool_))


@given(segments)
@settings(deadline=None, max_examples=40)
def test_what_is_written_is_read(given):
    with TemporaryDirectory() as folder:
        segment = written(Path(folder) / "s", given[0])
        assert entries(segment) == given[0]
        assert segment.query_ids.tolist() == sorted(given[0])
        assert all(part == sorted(part) for part in lists(segment).values())


@given(segments, st.sets(st.integers(0, 30)))
@settings(deadline=None, max_examples=60)
def test_joined_segments_are_their_living_rows_written_at_once(given, removed):
    """Of a query that several segments hold, the last one counts."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        parts = [written(folder / f"{i}", entries) for i, entries in enumerate(given)]
        newest = {number: i for i, entries in enumerate(given) for number in entries}
        live = [
            np.array([newest[n] == i and n not in removed for n in part.query_ids.tolist()], np.bool_)
            for i, part in enumerate(parts)
        ]
        (folder / "joined").mkdir()
        merge(folder / "joined", parts, live)
        joined = IndexSegment(folder / "joined")
        live_ids = {n: given[i][n] for n, i in newest.items() if n not in removed}
        at_once = written(folder / "at once", live_ids)
        assert entries(joined) == live_ids
        assert lists(joined) == lists(at_once)
        query = np.arange(6), np.linspace(1, 2, 6)
        for one, other in zip(_answers(joined, *query), _answers(at_once, *query), strict=True):
            assert one.tolist() == other.tolist()
        for name in ("query_ids", "candidate_stats", "last_scores"):
            assert getattr(joined, name).tolist() == getattr(at_once, name).tolist()
            assert getattr(joined, name).dtype == getattr(at_once, name).dtype


def test_segments_without_a_living_row_are_joined_to_an_empty_one(tmp_path):
    parts = [written(tmp_path / "0", {3: ({1: 1.0}, [7], 2.0)}), written(tmp_path / "1", {5: ({}, [], 0.0)})]
    (tmp_path / "joined").mkdir()
    merge(tmp_path / "joined", parts, [np.zeros(1, np.bool_)] * 2)
    assert entries(IndexSegment(tmp_path / "joined")) == {}


def test_weights_are_kept_in_single_precision(tmp_path):
    segment = written(tmp_path / "s", {0: ({1: 1 / 7}, [], 0.0)})
    assert segment.rows.weights.dtype == np.float32
    assert lists(segment) == {1: [(0, pytest.approx(1 / 7, abs=1e-7))]}


def test_rows_beyond_a_block_are_found_and_joined(tmp_path):
    """Numbers of rows take 16 bits: the row after the 65,536th is the first of another block."""
    size = BLOCK + 3000
    wanted = {7: [0, BLOCK - 1, BLOCK, size - 1], 9: [BLOCK + 5]}
    rows = {n: ({}, [], 0.0) for n in range(size)}
    rows |= {n: ({f: 0.5 + f / 100 for f, some in wanted.items() if n in some}, [], 0.0) for n in range(size)}
    whole = written(tmp_path / "whole", rows)
    odd = written(tmp_path / "odd", {n: row for n, row in rows.items() if n % 2})
    even = written(tmp_path / "even", {n: row for n, row in rows.items() if not n % 2})
    (tmp_path / "joined").mkdir()
    merge(tmp_path / "joined", [odd, even], [np.ones(len(part), np.bool_) for part in (odd, even)])
    for segment in (whole, IndexSegment(tmp_path / "joined")):
        assert {f: sorted(r for r, _ in part) for f, part in lists(segment).items()} == wanted
        query = np.array([7, 9]), np.array([1.0, 1.0])
        values = segment.rows.dot_all(*query, np.zeros(2), len(segment))
        assert np.flatnonzero(values).tolist() == sorted({*wanted[7], *wanted[9]})
        assert segment.rows.top(*query, np.ones(size, np.bool_), 1)[0].tolist() == [BLOCK + 5]
        assert segment.rows.totals(np.array([7]), np.ones(size, np.bool_)) == pytest.approx([4 * 0.57])
        assert np.flatnonzero(segment.filled).tolist() == sorted({*wanted[7], *wanted[9]})


def test_counts_are_kept_as_counts_and_joined_with_other_weights_in_single_precision(tmp_path):
    counts = written(tmp_path / "a", {0: ({1: 3.0, 2: 65535.0}, [], 0.0)})
    others = written(tmp_path / "b", {1: ({1: 0.5, 2: 65536.0}, [], 0.0)})
    assert (counts.rows.weights.dtype, others.rows.weights.dtype) == (np.uint16, np.float32)
    (tmp_path / "joined").mkdir()
    merge(tmp_path / "joined", [counts, others], [np.ones(1, np.bool_)] * 2)
    assert lists(IndexSegment(tmp_path / "joined")) == {
        1: [(0, 3.0), (1, 0.5)],
        2: [(0, 65535.0), (1, 65536.0)],
    }


@given(segments, st.sets(st.integers(0, 30)))
@settings(deadline=None, max_examples=40)
def test_matrices_are_joined_like_lists(given, removed):
    given = [
        {n: ({f: w for f, w in e[0].items() if f >= 0}, *e[1:]) for n, e in some.items()} for some in given
    ]
    with TemporaryDirectory() as name:
        folder = Path(name)
        parts = [written(folder / f"{i}", entries, layout="dense") for i, entries in enumerate(given)]
        newest = {number: i for i, entries in enumerate(given) for number in entries}
        live = [
            np.array([newest[n] == i and n not in removed for n in part.query_ids.tolist()], np.bool_)
            for i, part in enumerate(parts)
        ]
        (folder / "joined").mkdir()
        merge(folder / "joined", parts, live)
        joined = IndexSegment(folder / "joined")
        live_ids = {n: given[i][n][0] for n, i in sorted(newest.items()) if n not in removed}
        assert joined.query_ids.tolist() == list(live_ids)
        query = np.arange(9), np.arange(9) / 7, np.zeros(9)
        expected = [sum(w * f / 7 for f, w in row.items()) for row in live_ids.values()]
        assert joined.rows.dot_all(*query, len(joined)) == pytest.approx(expected, abs=1e-5)


def test_segments_without_living_rows_join_to_an_empty_one(tmp_path):
    vectors = Vectors(np.array([0, 1]), np.array([7]), np.array([1.0]), "s")
    for name in ("a", "b", "joined"):
        (tmp_path / name).mkdir()
    none = np.zeros(0, np.int64)
    for number, name in enumerate(("a", "b")):
        rows = SegmentRows(np.array([number]), vectors, np.ones(1), np.zeros(2, np.int64), none, np.zeros(1))
        write_segment(tmp_path / name, rows)
    merge(
        tmp_path / "joined",
        [IndexSegment(tmp_path / "a"), IndexSegment(tmp_path / "b")],
        [np.array([False])] * 2,
    )
    assert len(IndexSegment(tmp_path / "joined")) == 0


def test_packed_segments_are_joined_like_lists(tmp_path):
    rows = {n: ({n % 5: 0.5, 7 + n % 3: 12_345 / QUANTIZATION_LEVELS}, [n], 1.5) for n in range(40)} | {
        40: ({}, [], 0.0)
    }
    parts = [
        written(tmp_path / f"{k}", {n: rows[n] for n in rows if n % 3 == k}, "block-max") for k in range(3)
    ]
    (tmp_path / "joined").mkdir()
    live = [part.query_ids != 7 for part in parts]
    merge(tmp_path / "joined", parts, live)
    joined = IndexSegment(tmp_path / "joined")
    first, features, steps = joined.rows.read(np.arange(len(joined)))
    held = {
        number: dict(zip(features[a:b].tolist(), (steps[a:b] / QUANTIZATION_LEVELS).tolist(), strict=True))
        for number, a, b in zip(joined.query_ids.tolist(), first[:-1], first[1:], strict=True)
    }
    assert held == {
        n: pytest.approx(row, abs=1 / QUANTIZATION_LEVELS) for n, (row, *_) in rows.items() if n != 7
    }
    assert joined.filled.tolist() == [n != 40 for n in joined.query_ids.tolist()]
    assert np.bincount(joined.documents()[0], minlength=len(joined)).tolist() == [1] * 39 + [0]
