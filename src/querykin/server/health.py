"""Endpoints for monitoring: liveness, readiness and Prometheus metrics."""

import asyncio
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from querykin.server.problems import HTTPProblem
from querykin.server.schemas import ProblemDetails, ServiceStatus
from querykin.server.service import Service

router = APIRouter()


@router.get("/healthz", responses={200: {"model": ServiceStatus, "description": "The process is alive"}})
async def healthz() -> JSONResponse:
    """Liveness: the process responds."""
    return JSONResponse({"status": "alive"})


@router.get(
    "/readyz",
    responses={
        200: {"model": ServiceStatus, "description": "The service is ready"},
        503: {"model": ProblemDetails, "description": "It is starting or stopping, or no shard answers"},
    },
)
async def readyz(request: Request) -> JSONResponse:
    """Readiness: indexes are open and compiled code is loaded; a shard tells which it is.

    A router is ready while at least one shard answers, and names the others. A workspace that is gone or
    damaged is answered from the last good snapshot: the status is then degraded, with the reason.
    """
    service: Service = request.app.state.service
    if not service.ready:
        raise HTTPProblem(503, "the service is starting or stopping", "busy", {"Retry-After": "1"})
    found: dict[str, Any] = {"status": "ready"}
    if service.degraded:
        found = {"status": "degraded", "reason": service.degraded}
    if service.workspace.shard:
        found["shard"] = str(service.workspace.shard)
    if service.shards:
        missing = await asyncio.to_thread(service.shards.missing, service.snapshot.version)
        if len(missing) == len(service.shards.shards):
            raise HTTPProblem(503, "no shard answers", "shards", {"Retry-After": "1"})
        found["missing_shards"] = list(missing)
    return JSONResponse(found)


@router.get(
    "/metrics",
    response_class=PlainTextResponse,
    responses={200: {"description": "Metrics in Prometheus' text format"}},
)
def metrics(request: Request) -> Response:
    """Prometheus metrics of all workers."""
    text, content_type = request.app.state.metrics.render()
    return Response(text, headers={"Content-Type": content_type})
