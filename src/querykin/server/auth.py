"""Request authorization: bearer tokens, session cookies, host names and cross-site requests."""

import hmac
from collections.abc import Iterable
from hashlib import sha256
from urllib.parse import quote, urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from querykin.server.problems import HTTPProblem
from querykin.settings_sections import ServerSettings

COOKIE_NAME = "querykin"
PUBLIC_PATHS = ("/healthz", "/readyz", "/login", "/static/")
LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "::1")
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


def session_cookie(token: str) -> str:
    """Cookie value for a token: an HMAC of it, so it expires with the token and does not reveal it."""
    return hmac.digest(token.encode(), b"a session of querykin", sha256).hex()


def match_token(candidate: str, allowed: Iterable[str]) -> str | None:
    """The allowed value that equals the candidate, or None; compared in constant time."""
    matched = None
    digest = sha256(candidate.encode("utf-8", "replace")).digest()
    for value in allowed:
        if hmac.compare_digest(digest, sha256(value.encode()).digest()):
            matched = value
    return matched


class Auth:
    """Authorizes requests according to the settings."""

    def __init__(self, settings: ServerSettings) -> None:
        self._tokens, self._origins, self._hosts = settings.tokens, settings.origins, settings.hosts
        self._sessions = tuple(map(session_cookie, settings.tokens))

    def check(self, request: Request) -> Response | None:
        """Raise HTTPProblem if the request is not allowed.

        A browser without a token gets a redirect to the login form; None lets the request pass.
        """
        self._check_host(request)
        self._check_origin(request)
        if not self._tokens or request.url.path.startswith(PUBLIC_PATHS) or self._is_authenticated(request):
            return None
        if request.method == "GET" and "text/html" in request.headers.get("accept", ""):
            target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            return RedirectResponse(f"/login?next={quote(target, safe='')}", 303)
        raise HTTPProblem(
            401,
            "this service requires a token; send the header Authorization: Bearer TOKEN",
            "unauthorised",
            {"WWW-Authenticate": "Bearer"},
        )

    def _is_authenticated(self, request: Request) -> bool:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and match_token(token.strip(), self._tokens):
            return True
        return match_token(request.cookies.get(COOKIE_NAME, ""), self._sessions) is not None

    def _check_host(self, request: Request) -> None:
        """Reject unknown Host headers: protects a local service from DNS rebinding."""
        host = parse_host(request.headers.get("host", ""))
        if self._hosts and host not in self._hosts:
            raise HTTPProblem(
                421, f"the host name {host[:100]!r} is not allowed; add it to hosts in [server]", "foreign"
            )

    def _check_origin(self, request: Request) -> None:
        """Reject writes that another site's page makes the browser send (CSRF)."""
        origin, fetch_site = request.headers.get("origin"), request.headers.get("sec-fetch-site", "none")
        if request.method in _SAFE_METHODS or origin in self._origins:
            return
        same_host = origin is None or _network_location(origin) == request.headers.get("host", "")
        if not same_host or fetch_site not in ("none", "same-origin"):
            detail = (
                f"requests from the origin {str(origin)[:100]!r} are not allowed; see origins in [server]"
            )
            raise HTTPProblem(403, detail, "foreign")


def _network_location(origin: str) -> str | None:
    """Host name and port of an origin; None if it is malformed."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


def parse_host(header: str) -> str:
    """Host name of a Host header, lower-case, without port and IPv6 brackets; empty if malformed."""
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""
