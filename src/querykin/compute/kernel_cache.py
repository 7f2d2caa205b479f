"""The cache of a kernel's compiled code: numba's, opened when the kernel is first called.

numba looks for a writable folder when a function is decorated, and before it reads compiled code it registers
all that its compiler knows, a fifth of the time of a short command. Loading machine code needs neither. The
files, and what makes them stale, are numba's own.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from numba.core.caching import FunctionCache, NullCache
from numba.core.runtime.nrt import rtsys

from querykin.compute.code_cache import code_cache_works
from querykin.compute.machine_code import loading

Function = Callable[..., object]
_listener: Callable[[Function], None] | None = None


def listen(listener: Callable[[Function], None] | None) -> None:
    """Have this function called with each kernel that is about to be compiled; None: no function."""
    global _listener
    _listener = listener


class KernelCache(NullCache):
    """Loads the compiled code of a kernel; the listener hears of it when there is none."""

    def __init__(self, function: Function) -> None:
        self._function = function

    @cached_property
    def _files(self) -> Any:
        return FunctionCache(self._function) if code_cache_works() else None  # type: ignore[no-untyped-call]

    @property
    def cache_path(self) -> Any:
        """The folder of the compiled code; None if it is not cached."""
        return self._files and self._files.cache_path

    def has(self, types: tuple[Any, ...], target_context: Any) -> bool:
        """Whether compiled code for arguments of these types is cached."""
        if not self._files:
            return False
        key = self._files._index_key(types, target_context.codegen())
        return key in self._files._cache_file._load_index()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled code for arguments of these types, if it is cached."""
        found = self._load(sig, target_context)
        if found is None and _listener:
            _listener(self._function)
            found = self._load(sig, target_context)
        return found

    def _load(self, sig: Any, target_context: Any) -> Any:
        if not self._files:
            return None
        rtsys.initialize(target_context)  # kernels allocate the arrays that they return
        with loading(target_context.codegen()):
            return self._files._load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write compiled code."""
        if self._files:
            self._files.save_overload(sig, data)
