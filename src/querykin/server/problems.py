"""What went wrong, as RFC 9457 wants it said: problem details in JSON."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from querykin.build_policy import NotBuilt
from querykin.errors import InputError, QuerykinError, UnknownName

MEANINGS = {  # the problems with a page of their own: a part of /docs
    "not-built": "The measure has no index or counts yet. Run querykin build; no restart is needed.",
    "workspace": "The workspace cannot answer: it is empty, damaged, or was built with other settings.",
    "invalid": "The request does not fit the schema or the configured bounds; errors names each place.",
    "too-large": "The body is longer than max_body of the settings.",
    "unauthorised": "The service asks for a bearer token, and none of its tokens was shown.",
    "foreign": "The request comes from another site, or under a name that the service does not answer to.",
    "too-fast": "This client asks more often than rate and burst allow; see Retry-After.",
    "busy": "More requests are under way than concurrency allows; see Retry-After.",
    "timeout": "The answer, or the request's body, took longer than timeout allows.",
    "internal": "A fault of the service; its log has the details under the request of this problem.",
}


class HTTPProblem(Exception):
    """Something to tell the client instead of an answer."""

    def __init__(
        self, status: int, detail: str, kind: str = "", headers: Mapping[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(detail)
        self.status, self.detail, self.kind, self.more = status, detail, kind, more
        self.headers = dict(headers or {})

    def response(self) -> JSONResponse:
        """The problem as an answer."""
        content = {
            "type": f"/docs#{self.kind}" if self.kind else "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
            **self.more,
        }
        return JSONResponse(content, self.status, self.headers, media_type="application/problem+json")


def problem_of(error: QuerykinError, workspace: str) -> HTTPProblem:
    """An error of the library as a client may see it: the path of the workspace is none of its business."""
    message = str(error).replace(workspace, "the workspace")
    if isinstance(error, InputError | UnknownName):
        return HTTPProblem(422, message, "invalid")
    return HTTPProblem(409, message, "not-built" if isinstance(error, NotBuilt) else "workspace")


def register(app: FastAPI) -> None:
    """Answer every error with problem details."""

    @app.exception_handler(HTTPProblem)
    async def _problem(request: Request, error: HTTPProblem) -> JSONResponse:
        return error.response()

    @app.exception_handler(QuerykinError)
    async def _ours(request: Request, error: QuerykinError) -> JSONResponse:
        return problem_of(error, str(request.app.state.service.workspace.path)).response()

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> JSONResponse:
        return HTTPProblem(error.status_code, str(error.detail), headers=error.headers).response()

    @app.exception_handler(RequestValidationError)
    async def _invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        found = [
            {"at": ".".join(map(str, each["loc"]))[:200], "message": each["msg"]} for each in error.errors()
        ]
        return invalid(found).response()


def invalid(errors: list[dict[str, str]]) -> HTTPProblem:
    """A request that does not fit: what is wrong, place by place, without repeating what was sent."""
    first = f"{errors[0]['at']}: {errors[0]['message']}" if errors else "the request does not fit the schema"
    more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
    return HTTPProblem(422, first + more, "invalid", errors=errors[:20])
