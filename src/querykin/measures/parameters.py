"""Parameters of measures: annotated fields that pydantic validates and the documentation lists."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel, Field, create_model
from pydantic.fields import FieldInfo

from querykin.validation import Section, validate

MAX_VALUE = 2**31 - 1  # of a number in the settings


def number(description: str, ge: float = 0, le: float = MAX_VALUE) -> Any:
    """The constraints of a numeric parameter, and what people read about it."""
    return Field(ge=ge, le=le, description=description)


@dataclass(frozen=True)
class Parameter:
    """A parameter of a measure: its name, its default and what it means."""

    name: str
    default: Any
    description: str


def parameters_of(kind: type) -> list[Parameter]:
    """The parameters that the settings may give to a measure, in the order of its fields."""
    return [
        Parameter(field.name, field.default, _info(field.type).description or "")
        for field in fields(kind)
        if get_origin(field.type) is Annotated
    ]


@cache
def parameter_names(kind: type) -> tuple[str, ...]:
    """The names of a measure's parameters."""
    return tuple(parameter.name for parameter in parameters_of(kind))


def validate_parameters(kind: type, place: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Check values of a measure's parameters; unknown names and impossible values are errors."""
    return validate(_model(kind), place, given).model_dump(include=set(given))


@cache
def _model(kind: type) -> type[BaseModel]:
    wanted = {
        field.name: (field.type, field.default)
        for field in fields(kind)
        if get_origin(field.type) is Annotated
    }
    return create_model(kind.__name__, __base__=Section, **wanted)  # type: ignore[no-any-return, call-overload]


def _info(annotation: Any) -> FieldInfo:
    return next(each for each in get_args(annotation) if isinstance(each, FieldInfo))
