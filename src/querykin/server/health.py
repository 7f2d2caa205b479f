"""Does it live, is it ready, how is it doing? For machines that watch."""

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from querykin.server import schemas
from querykin.server.problems import HTTPProblem
from querykin.server.service import Service

router = APIRouter()


@router.get("/healthz", responses={200: {"model": schemas.State, "description": "It does"}})
async def healthz() -> JSONResponse:
    """The process answers."""
    return JSONResponse({"status": "alive"})


@router.get(
    "/readyz",
    responses={
        200: {"model": schemas.State, "description": "It is"},
        503: {"model": schemas.ProblemDetails, "description": "Not yet, or no longer"},
    },
)
async def readyz(request: Request) -> JSONResponse:
    """Loops are compiled, files are mapped: answers come at full speed."""
    service: Service = request.app.state.service
    if not service.ready:
        raise HTTPProblem(503, "the service is starting or stopping", "busy", {"Retry-After": "1"})
    return JSONResponse({"status": "ready"})


@router.get(
    "/metrics",
    response_class=PlainTextResponse,
    responses={200: {"description": "Lines of names and numbers"}},
)
def metrics(request: Request) -> Response:
    """Counts and times of all workers, as Prometheus reads them."""
    text, kind = request.app.state.metrics.text()
    return Response(text, headers={"Content-Type": kind})
