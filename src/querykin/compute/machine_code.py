"""Loads the machine code of a kernel without parsing its bitcode.

numba keeps the bitcode of a kernel beside its machine code, so that others that call it are compiled with it,
and parses it whenever it loads the machine code. That is half the time of loading, and rarely of use.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from llvmlite import binding  # type: ignore[import-untyped]
from numba.core.codegen import JITCodeLibrary


class MachineCode(JITCodeLibrary):
    """A library that was loaded; its bitcode is parsed when the first kernel that calls it is compiled."""

    _bitcode: bytes

    @classmethod
    def _unserialize(cls, codegen: Any, state: tuple[str, str, tuple[bytes, bytes]]) -> "MachineCode":
        name, _, (machine_code, bitcode) = state
        self: Any = cls(codegen, name)
        self._bitcode = bitcode
        self.enable_object_caching()
        self._set_compiled_object(machine_code)
        self._finalize_final_module()
        return cast("MachineCode", self)

    def get_pointer_to_function(self, name: str) -> int:
        """The address of a function, which numba looks for among those of the bitcode."""
        return int(self._codegen._engine.get_function_address(name))

    def _get_module_for_linking(self) -> Any:
        if self._shared_module is None:
            self._shared_module = binding.parse_bitcode(self._bitcode)
            self._codegen._engine._load_defined_symbols(self._shared_module)  # type: ignore[no-untyped-call]
        return self._shared_module


@contextmanager
def loading(codegen: Any) -> Iterator[None]:
    """While numba, which holds its lock, loads a library, make it a MachineCode."""
    codegen._library_class = MachineCode
    try:
        yield
    finally:
        del codegen._library_class  # the attribute of the class is visible again
