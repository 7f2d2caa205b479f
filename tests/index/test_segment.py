"""Index segments round-trip, and a merged segment equals its live rows written at once."""

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
from reference.quantized_rows import quantized
from reference.vectors import Row

weight = st.integers(1, 40).map(lambda n: n / 8)
row = st.dictionaries(st.integers(-3, 6), weight, max_size=5)
# Entry of a query: its row, the documents of its results, the score of the last one.
entry = st.tuples(
    row, st.lists(st.integers(0, 50), max_size=4).map(sorted), st.sampled_from([0.0, 1.5, np.inf])
)
segments = st.lists(st.dictionaries(st.integers(0, 30), entry, max_size=8), min_size=1, max_size=5)


def written(
    folder: Path, entries: dict[int, tuple[Row, list[int], float]], layout: str = "postings"
) -> IndexSegment:
    """Write entries, given by query id."""
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
    documents_of_rows = np.array([document for result in documents for document in result], np.int64)
    last = np.array(last_scores, np.float64)
    sizes = np.array(numbers, np.float64) / 3
    rows = SegmentRows(
        np.array(numbers, np.int64), vectors, sizes, make_indptr(map(len, documents)), documents_of_rows, last
    )
    write_segment(folder, rows, layout)
    return IndexSegment(folder)


def entries(segment: IndexSegment) -> dict[int, tuple[Row, list[int], float]]:
    """The entries of a segment, by query id."""
    rows: list[Row] = [{} for _ in range(len(segment))]
    for feature, part in lists(segment).items():
        for row, weight in part:
            rows[row][feature] = weight
    documents_of_rows: list[list[int]] = [[] for _ in range(len(segment))]
    for row, document in zip(*(side.tolist() for side in segment.documents()), strict=True):
        documents_of_rows[row].append(document)
    values = zip(rows, documents_of_rows, segment.last_scores.tolist(), strict=True)
    return dict(zip(segment.query_ids.tolist(), values, strict=True))


def lists(segment: IndexSegment) -> dict[int, list[tuple[int, float]]]:
    """The nonempty posting lists, by feature."""
    postings = {feature: segment.rows.postings(feature) for feature in segment.rows.features.tolist()}
    return {
        feature: list(zip(*(side.tolist() for side in part), strict=True))
        for feature, part in postings.items()
    }


def _lookups(segment: IndexSegment, features, weights):
    """The results of every operation on posting lists."""
    size, tf_scaling = len(segment), np.zeros(len(features))
    yield segment.rows.dot_all(features, weights, tf_scaling, size)
    yield segment.rows.dot_rows(features, weights, tf_scaling, np.arange(size))
    yield from segment.rows.top(features, weights, np.ones(size, np.bool_), 3)
    yield segment.rows.totals(features, np.ones(size, np.bool_))


@given(segments)
@settings(deadline=None, max_examples=40)
def test_a_segment_round_trips(given):
    with TemporaryDirectory() as folder:
        segment = written(Path(folder) / "s", given[0])
        assert entries(segment) == given[0]
        assert segment.query_ids.tolist() == sorted(given[0])
        assert all(part == sorted(part) for part in lists(segment).values())


