"""Validation of settings and arguments by pydantic, with errors that name the value and what is allowed.

The types of arguments say what a caller may pass: a method decorated with `validated` refuses anything else
with the same kind of error as a wrong file or setting.
"""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, wraps
from inspect import signature
from os import PathLike
from typing import Annotated, Any, Literal, ParamSpec, TypeVar, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from querykin.errors import InputError, UnknownName

Model = TypeVar("Model", bound=BaseModel)
Given = ParamSpec("Given")
Returned = TypeVar("Returned")
_KINDS = {bool: "true or false", str: "a text"}
_MAX_SHOWN = 80  # characters of a wrong value in a message


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


def _integer(value: Any) -> Any:
    """Integers of other libraries as int; True is not a number."""
    return operator.index(value) if hasattr(value, "__index__") and not isinstance(value, bool) else value


def _items(value: Any) -> Any:
    """Any iterable as a list; a text or a mapping is not a list of texts."""
    listed = isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)
    return list(value) if listed else value


_Items = BeforeValidator(_items)
Text = Annotated[str, Field(description="a text")]
Texts = Annotated[Sequence[Text], _Items, Field(description="a list of texts")]
Pair = Annotated[tuple[str, str], Field(description="a pair of texts", strict=False)]
Pairs = Annotated[Sequence[Pair], _Items, Field(description="a list of pairs of texts")]
Flag = Annotated[bool, Field(description="True or False")]
Count = Annotated[int, BeforeValidator(_integer), Field(ge=1, description="a whole number from 1, like 5")]
MinCount = Annotated[int, BeforeValidator(_integer), Field(ge=0, description="a whole number from 0, like 2")]
# The bound refuses NaN only: every comparison with NaN is false.
Probability = Annotated[float, Field(ge=0, le=1, description="a number from 0 to 1, like 0.1")]
Threshold = Annotated[float, Field(ge=float("-inf"), description="a number, like 0.5")]
FolderPath = Annotated[str | PathLike[str], Field(description="the path of a folder")]


def validated(method: Callable[Given, Returned]) -> Callable[Given, Returned]:
    """Decorator: arguments whose parameter has one of the types above are checked on each call.

    >>> @validated
    ... def first(texts: Texts, k: Count = 1) -> list[str]:
    ...     return list(texts[:k])
    >>> first(("a", "b"))
    ['a']
    >>> first(["a", "b"], k="2")
    Traceback (most recent call last):
    querykin.errors.InputError: k must be a whole number from 1, like 5, got '2'
    """
    parameters = signature(method)

    @cache
    def types() -> dict[str, tuple[Any, TypeAdapter[Any]]]:
        hints = {name: each.annotation for name, each in parameters.parameters.items()}
        strict = ConfigDict(strict=True)
        return {
            name: (hints[name], TypeAdapter(hints[name], config=strict))
            for name in hints
            if _description(hints[name])
        }

    @wraps(method)
    def checked(*args: Given.args, **kwargs: Given.kwargs) -> Returned:
        bound = parameters.bind(*args, **kwargs)
        for name, (kind, adapter) in types().items():
            if name in bound.arguments:
                try:
                    bound.arguments[name] = adapter.validate_python(bound.arguments[name])
                except ValidationError as error:
                    raise _refusal(name, kind, error) from None
        return method(*bound.args, **bound.kwargs)

    return checked


def _description(kind: Any) -> str:
    """What a type of arguments allows; empty for other types."""
    if get_origin(kind) is Annotated:
        return next(
            (each.description or "" for each in get_args(kind)[1:] if isinstance(each, FieldInfo)), ""
        )
    return next(filter(None, map(_description, get_args(kind))), "")


def _refusal(name: str, kind: Any, error: ValidationError) -> InputError:
    first = error.errors(include_url=False)[0]
    for position in first["loc"][:1]:
        if isinstance(position, int):  # an item of a list
            name, kind = f"{name}[{position}]", get_args(get_args(kind)[0])[0]
    shown = repr(first["input"])
    if len(shown) > _MAX_SHOWN:
        shown = f"{shown[:_MAX_SHOWN]}…"
    return InputError(f"{name} must be {_description(kind)}, got {shown}")
