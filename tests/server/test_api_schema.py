"""Requests generated from the OpenAPI document, valid and invalid, get documented responses."""

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

CHECKS = (not_a_server_error, content_type_conformance, response_schema_conformance, status_code_conformance)
OPERATIONS = (
    "GET /healthz",
    "GET /readyz",
    "GET /metrics",
    "GET /v1/clusters",
    "GET /v1/search",
    "GET /v1/suggest",
    "POST /v1/similarity",
    "POST /v1/explain",
    "POST /v1/match",
    "POST /v1/judgements",
)


@pytest.fixture(scope="module")
def operations(client):
    """Operations of a running application; schemathesis would restart it for every request."""

    async def started(scope, receive, send):
        if scope["type"] == "http":
            await client.app(scope, receive, send)
            return
        for step in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{step}.complete"})

    schema = schemathesis.openapi.from_asgi("/openapi.json", started)
    return {each.ok().label: each.ok() for each in schema.get_all_operations()}


def test_the_document_lists_every_operation(operations):
    assert sorted(operations) == sorted(OPERATIONS)


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize("name", [name for name in OPERATIONS if "/v1/" in name])
def test_generated_requests_get_documented_responses(operations, name, mode):
    @given(operations[name].as_strategy(generation_mode=mode))
    @settings(
        max_examples=150,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def validate(case):
        case.call_and_validate(checks=CHECKS)

    validate()
