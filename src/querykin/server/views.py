"""Helpers of the HTML pages: templates, form values, links, and errors as pages."""

import math
from collections.abc import Awaitable, Callable
from functools import cache, wraps
from hashlib import blake2b
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode, urlsplit

from fastapi import Request, Response
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined

from querykin.counted_nouns import counted
from querykin.errors import InputError, QuerykinError
from querykin.measures import measures
from querykin.retrieval.score_distribution import closer_than, percentile_text
from querykin.server.problems import HTTPProblem, problem_from_error
from querykin.server.service import Service
from querykin.version import __version__

STATIC_FILES = {
    **{path.name: path for path in files("querykin.server").joinpath("static").iterdir()},
    "plots.css": files("querykin.evaluation").joinpath("plots.css"),
}
MEDIA_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
Handler = Callable[..., Awaitable[Response]]


def get_service(request: Request) -> Service:
    """The service of the application."""
    service: Service = request.app.state.service
    return service


def format_number(value: float, digits: int = 3) -> str:
    """A number with fixed digits; "–" for NaN, the score of a text that is not covered."""
    return "–" if math.isnan(value) else f"{value:.{digits}f}"


def measure_summary(name: str) -> str:
    """First line of a measure's docstring; empty for a trained or unknown measure."""
    return (measures[name].kind.__doc__ or "").partition("\n")[0] if name in list(measures) else ""


def capitalize_first(message: str) -> str:
    """The message with its first letter in upper case."""
    return message[:1].upper() + message[1:]


def safe_url(url: str) -> str:
    """The URL if its scheme is http or https, otherwise empty: keeps javascript: out of links."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return ""
    return url.strip() if parts.scheme.lower() in ("http", "https") and parts.netloc else ""


def _percentile(percentile: float) -> str:
    """A percentile that is not broken into two lines."""
    return percentile_text(percentile).replace(" ", "\N{NO-BREAK SPACE}")


def _closer_than(percentile: float) -> str:
    """How a score stands among random pairs; no line begins with the per cent sign."""
    return closer_than(percentile).replace(" %", "\N{NO-BREAK SPACE}%")


def link(path: str, **parameters: Any) -> str:
    """A path with a query string of the parameters that are not empty."""
    present = {name: value for name, value in parameters.items() if value not in (None, "")}
    return f"{path}?{urlencode(present)}" if present else path


@cache
def _fingerprint(name: str) -> str:
    return blake2b(STATIC_FILES[name].read_bytes(), digest_size=6).hexdigest()


def _static_url(name: str) -> str:
    """URL of a static file that changes with its contents, so that browsers can cache it."""
    return f"/static/{name}?v={_fingerprint(name)}"


_environment = Environment(
    loader=PackageLoader("querykin.server"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_environment.filters |= {
    "number": format_number,
    "percentile": _percentile,
    "closer_than": _closer_than,
    "safe_url": safe_url,
    "capitalize_first": capitalize_first,
}
_environment.globals |= {"link": link, "static": _static_url, "version": __version__}


def render_page(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Render a template as a response that is not cached."""
    base = request.scope.get("root_path", "")
    snapshot = get_service(request).snapshot
    counts = f"{counted(len(snapshot.workspace.corpus), 'document')}, {snapshot.totals}"
    text = _environment.get_template(template).render(base=base, counts=counts, **values)
    return HTMLResponse(text, status, {"Cache-Control": "no-store"})


def attachment(text: str, file_name: str, media_type: str) -> Response:
    """A response that the browser saves as a file."""
    headers = {"Content-Disposition": f'attachment; filename="{file_name}"', "Cache-Control": "no-store"}
    content = text.encode("utf-8", "replace")
    return Response(content, media_type=f"{media_type}; charset=utf-8", headers=headers)


def as_problem(request: Request, error: HTTPProblem | QuerykinError) -> HTTPProblem:
    """The error as a problem, with a message that is safe to show."""
    if isinstance(error, QuerykinError):
        return problem_from_error(error, str(get_service(request).workspace.path))
    return error


def render_problem(request: Request, problem: HTTPProblem) -> HTMLResponse:
    """A problem as a page."""
    page = render_page(
        request, "problem.html", problem.status, found=problem.status != 404, detail=problem.detail
    )
    page.headers.update(problem.headers)
    return page


def render_errors(handler: Handler) -> Handler:
    """Decorator of page handlers: renders problems and library errors as HTML."""

    @wraps(handler)
    async def wrapper(request: Request, **parameters: Any) -> Response:
        try:
            return await handler(request, **parameters)
        except (HTTPProblem, QuerykinError) as error:
            return render_problem(request, as_problem(request, error))

    return wrapper


def parse_int(name: str, value: str, default: int, maximum: int) -> int:
    """An integer from 1 to the maximum from a form; the default for an empty value."""
    if not value.strip():
        return default
    try:
        number = int(value)
    except ValueError:
        number = 0
    if not 1 <= number <= maximum:
        raise InputError(f"{name} must be a whole number from 1 to {maximum:,}, got {value[:40]!r}")
    return number


def parse_float(name: str, value: str) -> float | None:
    """A finite number from a form; None for an empty value."""
    if not value.strip():
        return None
    try:
        number = float(value.replace(",", "."))
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{name} must be a number, for example 0.3, or empty; got {value[:40]!r}")
    return number


def parse_probability(name: str, value: str, default: float) -> float:
    """A number from 0 to 1 from a form; the default for an empty value."""
    number = parse_float(name, value)
    if number is None:
        return default
    if not 0 <= number <= 1:
        raise InputError(f"{name} must be a number from 0 to 1, for example 0.2, got {value[:40]!r}")
    return number


def check_length(request: Request, **texts: str) -> None:
    """Check texts, keyed by their names in the message, against `max_text`."""
    max_text = get_service(request).settings.max_text
    for name, text in texts.items():
        if len(text) > max_text:
            raise InputError(f"{name} may have {max_text:,} characters, got {len(text):,}; shorten it")
