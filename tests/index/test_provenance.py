"""Variable-byte encoding of document numbers: equal to the reference, and lossless."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.compute.arrays import make_indptr
from querykin.index.provenance import pack, rearrange, unpack
from reference import provenance as reference

number = st.one_of(st.integers(0, 300), st.sampled_from([127, 128, 16_383, 16_384, 2**31, 2**40]))
rows = st.lists(st.lists(number, max_size=8), max_size=12)


def packed(rows: list[list[int]]) -> tuple:
    documents = np.array([document for row in rows for document in row], np.int64)
    return pack(make_indptr(map(len, rows)), documents)


@given(rows)
@settings(deadline=None)
def test_bytes_are_those_of_the_reference(rows):
    sizes, found = packed(rows)
    assert sizes.tolist() == [len(part) for part in reference.packed(rows)]
    assert found.tobytes() == b"".join(reference.packed(rows))


@given(rows)
@settings(deadline=None)
def test_unpacking_returns_the_packed_documents_in_order(rows):
    owners, documents = unpack(*packed(rows))
    expected = [(i, document) for i, row in enumerate(rows) for document in sorted(row)]
    assert list(zip(owners.tolist(), documents.tolist(), strict=True)) == expected


@given(rows, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_rows_are_rearranged_in_any_order(rows, random):
    order = random.sample(range(len(rows)), random.randint(0, len(rows)))
    sizes, found = rearrange(*packed(rows), np.array(order, np.int64))
    expected_sizes, expected = packed([rows[i] for i in order])
    assert sizes.tolist() == expected_sizes.tolist()
    assert found.tolist() == expected.tolist()
