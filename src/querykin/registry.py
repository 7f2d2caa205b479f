"""Names for the parts that can be exchanged: a measure or an engine is one registered class."""

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from querykin.errors import UnknownName

T = TypeVar("T")


class Registry(Generic[T]):
    """What is known of one kind, by name."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._known: dict[str, T] = {}
        self._names: dict[T, str] = {}

    def register(self, name: str) -> Callable[[T], T]:
        """Decorator that makes a class known under a name."""

        def remember(thing: T) -> T:
            self._known[name] = thing
            self._names.setdefault(thing, name)
            return thing

        return remember

    def __getitem__(self, name: str) -> T:
        if name not in self._known:
            raise UnknownName(self.kind, name, self._known)
        return self._known[name]

    def name_of(self, thing: T) -> str | None:
        """The name that something is known by, if it is."""
        return self._names.get(thing)

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)
