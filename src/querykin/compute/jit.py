"""Compilation of loops over arrays by numba.

Kernels are compiled once per machine (numba keeps them on disk) and release the interpreter's lock, so that
threads use every core. Each kernel has a slow twin in tests/reference that it must agree with.
"""

from collections.abc import Callable
from typing import TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., object])


def njit(function: F) -> F:
    """Compile a loop over arrays; it may run in several threads at once."""
    return cast(F, numba.njit(cache=True, nogil=True)(function))
