"""Errors as problem details in JSON (RFC 9457)."""

from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

from fastapi.responses import JSONResponse

from querykin.build_policy import NotBuilt
from querykin.errors import InputError, QuerykinError, ServiceUnavailable, UnknownName
from querykin.judgements.database import JudgementsUnavailable
from querykin.server.not_found import NotFound
from querykin.storage.locations import without_location

PROBLEM_TYPES = {  # fragment of the type URI /docs#..., and its description on that page
    "not-built": "The measure has no index or no counts yet. Run querykin build; no restart is needed.",
    "workspace": "The workspace is empty, corrupted, or was built with other settings.",
    "judgements": "The file of judgements is damaged, or the folder of the workspace is gone.",
    "invalid": "The request does not match the schema or exceeds a limit; errors lists each location.",
    "too-large": "The body is larger than max_body in the settings.",
    "unauthorised": "The service requires a bearer token, and the request has no valid one.",
    "foreign": "The request comes from another site, or uses a host name that is not allowed.",
    "too-fast": "The client exceeds rate and burst in the settings; see Retry-After.",
    "busy": "More requests are in progress than concurrency allows; see Retry-After.",
    "unavailable": "A service that this one depends on, like OpenSearch, does not answer; try again later.",
    "version": "The shard has another version of the workspace than the router; it catches up by itself.",
    "shards": "The router reaches none of its shards.",
    "timeout": "The response, or the body of the request, took longer than timeout allows.",
    "internal": "An internal error; the log has the details under the request id of this problem.",
}
_MAX_ERRORS = 20  # validation errors listed in one response


class HTTPProblem(Exception):
    """An error response: status, detail, problem type, headers, and extension members."""

    def __init__(
        self,
        status: int,
        detail: str,
        problem_type: str = "",
        headers: Mapping[str, str] | None = None,
        **extensions: Any,
    ) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail
        self.problem_type, self.extensions = problem_type, extensions
        self.headers = dict(headers or {})

    def response(self) -> JSONResponse:
        """The problem as an HTTP response."""
        content = {
            "type": f"/docs#{self.problem_type}" if self.problem_type else "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
            **self.extensions,
        }
        return JSONResponse(content, self.status, self.headers, media_type="application/problem+json")


def problem_from_error(error: QuerykinError, workspace_path: str) -> HTTPProblem:
    """An error of the library as a problem, without the path of the workspace."""
    message = without_location(str(error), Path(workspace_path))
    if isinstance(error, NotFound):
        return HTTPProblem(404, message)
    if isinstance(error, InputError | UnknownName):
        return HTTPProblem(422, message, "invalid")
    if isinstance(error, ServiceUnavailable):
        return HTTPProblem(503, message, "unavailable")
    if isinstance(error, JudgementsUnavailable):
        return HTTPProblem(503, message, "judgements")
    return HTTPProblem(409, message, "not-built" if isinstance(error, NotBuilt) else "workspace")


def validation_problem(errors: list[dict[str, str]]) -> HTTPProblem:
    """A request that does not match the schema: location and message of each error, without its input."""
    first = (
        f"{errors[0]['at']}: {errors[0]['message']}" if errors else "the request does not match the schema"
    )
    more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
    return HTTPProblem(422, first + more, "invalid", errors=errors[:_MAX_ERRORS])
