"""What can be asked, written down: the OpenAPI document with the bounds of this service, and its page."""

from collections.abc import Iterator
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.openapi.utils import get_openapi
from fastapi.responses import HTMLResponse

from querykin.server.problems import MEANINGS
from querykin.server.schemas import BOUND
from querykin.server.views import page
from querykin.settings import ServerSettings

router = APIRouter(include_in_schema=False)
_KEYWORDS = {"max_text": "maxLength", "max_queries": "maxItems", "max_pairs": "maxItems", "max_k": "maximum"}
Schema = dict[str, Any]


def describe(app: FastAPI, settings: ServerSettings) -> Schema:
    """The OpenAPI document, made once."""
    if app.openapi_schema is None:
        found = get_openapi(
            title=app.title, version=app.version, description=app.description, routes=app.routes
        )
        for part in _parts(found):
            if BOUND in part:
                name = part.pop(BOUND)
                part[_KEYWORDS[name]] = getattr(settings, name)
        for _, _, operation in _operations(found):
            _mend(operation)
        app.openapi_schema = found
    return app.openapi_schema


def _mend(operation: Schema) -> None:
    """Errors are problem details, which the framework cannot be told."""
    for status, answer in operation["responses"].items():
        if status == "default" or status >= "400":
            content = answer.setdefault("content", {})
            content["application/problem+json"] = content.pop("application/json", {})


def _parts(found: Any) -> Iterator[Schema]:
    """Every object in a document."""
    if isinstance(found, dict):
        yield found
        found = list(found.values())
    for each in found if isinstance(found, list) else ():
        yield from _parts(each)


def _operations(found: Schema) -> Iterator[tuple[str, str, Schema]]:
    for path, methods in found["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


@router.get("/docs")
def docs(request: Request) -> HTMLResponse:
    """The OpenAPI document as a page."""
    found = request.app.openapi()
    operations = [
        {
            "method": method,
            "path": path,
            "text": operation["description"],
            "fields": [
                _field(each["name"], each["schema"], each["required"])
                for each in operation.get("parameters", [])
            ],
            "takes": _kind(_content(operation.get("requestBody", {}))),
            "gives": [
                (status, answer["description"], _kind(_content(answer)))
                for status, answer in operation["responses"].items()
            ],
        }
        for method, path, operation in _operations(found)
    ]
    shapes = [
        {
            "name": name,
            "text": schema.get("description", ""),
            "fields": [
                _field(field, kind, field in schema.get("required", ()))
                for field, kind in schema["properties"].items()
            ],
        }
        for name, schema in found["components"]["schemas"].items()
    ]
    return page(request, "docs.html", operations=operations, shapes=shapes, problems=MEANINGS)


def _field(name: str, schema: Schema, required: bool) -> dict[str, str]:
    as_problem = schema.get("description", "")
    bounds = [
        f"{word} {schema[word]}" for word in ("minimum", "maximum", "maxLength", "maxItems") if word in schema
    ]
    if schema.get("default") is not None:
        bounds.append(f"default {schema['default']}")
    return {
        "name": name,
        "kind": _kind(schema),
        "needed": "yes" if required else "",
        "text": as_problem,
        "bounds": ", ".join(bounds),
    }


def _content(part: Schema) -> Schema:
    """The schema of what is sent, whatever its media type."""
    kinds = list(part.get("content", {}).values())
    return dict(kinds[0].get("schema", {})) if kinds else {}


def _kind(schema: Schema) -> str:
    """A type in words; the name of a shape where it has one."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " or ".join(map(_kind, schema["anyOf"]))
    if schema.get("type") == "array":
        return f"list of {_kind(schema['items'])}"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_kind(schema['additionalProperties'])}"
    return str(schema.get("type", ""))
