"""Login form for browsers: exchanges a token for an HttpOnly session cookie."""

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from querykin.server.auth import COOKIE_NAME, match_token, session_cookie
from querykin.server.known_parameters import check_names
from querykin.server.views import render_page
from querykin.settings_sections import ServerSettings

router = APIRouter(include_in_schema=False)
_MAX_FIELDS = 10


@router.get("/login")
async def login_form(request: Request, next: str = "/") -> Response:
    """The form."""
    return render_page(request, "login.html", next=_local_path(next), problem="")


@router.post("/login")
async def login(request: Request) -> Response:
    """Set a session cookie for a valid token and redirect to the page asked for."""
    settings: ServerSettings = request.app.state.settings
    async with request.form(max_files=0, max_fields=_MAX_FIELDS) as form:
        check_names("form", form, {"next": False, "token": False})
        target, token = (str(form.get(name, "")) for name in ("next", "token"))
    matched = match_token(token.strip(), settings.tokens)
    if matched is None:
        return render_page(
            request, "login.html", 401, next=_local_path(target), problem="This token is not valid."
        )
    response = RedirectResponse(_local_path(target), 303)
    response.set_cookie(
        COOKIE_NAME,
        session_cookie(matched),
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return response


def _local_path(target: str) -> str:
    """The target if it is a path of this service, otherwise "/": prevents open redirects."""
    is_local = target.startswith("/") and not target.startswith(("//", "/\\")) and target.isprintable()
    return target if is_local else "/"
