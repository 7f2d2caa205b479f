"""The OpenAPI document with the configured limits, and its HTML page at /docs."""

from collections.abc import Iterator
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.openapi.utils import get_openapi
from fastapi.responses import HTMLResponse, JSONResponse

from querykin.server.problems import PROBLEM_TYPES
from querykin.server.schemas import LIMIT
from querykin.server.views import render_page
from querykin.settings_sections import ServerSettings

router = APIRouter(include_in_schema=False)
_LIMIT_KEYWORDS = {
    "max_text": "maxLength",
    "max_queries": "maxItems",
    "max_pairs": "maxItems",
    "max_k": "maximum",
}
_SHOWN_KEYWORDS = ("minimum", "maximum", "maxLength", "maxItems")
Schema = dict[str, Any]


def build_document(app: FastAPI, settings: ServerSettings) -> Schema:
    """The OpenAPI document, built once per application."""
    if app.openapi_schema is None:
        document = get_openapi(
            title=app.title, version=app.version, description=app.description, routes=app.routes
        )
        for schema in _objects(document):
            if LIMIT in schema:
                name = schema.pop(LIMIT)
                schema[_LIMIT_KEYWORDS[name]] = getattr(settings, name)
        for _, _, operation in _operations(document):
            _set_problem_media_type(operation)
        app.openapi_schema = document
    return app.openapi_schema


def _set_problem_media_type(operation: Schema) -> None:
    """Declare error responses as application/problem+json; FastAPI has no option for it."""
    for status, response in operation["responses"].items():
        if status == "default" or status >= "400":
            content = response.setdefault("content", {})
            content["application/problem+json"] = content.pop("application/json", {})


def _objects(node: Any) -> Iterator[Schema]:
    """Every object of a JSON document, depth first."""
    if isinstance(node, dict):
        yield node
        node = list(node.values())
    for child in node if isinstance(node, list) else ():
        yield from _objects(child)


def _operations(document: Schema) -> Iterator[tuple[str, str, Schema]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


@router.get("/openapi.json")
def openapi_document(request: Request) -> JSONResponse:
    """The OpenAPI document."""
    return JSONResponse(request.app.openapi())


@router.get("/docs")
def docs(request: Request) -> HTMLResponse:
    """The OpenAPI document as an HTML page."""
    document = request.app.openapi()
    operations = [
        {
            "method": method,
            "path": path,
            "description": operation["description"],
            "fields": [
                _field(parameter["name"], parameter["schema"], parameter["required"])
                for parameter in operation.get("parameters", [])
            ],
            "body": _type_name(_content_schema(operation.get("requestBody", {}))),
            "responses": [
                (status, response["description"], _type_name(_content_schema(response)))
                for status, response in operation["responses"].items()
            ],
        }
        for method, path, operation in _operations(document)
    ]
    schemas = [
        {
            "name": name,
            "description": schema.get("description", ""),
            "fields": [
                _field(field, field_schema, field in schema.get("required", ()))
                for field, field_schema in schema["properties"].items()
            ],
        }
        for name, schema in document["components"]["schemas"].items()
    ]
    return render_page(request, "docs.html", operations=operations, schemas=schemas, problems=PROBLEM_TYPES)


def _field(name: str, schema: Schema, required: bool) -> dict[str, str]:
    limits = [f"{keyword} {schema[keyword]}" for keyword in _SHOWN_KEYWORDS if keyword in schema]
    if schema.get("default") is not None:
        limits.append(f"default {schema['default']}")
    return {
        "name": name,
        "type": _type_name(schema),
        "required": "yes" if required else "",
        "limits": ", ".join(limits),
        "description": schema.get("description", ""),
    }


def _content_schema(part: Schema) -> Schema:
    """Schema of a request or response body, whatever its media type."""
    contents = list(part.get("content", {}).values())
    return dict(contents[0].get("schema", {})) if contents else {}


def _type_name(schema: Schema) -> str:
    """Readable name of a type."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " or ".join(map(_type_name, schema["anyOf"]))
    if schema.get("type") == "array":
        return f"list of {_type_name(schema['items'])}"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_type_name(schema['additionalProperties'])}"
    return str(schema.get("type", ""))
