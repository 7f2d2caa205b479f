"""Stems as terms of another engine's index: their numbers in hexadecimal."""

import numpy as np

from querykin.compute.arrays import Int32Array, UInt8Array
from querykin.compute.jit import njit

_DIGITS = np.frombuffer(b"0123456789abcdef", np.uint8).copy()


def stem_term(stem: int) -> str:
    """The term of a stem.

    >>> stem_term(31)
    '1f'
    """
    return f"{stem:x}"


def stem_text(stems: Int32Array) -> str:
    """The terms of stems, a space after each.

    >>> stem_text(np.array([10, 31], np.int32))
    'a 1f '
    """
    return _to_hex(stems, _DIGITS).tobytes().decode()


@njit
def _to_hex(stems: Int32Array, digits: UInt8Array) -> UInt8Array:
    """Numbers in hexadecimal, separated by spaces."""
    out = np.empty(9 * len(stems), np.uint8)
    at = 0
    for number in stems:
        size = 1
        while number >> (4 * size):
            size += 1
        for d in range(size):
            out[at + d] = digits[(number >> (4 * (size - 1 - d))) & 15]
        out[at + size] = 32
        at += size + 1
    return out[:at]
