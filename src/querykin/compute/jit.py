"""Just-in-time compilation of array kernels by numba.

Kernels are compiled once per machine (numba caches them on disk) and release the global interpreter lock, so
that threads run them in parallel. Arrays that belong together travel in NamedTuples; inner loops read their
fields from local variables, since access to an array field counts references. Every kernel is tested against
a plain-Python implementation in tests/reference.
"""

from collections.abc import Callable
from typing import TypeVar, cast

import numba

from querykin.compute.code_cache import code_cache_works

F = TypeVar("F", bound=Callable[..., object])


def njit(function: F) -> F:
    """`numba.njit` with the on-disk cache and without the global interpreter lock."""
    return cast(F, numba.njit(cache=code_cache_works(), nogil=True)(function))


def njit_inlined(function: F) -> F:
    """For a kernel that only other kernels call: compiled as part of them, which takes half the time."""
    return cast(F, numba.njit(nogil=True, inline="always")(function))
