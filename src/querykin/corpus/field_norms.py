"""Lengths of fields in a byte, as Lucene and tantivy store them, and BM25's length normalization by them."""

import numpy as np

from querykin.compute.arrays import Float32Array, Int64Array, UInt8Array

_LARGEST = np.float32(1e10)  # above that of a document with all tokens of a segment: no impact becomes 0
K1, B = 1.2, 0.75  # the constants of Lucene and tantivy


def _decode(code: int) -> int:
    """The length that a byte stands for: 3 bits and an exponent, from 24 on (Lucene's SmallFloat)."""
    if code < 24:
        return code
    bits, shift = (code - 24) & 7, ((code - 24) >> 3) - 1
    return 24 + (bits if shift < 0 else (bits | 8) << shift)


LENGTHS: Int64Array = np.array([_decode(code) for code in range(256)], np.int64)


def encode_lengths(lengths: Int64Array) -> UInt8Array:
    """The byte of each length: that of the largest length that a byte can stand for and that is not larger.

    >>> LENGTHS[encode_lengths(np.array([7, 40, 41, 1000]))]
    array([  7,  40,  40, 984])
    """
    return (np.searchsorted(LENGTHS, lengths, side="right") - 1).astype(np.uint8)


def length_norms(tokens: int, documents: int) -> Float32Array:
    """k1 (1 - b + b length / mean length) of each byte, in the precision of tantivy."""
    k1, b, one = np.float32(K1), np.float32(B), np.float32(1)
    mean = np.float32(tokens) / np.float32(max(1, documents))
    norms: Float32Array = k1 * (one - b + b * LENGTHS.astype(np.float32) / max(mean, np.float32(1e-9)))
    return norms.clip(max=_LARGEST)
