"""Arrays on disk: whatever was written comes back, and any other byte is noticed before it is used."""

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.errors import DamagedFile
from querykin.storage.array_files import (
    ArrayFile,
    MatrixFile,
    _unverified,
    load,
    load_offsets,
    map_array,
    save,
    within,
)
from querykin.storage.block_checksums import BLOCK_SIZE, BlockHasher, file_checksum, footer_checksum
from reference import block_checksums as reference


@given(st.lists(st.binary(max_size=200_000), max_size=4))
@settings(max_examples=40, deadline=None)
def test_the_checksum_of_pieces_is_that_of_the_whole(pieces):
    hasher = BlockHasher()
    for piece in pieces:
        hasher.update(piece)
    assert hasher.checksum() == reference.checksum(b"".join(pieces))


@pytest.mark.parametrize("size", [0, 1, 16_351, 16_352, 16_353, 40_000])
def test_a_footer_tells_the_checksum_of_its_whole_file(tmp_path, size):
    values = np.arange(size, dtype=np.int32)
    save(tmp_path, saved=values)
    with_pieces = ArrayFile(tmp_path / "pieces.npy", np.int32)
    for piece in np.array_split(values, 7):
        with_pieces.append(piece)
    with_pieces.close()
    whole = (tmp_path / "saved.npy").read_bytes()
    assert (tmp_path / "pieces.npy").read_bytes() == whole
    assert footer_checksum(tmp_path / "saved.npy") == reference.checksum(whole)
    assert file_checksum(tmp_path / "saved.npy") == reference.checksum(whole)
    for name in ("saved", "pieces"):
        assert load(tmp_path, name).tolist() == values.tolist()
        assert np.load(tmp_path / f"{name}.npy").tolist() == values.tolist()


def test_a_matrix_is_written_in_any_order(tmp_path):
    file = MatrixFile(tmp_path / "rows.npy", np.int8, (3, 4))
    for row in (2, 0, 1):
        file.rows[row] = row
    file.close()
    assert load(tmp_path, "rows", dimensions=2).tolist() == [[0] * 4, [1] * 4, [2] * 4]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(-1, 9)), max_size=6), st.lists(st.booleans()))
def test_blocks_to_verify_are_those_of_the_ranges(ranges, verified):
    first, last = [begin for begin, _ in ranges], [end for _, end in ranges]
    found = _unverified(np.array(first, np.int64), np.array(last, np.int64), np.array(verified, np.bool_))
    assert set(found.tolist()) == reference.unverified(first, last, verified)


@pytest.fixture
def large(tmp_path):
    """The folder of an array of five blocks."""
    save(tmp_path, numbers=np.arange(40_000, dtype=np.int64))
    return tmp_path


@pytest.mark.parametrize("at", [0, 70, 127, 128, 70_000, -1, -20, -30])
def test_no_flipped_bit_is_used(large, at):
    path = large / "numbers.npy"
    content = bytearray(path.read_bytes())
    content[at] ^= 4
    path.write_bytes(content)
    with pytest.raises(DamagedFile, match=r"numbers\.npy is damaged"):
        load(large, "numbers")


@pytest.mark.parametrize("size", [0, 10, 128, 100_000, -1, -24, -64])
def test_a_truncated_array_is_refused_when_it_is_opened(large, size):
    path = large / "numbers.npy"
    os.truncate(path, size if size >= 0 else path.stat().st_size + size)
    with pytest.raises(DamagedFile):
        map_array(large, "numbers")


def test_only_the_blocks_that_are_used_are_verified(large):
    path = large / "numbers.npy"
    content = bytearray(path.read_bytes())
    content[2 * BLOCK_SIZE + 100] ^= 1
    path.write_bytes(content)
    numbers = map_array(large, "numbers")
    assert numbers[:10].tolist() == list(range(10))
    assert numbers[39_990:].tolist() == list(range(39_990, 40_000))
    begins = np.array([5, 30_000])
    assert numbers.covering(begins, begins + 3)[30_002] == 30_002
    for use in (
        numbers.whole,
        lambda: numbers[16_000:17_000],
        lambda: numbers.covering(begins, begins + 20_000),
    ):
        with pytest.raises(DamagedFile, match="differs from what was written"):
            use()


def test_values_out_of_bounds_are_refused_with_their_block(tmp_path):
    values = np.zeros(40_000, np.int64)
    values[39_999] = 7
    save(tmp_path, ids=values)
    assert load(tmp_path, "ids", within(0, 8))[-1] == 7
    ids = map_array(tmp_path, "ids", within(0, 7))
    assert ids[:100].sum() == 0
    with pytest.raises(DamagedFile, match="out of bounds"):
        ids.whole()


@pytest.mark.parametrize("offsets", [[], [1, 2], [0, 3, 2, 5], [0, 4], [0, 9]])
def test_offsets_that_do_not_rise_to_the_end_are_refused(tmp_path, offsets):
    save(tmp_path, indptr=np.array(offsets, np.int64))
    with pytest.raises(DamagedFile):
        load_offsets(tmp_path, "indptr", 5)


def test_an_array_of_another_length_is_refused(tmp_path):
    save(tmp_path, ids=np.zeros(3))
    with pytest.raises(DamagedFile, match="3 values instead of 4"):
        load(tmp_path, "ids", size=4)
