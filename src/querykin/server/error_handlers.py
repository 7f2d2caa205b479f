"""Responses to handled exceptions: a page for people, problem details for programs."""

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from querykin.errors import QuerykinError
from querykin.server.problems import HTTPProblem, problem_from_error, validation_problem
from querykin.server.views import render_problem

_FOR_PROGRAMS = ("/v1/", "/static/", "/openapi.json", "/healthz", "/readyz", "/metrics")


def register(app: FastAPI) -> None:
    """Respond to every handled exception."""

    @app.exception_handler(HTTPProblem)
    async def _problem(request: Request, error: HTTPProblem) -> Response:
        return respond(request, error)

    @app.exception_handler(QuerykinError)
    async def _library_error(request: Request, error: QuerykinError) -> Response:
        return respond(request, problem_from_error(error, str(request.app.state.service.workspace.path)))

    @app.exception_handler(HTTPException)
    async def _http_exception(request: Request, error: HTTPException) -> Response:
        detail, headers = str(error.detail), error.headers or {}
        if error.status_code == 404:
            path = request.url.path[:200]
            people = _is_for_people(request)
            detail = f"there is no page {path}" if people else f"there is no {path}; /docs lists all requests"
        elif error.status_code == 405:
            detail = (
                f"{request.method[:20]} is not allowed here; allowed: {headers.get('Allow', 'see /docs')}"
            )
        return respond(request, HTTPProblem(error.status_code, detail, headers=headers))

    @app.exception_handler(RequestValidationError)
    async def _validation_error(request: Request, error: RequestValidationError) -> Response:
        errors = [
            {"at": ".".join(map(str, each["loc"]))[:200], "message": each["msg"]} for each in error.errors()
        ]
        return respond(request, validation_problem(errors))


def respond(request: Request, problem: HTTPProblem) -> Response:
    """A problem as the client wants it."""
    return render_problem(request, problem) if _is_for_people(request) else problem.response()


def _is_for_people(request: Request) -> bool:
    """Whether a browser will show the response as a page."""
    accepts_pages = "text/html" in request.headers.get("accept", "")
    return accepts_pages and not request.url.path.startswith(_FOR_PROGRAMS)
