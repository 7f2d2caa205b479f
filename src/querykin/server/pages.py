"""The pages: suggest, compare, judge and report, and the few files they need."""

from fastapi import APIRouter, HTTPException
from fastapi.responses import Response

from querykin.server import pages_compare, pages_judge, pages_rate, pages_report, pages_suggest
from querykin.server.views import STATIC, TYPES

router = APIRouter(include_in_schema=False)
for part in (pages_suggest, pages_compare, pages_judge, pages_rate, pages_report):
    router.include_router(part.router)


@router.get("/static/{name}")
def static(name: str, v: str = "") -> Response:
    """A file of ours; under an address that changes when it does, browsers may keep it."""
    if name not in STATIC:
        raise HTTPException(404, f"there is no file {name[:60]!r}")
    kind = TYPES[name.rpartition(".")[2]]
    headers = {"Cache-Control": "public, max-age=31536000, immutable" if v else "no-cache"}
    return Response(STATIC[name].read_bytes(), media_type=kind, headers=headers)
