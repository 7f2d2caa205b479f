"""Names of query parameters and form fields: unknown and repeated ones are refused, never ignored."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, get_origin

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.params import Form
from fastapi.routing import APIRoute
from starlette.datastructures import FormData, QueryParams

from querykin.errors import UnknownName
from querykin.server.problems import validation_problem


async def refuse_unknown_parameters(request: Request) -> None:
    """Dependency of all routes: status 422 for a parameter or a form field that the route does not have."""
    route = request.scope.get("route")
    if not isinstance(route, APIRoute):
        return
    parts = list(_with_dependencies(route.dependant))
    known = {each.alias: False for part in parts for each in part.query_params}
    check_names("query", request.query_params, known)
    fields = {
        each.alias: get_origin(each.field_info.annotation) is tuple
        for part in parts
        for each in part.body_params
        if isinstance(each.field_info, Form)
    }
    if fields:
        check_names("form", await request.form(), fields)


def _with_dependencies(dependant: Dependant) -> Iterator[Dependant]:
    yield dependant
    for each in dependant.dependencies:
        yield from _with_dependencies(each)


def check_names(place: str, given: QueryParams | FormData, known: Mapping[str, bool]) -> None:
    """Refuse names that are not known, and those given twice where the known one is not a list."""
    errors = [
        {"at": f"{place}.{name[:100]}", "message": message}
        for name in dict.fromkeys(given)
        if (message := _refusal(name, given.getlist(name), known))
    ]
    if errors:
        raise validation_problem(errors)


def _refusal(name: str, values: Iterable[Any], known: Mapping[str, bool]) -> str:
    if name not in known:
        return str(UnknownName("parameter", name[:100], known))
    number = sum(1 for _ in values)
    return "" if known[name] or number == 1 else f"given {number} times; give it once"
