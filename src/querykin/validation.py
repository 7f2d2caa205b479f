"""Validation of settings by pydantic, with errors that name the value, what is allowed and the nearest name."""

from collections.abc import Mapping
from typing import Any, Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo

from querykin.errors import InputError, UnknownName

Model = TypeVar("Model", bound=BaseModel)
_KINDS = {bool: "true or false", str: "a text"}


class Section(BaseModel):
    """A section of the settings: unknown names and values of another type are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, validate_default=True)


def validate(model: type[Model], place: str, given: Mapping[str, Any]) -> Model:
    """The settings of one section; an InputError says what is wrong with which value."""
    for name in given:
        if name not in model.model_fields:
            raise UnknownName(f"setting in {place}", name, model.model_fields)
    try:
        return model.model_validate(dict(given))
    except ValidationError as error:
        name = str(error.errors()[0]["loc"][0])
        wanted = _allowed(model.model_fields[name])
        raise InputError(f"{place}: {name} must be {wanted}, got {given.get(name)!r}") from None


def _allowed(field: FieldInfo) -> str:
    kind = field.annotation
    if get_origin(kind) is Literal:
        return f"one of {', '.join(map(str, get_args(kind)))}"
    if get_origin(kind) is tuple:
        return 'a list of texts, like ["one", "two"]'
    if kind in _KINDS:
        return _KINDS[kind]
    bounds = {
        bound: getattr(each, bound)
        for each in field.metadata
        for bound in ("ge", "le")
        if hasattr(each, bound)
    }
    span = f" from {bounds['ge']}" if "ge" in bounds else ""
    span += f" to {bounds['le']}" if "le" in bounds else ""
    return f"a number{span}, like {field.default}"
