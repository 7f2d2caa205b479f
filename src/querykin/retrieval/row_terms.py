"""Sparse rows as text for an index of another engine: features as terms, weights as term frequencies."""

import numpy as np

from querykin.compute.arrays import Int64Array, UInt8Array, UInt16Array
from querykin.compute.jit import njit

_DIGITS = np.frombuffer(b"0123456789abcdef", np.uint8).copy()
_LONGEST = 16 + 1 + 5 + 1  # characters of a term: 64 bits in hexadecimal, a bar, 16 bits in decimal, a space


def feature_term(feature: int) -> str:
    """The term of a feature.

    >>> feature_term(31), feature_term(-1)
    ('1f', 'ffffffffffffffff')
    """
    return f"{feature & 0xFFFFFFFFFFFFFFFF:x}"


def row_text(features: Int64Array, steps: UInt16Array) -> str:
    """The terms of a row, each with its weight in steps of 1/65,535.

    >>> row_text(np.array([31, 7]), np.array([65535, 12], np.uint16))
    '1f|65535 7|12 '
    """
    return _to_text(features.view(np.uint64), steps, _DIGITS).tobytes().decode()


@njit
def _to_text(features: Int64Array, steps: UInt16Array, digits: UInt8Array) -> UInt8Array:
    out = np.empty(_LONGEST * len(features), np.uint8)
    at = 0
    for i in range(len(features)):
        feature, size = features[i], 1
        while size < 16 and feature >> np.uint64(4 * size):
            size += 1
        for d in range(size):
            out[at + d] = digits[(feature >> np.uint64(4 * (size - 1 - d))) & np.uint64(15)]
        at += size
        out[at] = 124
        at += 1
        step, size = np.int64(steps[i]), 1
        while 10**size <= step:
            size += 1
        for d in range(size):
            out[at + size - 1 - d] = digits[step % 10]
            step //= 10
        at += size
        out[at] = 32
        at += 1
    return out[:at]
