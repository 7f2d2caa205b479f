"""The table of kernels: with which types of arguments they are called, and by which commands.

`kernels.json` lists, for each kernel that is called from Python, the types that it is compiled for and the
commands that use it on any workspace; `tests/kernel_calls.py` writes it. A type is a scalar as numba writes
it ("int64"), an array ("int64[1]" has one dimension, "int64[1]A" also strides) or a NamedTuple: a list of
the class and its fields.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from numba.core import types as numba_types

PACKAGE = "querykin"
FILE = Path(__file__).with_name("kernels.json")
types: Any = numba_types  # partly typed


@dataclass(frozen=True)
class Kernel:
    """A kernel with the types of its arguments."""

    name: str  # module and function
    types: tuple[Any, ...]
    commands: frozenset[str]

    def is_compiled(self) -> bool:
        """Whether its code is cached."""
        dispatcher = self.dispatcher
        return bool(dispatcher._cache.has(self._signature, dispatcher.targetctx))

    def compile(self) -> None:
        """Compile it, or load it from the cache."""
        self.dispatcher.compile(self._signature)

    @property
    def dispatcher(self) -> Any:
        """What numba calls it by."""
        return _named(self.name)

    @property
    def _signature(self) -> tuple[Any, ...]:
        return tuple(map(parse_type, self.types))


@cache
def kernels() -> tuple[Kernel, ...]:
    """All kernels."""
    entries = json.loads(FILE.read_text("utf-8"))
    return tuple(
        Kernel(each["kernel"], tuple(each["types"]), frozenset(each["commands"])) for each in entries
    )


def used_by(command: str) -> Iterator[Kernel]:
    """The kernels that a command needs."""
    return (kernel for kernel in kernels() if command in kernel.commands)


def type_entry(numba_type: Any) -> Any:
    """How the table writes a type of numba's."""
    if isinstance(numba_type, types.BaseNamedTuple):
        owner = numba_type.instance_class
        name = f"{owner.__module__}.{owner.__qualname__}".removeprefix(f"{PACKAGE}.")
        return [name, *map(type_entry, numba_type.types)]
    if isinstance(numba_type, types.Array):
        layout = "" if numba_type.layout == "C" else numba_type.layout
        entry = f"{numba_type.dtype}[{numba_type.ndim}]{layout}"
        return entry if parse_type(entry) == numba_type else str(numba_type)
    return str(numba_type)


def parse_type(entry: Any) -> Any:
    """The type of numba's for an entry of the table."""
    if isinstance(entry, list):
        owner, fields = _named(entry[0]), tuple(map(parse_type, entry[1:]))
        same = len(set(fields)) == 1
        return types.NamedUniTuple(fields[0], len(fields), owner) if same else types.NamedTuple(fields, owner)
    scalar, _, shape = entry.partition("[")
    dimensions, _, layout = shape.partition("]")
    numba_type = types.boolean if scalar == "bool" else getattr(types, scalar)
    return types.Array(numba_type, int(dimensions), layout or "C") if dimensions else numba_type


def _named(name: str) -> Any:
    module, _, attribute = name.rpartition(".")
    return getattr(import_module(f"{PACKAGE}.{module}"), attribute)
