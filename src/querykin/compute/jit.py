"""Just-in-time compilation of array kernels by numba.

Kernels are compiled once per machine (their code is cached on disk) and release the global interpreter lock,
so that threads run them in parallel. Arrays that belong together travel in NamedTuples; inner loops read
their fields from local variables, since access to an array field counts references. A count that begins at 0
and is passed to another kernel begins as `int(np.int64(0))`: for a literal 0 numba compiles that kernel once
more. Every kernel is tested against a plain-Python implementation in tests/reference.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

from querykin.compute.kernel_cache import KernelCache

F = TypeVar("F", bound=Callable[..., object])


def njit(function: F) -> F:
    """`numba.njit` with the on-disk cache and without the global interpreter lock."""
    options: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True}  # no other language calls kernels
    dispatcher: Any = numba.njit(**options)(function)
    if hasattr(dispatcher, "py_func"):  # not with NUMBA_DISABLE_JIT
        dispatcher._cache = KernelCache(function)
    return cast(F, dispatcher)


def njit_inlined(function: F) -> F:
    """For a kernel that only other kernels call: compiled as part of them, which takes half the time."""
    return cast(F, numba.njit(nogil=True, inline="always")(function))
