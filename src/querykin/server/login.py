"""How does a browser show a token? Typed once into a form, kept as a cookie that scripts cannot read."""

from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from querykin.server.auth import COOKIE, known, session
from querykin.server.views import page
from querykin.settings import ServerSettings

router = APIRouter(include_in_schema=False)


@router.get("/login")
async def ask(request: Request, next: str = "/") -> Response:
    """The form."""
    return page(request, "login.html", next=_inside(next), problem="")


@router.post("/login")
async def check(request: Request) -> Response:
    """A good token becomes a cookie for as long as the browser is open."""
    settings: ServerSettings = request.app.state.settings
    form = parse_qs((await request.body()).decode("utf-8", "replace"))
    target, token = (form.get(name, [""])[0] for name in ("next", "token"))
    found = known(token.strip(), settings.tokens)
    if found is None:
        return page(
            request, "login.html", 401, next=_inside(target), problem="This is no token of the service."
        )
    answer = RedirectResponse(_inside(target), 303)
    answer.set_cookie(
        COOKIE, session(found), httponly=True, samesite="strict", secure=request.url.scheme == "https"
    )
    return answer


def _inside(target: str) -> str:
    """A path of this service and of no other."""
    local = target.startswith("/") and not target.startswith(("//", "/\\")) and target.isprintable()
    return target if local else "/"
