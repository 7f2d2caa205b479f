"""Who may ask? Tokens, the names that the service answers to, and no requests that other sites make up."""

import hmac
from collections.abc import Iterable
from hashlib import sha256
from urllib.parse import quote, urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from querykin.server.problems import HTTPProblem
from querykin.settings import ServerSettings

COOKIE = "querykin"
OPEN = ("/healthz", "/readyz", "/login", "/static/")
LOCAL = ("localhost", "127.0.0.1", "::1")
_SAFE = ("GET", "HEAD", "OPTIONS")


def session(token: str) -> str:
    """What a browser keeps for a token: not the token, and of no use once that is taken away."""
    return hmac.digest(token.encode(), b"a session of querykin", sha256).hex()


def known(shown: str, allowed: Iterable[str]) -> str | None:
    """The one of the allowed that was shown; takes as long whichever it is, or none."""
    found = None
    given = shown.encode("utf-8", "replace")
    for each in allowed:
        if hmac.compare_digest(sha256(given).digest(), sha256(each.encode()).digest()):
            found = each
    return found


class Auth:
    """Admits a request, or says why not."""

    def __init__(self, settings: ServerSettings) -> None:
        self._tokens, self._origins, self._hosts = settings.tokens, settings.origins, settings.hosts
        self._sessions = tuple(map(session, settings.tokens))

    def check(self, request: Request) -> Response | None:
        """Raise a Problem for what may not be; a browser without a token is sent to a form that takes one."""
        self._check_host(request)
        self._check_origin(request)
        if not self._tokens or request.url.path.startswith(OPEN) or self._shown(request):
            return None
        if request.method == "GET" and "text/html" in request.headers.get("accept", ""):
            here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            return RedirectResponse(f"/login?next={quote(here, safe='')}", 303)
        raise HTTPProblem(
            401,
            "show a token of the service: Authorization: Bearer TOKEN",
            "unauthorised",
            {"WWW-Authenticate": "Bearer"},
        )

    def _shown(self, request: Request) -> bool:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and known(token.strip(), self._tokens):
            return True
        return known(request.cookies.get(COOKIE, ""), self._sessions) is not None

    def _check_host(self, request: Request) -> None:
        """Under another name a page of another site could reach a service that only this machine should."""
        host = host_of(request.headers.get("host", ""))
        if self._hosts and host not in self._hosts:
            raise HTTPProblem(
                421,
                f"the service does not answer to the name {host[:100]!r}; add it to hosts in [server]",
                "foreign",
            )

    def _check_origin(self, request: Request) -> None:
        """A form on another site may not judge in the name of somebody who looks at it."""
        origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site", "none")
        if request.method in _SAFE or origin in self._origins:
            return
        ours = origin is None or urlsplit(origin).netloc == request.headers.get("host", "")
        if not ours or site not in ("none", "same-origin"):
            detail = f"requests made by {str(origin)[:100]!r} are not taken; see origins in [server]"
            raise HTTPProblem(403, detail, "foreign")


def host_of(header: str) -> str:
    """The name in a Host header, without the port and the brackets of IPv6."""
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""
