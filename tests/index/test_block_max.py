"""Block-max pruning: the exact top k, equal to brute force, whatever the rows."""

import itertools
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.compute.arrays import make_indptr
from querykin.compute.threads import zeroed_scratch
from querykin.index import block_max_index
from querykin.index.block_max_index import BlockMaxIndex, merge_block_max_indexes, write_block_max_index
from querykin.index.block_max_layout import pages_of
from querykin.index.posting_lists import ROUNDING_SLACK
from querykin.vectors import QUANTIZATION_LEVELS, Vectors
from reference import top_k as reference
from reference.vectors import Row, unit

# Equal weights and few features make ties and duplicates; tiny weights are quantized to 0.
weight = st.one_of(st.sampled_from([1.0, 0.5, 2.0]), st.sampled_from([1e-30, 1e-4, 1e4]), st.floats(0.01, 9))
feature = st.one_of(st.integers(-4, 8), st.sampled_from([-(2**62), 2**62]))
row = st.dictionaries(feature, weight, max_size=8).map(unit)
rows = st.lists(row, max_size=40)


def vectors(rows: list[Row]) -> Vectors:
    parts = [part for row in rows for part in sorted(row.items())]
    made = Vectors(
        make_indptr(map(len, rows)),
        np.array([f for f, _ in parts], np.int64),
        np.array([w for _, w in parts], np.float64),
        "s",
    )
    return made.quantize()


def stored(rows: list[Row]) -> list[Row]:
    """Rows as they are on disk."""
    made = vectors(rows)
    return [dict(zip(*(side.tolist() for side in made.row(r)), strict=True)) for r in range(len(made))]


def write(folder: str, rows: list[Row]) -> BlockMaxIndex:
    write_block_max_index(Path(folder), vectors(rows))
    return BlockMaxIndex(Path(folder), len(rows))


def expect_brute_force(
    found, rows: list[Row], live: list[bool], query: Row, k: int, min_score: float
) -> None:
    """All of the top k, nothing below the slack of the last of them, and the right scores."""
    scores = {n: reference.inner_product(row, query) for n, row in enumerate(rows) if live[n]}
    reaching = {n: score for n, score in scores.items() if score > 0 and score >= min_score}
    best = sorted(reaching.values(), reverse=True)
    last = best[k - 1] if len(best) >= k else min_score
    numbers, values = found[0].tolist(), found[1].tolist()
    assert len(set(numbers)) == len(numbers)
    assert {n for n, score in reaching.items() if score >= last} <= set(numbers)
    for number, value in zip(numbers, values, strict=True):
        assert value == pytest.approx(scores[number], rel=1e-12)
        assert value >= last * (1 - ROUNDING_SLACK) * (1 - 1e-9)


def search(index: BlockMaxIndex, live: list[bool], query: Row, k: int, min_score: float):
    features = sorted(query)
    terms_and_weights = np.array(features, np.int64), np.array([query[f] for f in features], np.float64)
    found = index.top(*terms_and_weights, np.array(live, np.bool_), k, min_score)
    scores = index.dot_rows(*terms_and_weights, np.zeros(len(features)), np.arange(len(live)))
    for dtype in (np.uint8, np.uint16):
        with zeroed_scratch(dtype, 1) as table:
            assert not table.any()  # slots are cleared
    return found, scores


DEEP = st.sampled_from([1, 10**9])  # sums over lists, or bounds of blocks