@given(segments, st.sets(st.integers(0, 30)))
@settings(deadline=None, max_examples=60)
def test_a_merged_segment_equals_its_live_rows_written_at_once(given, removed):
    """If several segments contain a query, the last one counts."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        parts = [written(folder / f"{i}", entries) for i, entries in enumerate(given)]
        newest = {number: i for i, entries in enumerate(given) for number in entries}
        live = [
            np.array([newest[n] == i and n not in removed for n in part.query_ids.tolist()], np.bool_)
            for i, part in enumerate(parts)
        ]
        (folder / "merged").mkdir()
        merge(folder / "merged", parts, live)
        merged = IndexSegment(folder / "merged")
        live_ids = {n: given[i][n] for n, i in newest.items() if n not in removed}
        at_once = written(folder / "at once", live_ids)
        assert entries(merged) == live_ids
        assert lists(merged) == lists(at_once)
        query = np.arange(6), np.linspace(1, 2, 6)
        for one, other in zip(_lookups(merged, *query), _lookups(at_once, *query), strict=True):
            assert one.tolist() == other.tolist()
        for name in ("query_ids", "candidate_stats", "last_scores"):
            assert getattr(merged, name).tolist() == getattr(at_once, name).tolist()
            assert getattr(merged, name).dtype == getattr(at_once, name).dtype


def test_posting_segments_without_live_rows_are_merged_to_an_empty_one(tmp_path):
    parts = [written(tmp_path / "0", {3: ({1: 1.0}, [7], 2.0)}), written(tmp_path / "1", {5: ({}, [], 0.0)})]
    (tmp_path / "merged").mkdir()
    merge(tmp_path / "merged", parts, [np.zeros(1, np.bool_)] * 2)
    assert entries(IndexSegment(tmp_path / "merged")) == {}


def test_weights_are_stored_in_single_precision(tmp_path):
    segment = written(tmp_path / "s", {0: ({1: 1 / 7}, [], 0.0)})
    assert segment.rows.weight_type == np.float32
    assert lists(segment) == {1: [(0, pytest.approx(1 / 7, abs=1e-7))]}


def test_rows_beyond_the_first_block_are_found_and_merged(tmp_path):
    """Row numbers have 16 bits: the row after the 65,536th is the first of another block."""
    size = BLOCK + 3000
    wanted = {7: [0, BLOCK - 1, BLOCK, size - 1], 9: [BLOCK + 5]}
    rows = {n: ({}, [], 0.0) for n in range(size)}
    rows |= {
        n: ({f: 0.5 + f / 100 for f, rows_of in wanted.items() if n in rows_of}, [], 0.0) for n in range(size)
    }
    whole = written(tmp_path / "whole", rows)
    odd = written(tmp_path / "odd", {n: row for n, row in rows.items() if n % 2})
    even = written(tmp_path / "even", {n: row for n, row in rows.items() if not n % 2})
    (tmp_path / "merged").mkdir()
    merge(tmp_path / "merged", [odd, even], [np.ones(len(part), np.bool_) for part in (odd, even)])
    for segment in (whole, IndexSegment(tmp_path / "merged")):
        assert {f: sorted(r for r, _ in part) for f, part in lists(segment).items()} == wanted
        query = np.array([7, 9]), np.array([1.0, 1.0])
        values = segment.rows.dot_all(*query, np.zeros(2), len(segment))
        assert np.flatnonzero(values).tolist() == sorted({*wanted[7], *wanted[9]})
        assert segment.rows.top(*query, np.ones(size, np.bool_), 1)[0].tolist() == [BLOCK + 5]
        assert segment.rows.totals(np.array([7]), np.ones(size, np.bool_)) == pytest.approx([4 * 0.57])
        assert np.flatnonzero(segment.filled).tolist() == sorted({*wanted[7], *wanted[9]})


def test_counts_are_stored_as_integers_and_merged_with_other_weights_in_single_precision(tmp_path):
    counts = written(tmp_path / "a", {0: ({1: 3.0, 2: 65535.0}, [], 0.0)})
    others = written(tmp_path / "b", {1: ({1: 0.5, 2: 65536.0}, [], 0.0)})
    assert (counts.rows.weight_type, others.rows.weight_type) == (np.uint16, np.float32)
    (tmp_path / "merged").mkdir()
    merge(tmp_path / "merged", [counts, others], [np.ones(1, np.bool_)] * 2)
    assert lists(IndexSegment(tmp_path / "merged")) == {
        1: [(0, 3.0), (1, 0.5)],
        2: [(0, 65535.0), (1, 65536.0)],
    }


def _quantized(row: Row) -> Row:
    weights = quantized([row.get(feature, 0.0) for feature in range(9)])
    return {feature: weight for feature, weight in enumerate(weights) if weight}


@given(segments, st.sets(st.integers(0, 30)))
@settings(deadline=None, max_examples=40)
def test_dense_segments_are_merged_like_posting_lists(given, removed):
    given = [{n: (_quantized(entry[0]), *entry[1:]) for n, entry in part.items()} for part in given]
    with TemporaryDirectory() as name:
        folder = Path(name)
        parts = [written(folder / f"{i}", entries, layout="dense") for i, entries in enumerate(given)]
        newest = {number: i for i, entries in enumerate(given) for number in entries}
        live = [
            np.array([newest[n] == i and n not in removed for n in part.query_ids.tolist()], np.bool_)
            for i, part in enumerate(parts)
        ]
        (folder / "merged").mkdir()
        merge(folder / "merged", parts, live)
        merged = IndexSegment(folder / "merged")
        live_ids = {n: given[i][n][0] for n, i in sorted(newest.items()) if n not in removed}
        assert merged.query_ids.tolist() == list(live_ids)
        query = quantized([f / 8 for f in range(9)])
        expected = [sum(w * query[f] for f, w in row.items()) for row in live_ids.values()]
        found = merged.rows.dot_all(np.arange(9), np.array(query), np.zeros(9), len(merged))
        assert found == pytest.approx(expected, abs=1e-5)


def test_segments_without_live_rows_are_merged_to_an_empty_one(tmp_path):
    vectors = Vectors(np.array([0, 1]), np.array([7]), np.array([1.0]), "s")
    for name in ("a", "b", "merged"):
        (tmp_path / name).mkdir()
    none = np.zeros(0, np.int64)
    for number, name in enumerate(("a", "b")):
        rows = SegmentRows(np.array([number]), vectors, np.ones(1), np.zeros(2, np.int64), none, np.zeros(1))
        write_segment(tmp_path / name, rows)
    merge(
        tmp_path / "merged",
        [IndexSegment(tmp_path / "a"), IndexSegment(tmp_path / "b")],
        [np.array([False])] * 2,
    )
    assert len(IndexSegment(tmp_path / "merged")) == 0


def test_block_max_segments_are_merged_like_posting_lists(tmp_path):
    rows = {n: ({n % 5: 0.5, 7 + n % 3: 12_345 / QUANTIZATION_LEVELS}, [n], 1.5) for n in range(40)} | {
        40: ({}, [], 0.0)
    }
    parts = [
        written(tmp_path / f"{k}", {n: rows[n] for n in rows if n % 3 == k}, "block-max") for k in range(3)
    ]
    (tmp_path / "merged").mkdir()
    live = [part.query_ids != 7 for part in parts]
    merge(tmp_path / "merged", parts, live)
    merged = IndexSegment(tmp_path / "merged")
    indptr, features, steps = merged.rows.read(np.arange(len(merged)))
    weights = {
        number: dict(zip(features[a:b].tolist(), (steps[a:b] / QUANTIZATION_LEVELS).tolist(), strict=True))
        for number, a, b in zip(merged.query_ids.tolist(), indptr[:-1], indptr[1:], strict=True)
    }
    assert weights == {
        n: pytest.approx(row, abs=1 / QUANTIZATION_LEVELS) for n, (row, *_) in rows.items() if n != 7
    }
    assert merged.filled.tolist() == [n != 40 for n in merged.query_ids.tolist()]
    assert np.bincount(merged.documents()[0], minlength=len(merged)).tolist() == [1] * 39 + [0]
