"""Routes of the HTML pages and of their static files."""

from fastapi import APIRouter, HTTPException
from fastapi.responses import Response

from querykin.server import (
    pages_cluster_changes,
    pages_clusters,
    pages_compare,
    pages_jobs,
    pages_judge,
    pages_keyword_lists,
    pages_learn,
    pages_rate,
    pages_report,
    pages_search,
    pages_suggest,
    pages_task,
)
from querykin.server.views import MEDIA_TYPES, STATIC_FILES

router = APIRouter(include_in_schema=False)
for module in (
    pages_suggest,
    pages_search,
    pages_clusters,
    pages_keyword_lists,
    pages_cluster_changes,
    pages_compare,
    pages_judge,
    pages_learn,
    pages_task,
    pages_rate,
    pages_learn,
    pages_report,
    pages_jobs,
):
    router.include_router(module.router)


@router.get("/static/{name}")
def static(name: str, v: str = "") -> Response:
    """A static file; cached for a year if the URL has a fingerprint."""
    if name not in STATIC_FILES:
        raise HTTPException(404, f"there is no file {name[:60]!r}")
    media_type = MEDIA_TYPES[name.rpartition(".")[2]]
    headers = {"Cache-Control": "public, max-age=31536000, immutable" if v else "no-cache"}
    return Response(STATIC_FILES[name].read_bytes(), media_type=media_type, headers=headers)
