"""Registries of exchangeable parts: measures, engines, document formats, filters and losses by name."""

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Generic, TypeVar

from querykin.errors import UnknownName

T = TypeVar("T")


class Registry(Generic[T]):
    """The parts of one kind by name.

    `modules` names the module that registers each built-in part; a module is imported when its part is first
    looked up, so that listing names imports nothing.
    """

    def __init__(self, kind: str, modules: Mapping[str, str] | None = None) -> None:
        self.kind = kind
        self._modules = dict(modules or {})
        self._parts: dict[str, T] = {}

    def register(self, name: str) -> Callable[[T], T]:
        """Decorator that registers a part under a name."""

        def remember(part: T) -> T:
            self._parts[name] = part
            return part

        return remember

    def __getitem__(self, name: str) -> T:
        if name not in self:
            raise UnknownName(self.kind, name, self)
        if name not in self._parts:
            import_module(self._modules[name])
        return self._parts[name]

    def __contains__(self, name: object) -> bool:
        return name in self._parts or name in self._modules

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self._modules, *self._parts]))