@given(
    rows,
    row,
    st.data(),
    st.integers(1, 45),
    st.sampled_from([0.0, 0.3, 0.9]),
    st.sampled_from([8, 16, 999]),
    DEEP,
)
@settings(max_examples=200)
def test_the_top_k_equal_those_of_brute_force(given_rows, query, data, k, min_score, partition, deep):
    live = data.draw(st.lists(st.booleans(), min_size=len(given_rows), max_size=len(given_rows)))
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(block_max_index, "PARTITION_ROWS", partition)
        patch.setattr(block_max_index, "_MIN_DEEP_K", deep)
        patch.setattr(block_max_index, "_SEARCHES_BEFORE_LISTS", 0)
        index, on_disk = write(folder, given_rows), stored(given_rows)
        assert len(index.partitions) == -(-len(on_disk) // partition)
        assert index.filled(len(on_disk)).tolist() == [bool(row) for row in on_disk]
        assert index.entries == sum(map(len, on_disk))
        found, scores = search(index, live, query, k, min_score)
        expect_brute_force(found, on_disk, live, query, k, min_score)
        assert scores.tolist() == pytest.approx([reference.inner_product(row, query) for row in on_disk])


@pytest.mark.parametrize("terms", [5, 300])
def test_many_rows_of_many_terms_are_searched_exactly(terms, monkeypatch):
    """Several pages of ranks, several superblocks, more query terms than fit a byte."""
    monkeypatch.setattr(block_max_index, "_SEARCHES_BEFORE_LISTS", 0)
    rng = np.random.default_rng(7)
    topics = rng.integers(0, 100_000, (40, 400))
    rows: list[Row] = []
    for n in range(3_000):
        drawn = rng.choice(topics[n % 40], 30, replace=False) if n % 3 else rng.integers(0, 2**40, 100)
        rows.append(
            unit({int(f): float(w) for f, w in zip(drawn, rng.random(len(drawn)) + 0.1, strict=True)})
        )
    with TemporaryDirectory() as folder:
        index, on_disk = write(folder, rows), stored(rows)
        assert pages_of(index.partitions[0].features) > 1
        for number in range(12):
            drawn = rng.choice(topics[number], terms, replace=False)
            query = unit({int(f): float(rng.random()) + 0.01 for f in drawn})
            live = (rng.random(len(rows)) < (0.02 if number % 4 == 3 else 0.9)).tolist()
            for k in (1, 10, 50, 1000):
                answers = []
                for deep in (1, 10**9):
                    monkeypatch.setattr(block_max_index, "_MIN_DEEP_K", deep)
                    found, _ = search(index, live, query, k, 0.0)
                    expect_brute_force(found, on_disk, live, query, k, 0.0)
                    answers.append(sorted(zip(*(side.tolist() for side in found), strict=True)))
                assert answers[0] == answers[1]  # to the last bit


@given(st.lists(rows, min_size=1, max_size=4), st.data())
@settings(max_examples=60)
def test_a_merged_index_has_the_live_rows_under_their_new_numbers(parts, data):
    total = sum(map(len, parts))
    names = data.draw(st.permutations(range(total)))
    kept = data.draw(st.lists(st.booleans(), min_size=total, max_size=total))
    live_ids = [name for name, live in zip(names, kept, strict=True) if live]
    new = {name: place for place, name in enumerate(sorted(live_ids))}
    expected: list[Row] = [{} for _ in live_ids]
    renamed, at = [], 0
    for part in parts:
        here = [
            new[n] if live else -1 for n, live in zip(names[at:], kept[at : at + len(part)], strict=False)
        ]
        renamed.append(np.array(here, np.int32))
        for row, name in zip(stored(part), here, strict=True):
            if name >= 0:
                expected[name] = row
        at += len(part)
    with TemporaryDirectory() as home, pytest.MonkeyPatch.context() as patch:
        patch.setattr(block_max_index, "_STEP", 3)
        opened = []
        for number, part in enumerate(parts):
            folder = Path(home) / str(number)
            folder.mkdir()
            opened.append(write(str(folder), part))
        folder = Path(home) / "merged"
        folder.mkdir()
        merge_block_max_indexes(folder, opened, renamed)
        indptr, features, steps = BlockMaxIndex(folder, len(live_ids)).read(np.arange(len(live_ids)))
        found = [
            dict(zip(features[a:b].tolist(), (steps[a:b] / QUANTIZATION_LEVELS).tolist(), strict=True))
            for a, b in itertools.pairwise(indptr)
        ]
        assert found == expected


def test_a_search_after_a_failed_one_is_right(tmp_path, monkeypatch):
    many: Row = unit({f: 1.0 for f in range(150)})
    index, live = write(str(tmp_path), [many, unit({1: 1.0, 2: 1.0})]), np.ones(2, np.bool_)

    def fail(*arguments):
        arguments[-1][:] = 1  # the table of slots
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(block_max_index.block_max, "top_positions", fail)
        with pytest.raises(MemoryError):
            index.top(np.arange(150), np.full(150, 0.1), live, 1)
    rows, scores = index.top(np.array([1, 2]), np.array([0.6, 0.8]), live, 1)
    assert (rows.tolist(), scores.tolist()) == ([1], [pytest.approx(1.4 / 2**0.5, abs=1e-4)])


@pytest.mark.parametrize("patience", [0, 9])
def test_identical_rows_are_all_found(tmp_path, monkeypatch, patience):
    monkeypatch.setattr(block_max_index, "_SEARCHES_BEFORE_LISTS", patience)
    index = write(str(tmp_path), [unit({1: 1.0, 2: 1.0})] * 3_000)
    rows, _ = index.top(np.array([1]), np.array([1.0]), np.ones(3_000, np.bool_), 500)
    assert sorted(rows.tolist()) == list(range(3_000))


def test_lists_are_summed_up_where_many_results_are_wanted_again_and_again(tmp_path, monkeypatch):
    index, live = (
        write(str(tmp_path), [unit({1: 1.0, 2: n + 1.0}) for n in range(400)]),
        np.ones(400, np.bool_),
    )
    monkeypatch.setattr(block_max_index, "_SEARCHES_BEFORE_LISTS", 1)
    called = []
    for name in ("top_positions", "top_sums"):
        kernel = getattr(block_max_index.block_max, name)
        monkeypatch.setattr(
            block_max_index.block_max, name, lambda *given, n=name, k=kernel: called.append(n) or k(*given)
        )
    for k in (99, 99, 100, 100, 100, 99):
        assert len(index.top(np.array([1]), np.array([1.0]), live, k)[0]) == k
    assert called == [*["top_positions"] * 3, *["top_sums"] * 2, "top_positions"]
