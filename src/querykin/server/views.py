"""How do pages look? Templates, the few forms that numbers and texts take, and errors as sentences."""

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

from querykin.errors import InputError, QuerykinError
from querykin.measures import measures
from querykin.server.problems import HTTPProblem, problem_of
from querykin.server.service import Service
from querykin.version import __version__

_STATIC = files("querykin.server").joinpath("static")
STATIC = {
    **{path.name: path for path in _STATIC.iterdir()},
    "plots.css": files("querykin.evaluation").joinpath("plots.css"),
}
TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
Handler = Callable[..., Awaitable[Response]]


def service_of(request: Request) -> Service:
    """What answers."""
    found: Service = request.app.state.service
    return found


def number(score: float, digits: int = 3) -> str:
    """A score as people see it; '–' where the measure has no opinion."""
    return "–" if math.isnan(score) else f"{score:.{digits}f}"


def meaning(measure: str) -> str:
    """What a measure is, in a sentence; empty for one that is not known."""
    return (measures[measure].__doc__ or "").partition("\n")[0] if measure in list(measures) else ""


def sentence(message: str) -> str:
    """A message as the beginning of a sentence has it."""
    return message[:1].upper() + message[1:]


def safe_url(url: str) -> str:
    """An address that may be followed; empty for everything but the web's."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return ""
    return url.strip() if parts.scheme.lower() in ("http", "https") and parts.netloc else ""


def link(path: str, **values: Any) -> str:
    """A path with a query string, without what is empty."""
    given = {name: value for name, value in values.items() if value not in (None, "")}
    return f"{path}?{urlencode(given)}" if given else path


@cache
def _fingerprint(name: str) -> str:
    """Lets a browser keep a file until it changes."""
    return blake2b(STATIC[name].read_bytes(), digest_size=6).hexdigest()


def _static(name: str) -> str:
    return f"/static/{name}?v={_fingerprint(name)}"


_environment = Environment(
    loader=PackageLoader("querykin.server"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_environment.filters |= {"number": number, "safe_url": safe_url, "sentence": sentence}
_environment.globals |= {"link": link, "static": _static, "version": __version__}


def page(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A page from its template; nothing of it is kept by browsers or proxies."""
    base = request.scope.get("root_path", "")
    snapshot = service_of(request).snapshot
    facts = {"documents": len(snapshot.workspace.corpus), "queries": len(snapshot.repository)}
    text = _environment.get_template(template).render(base=base, facts=facts, **values)
    return HTMLResponse(text, status, {"Cache-Control": "no-store"})


def as_problem(request: Request, error: HTTPProblem | QuerykinError) -> HTTPProblem:
    """An error as people may read it."""
    if isinstance(error, QuerykinError):
        return problem_of(error, str(service_of(request).workspace.path))
    return error


def render_errors(handler: Handler) -> Handler:
    """A page that shows what went wrong as a sentence instead of failing."""

    @wraps(handler)
    async def answer(request: Request, **given: Any) -> Response:
        try:
            return await handler(request, **given)
        except (HTTPProblem, QuerykinError) as error:
            problem = as_problem(request, error)
            return page(request, "problem.html", problem.status, detail=problem.detail)

    return answer


def parse_int(name: str, given: str, default: int, most: int) -> int:
    """A number from a form; what cannot be read is told."""
    if not given.strip():
        return default
    try:
        found = int(given)
    except ValueError:
        found = 0
    if not 1 <= found <= most:
        raise InputError(f"{name} must be a whole number from 1 to {most:,}, got {given[:40]!r}")
    return found


def parse_float(name: str, given: str) -> float | None:
    """A number from a form, or none."""
    if not given.strip():
        return None
    try:
        found = float(given.replace(",", "."))
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise InputError(f"{name} must be a number, like 0.3, or empty; got {given[:40]!r}")
    return found


def check_length(request: Request, **texts: str) -> None:
    """Refuse texts that are longer than the service allows."""
    longest = service_of(request).settings.max_text
    for name, text in texts.items():
        if len(text) > longest:
            raise InputError(f"{name} may have {longest:,} characters, got {len(text):,}; shorten it")
