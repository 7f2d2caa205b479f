"""The metadata of stores, which their manifests carry: checked against a typed dict when a store is read."""

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from querykin.errors import DamagedFile
from querykin.storage.mirror import MANIFEST
from querykin.storage.store import Store

Number = Annotated[int, Field(ge=0, lt=1 << 48)]  # of documents, queries or words; far from any overflow
T = TypeVar("T")
_adapters: dict[Any, TypeAdapter[Any]] = {}  # by typed dict: each takes a millisecond to make


def check_metadata(store: Store, metadata: Mapping[str, Any], kind: type[T]) -> T:
    """The metadata of a store as the typed dict `kind`; DamagedFile if a value has another type."""
    try:
        return _adapter(kind).validate_python(metadata, strict=True)
    except ValidationError as error:
        problem = error.errors()[0]
        place = ".".join(map(str, problem["loc"]))
        raise DamagedFile(store.path / MANIFEST, f"{place}: {problem['msg']}") from None


def _adapter(kind: type[T]) -> TypeAdapter[T]:
    if kind not in _adapters:
        _adapters[kind] = TypeAdapter(kind)
    return _adapters[kind]
