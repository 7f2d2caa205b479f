"""Endpoints for monitoring: liveness, readiness and Prometheus metrics."""

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
        503: {"model": ProblemDetails, "description": "The service is starting or stopping"},
    },
)
async def readyz(request: Request) -> JSONResponse:
    """Readiness: indexes are open and compiled code is loaded."""
    service: Service = request.app.state.service
    if not service.ready:
        raise HTTPProblem(503, "the service is starting or stopping", "busy", {"Retry-After": "1"})
    return JSONResponse({"status": "ready"})


@router.get(
    "/metrics",
    response_class=PlainTextResponse,
    responses={200: {"description": "Metrics in Prometheus' text format"}},
)
def metrics(request: Request) -> Response:
    """Prometheus metrics of all workers."""
    text, content_type = request.app.state.metrics.render()
    return Response(text, headers={"Content-Type": content_type})
