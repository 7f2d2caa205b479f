"""Search page: the documents that answer a query, with the passages that match it."""

from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import APIRouter, Request
from fastapi.responses import Response

from querykin.errors import QuerykinError
from querykin.measures.passages import marked
from querykin.search.document_search import DocumentHits
from querykin.search.expansion import MAX_RESULTS
from querykin.server.api import SEARCH
from querykin.server.problems import HTTPProblem
from querykin.server.snapshot import Snapshot
from querykin.server.views import (
    as_problem,
    check_length,
    get_service,
    parse_int,
    render_errors,
    render_page,
)
from querykin.text.analyzer import Analyzer
from querykin.text.normalization import normalize_query
from querykin.types import Correction

router = APIRouter()
DEFAULT_K = 10


@dataclass(frozen=True)
class HitView:
    """A document, and its passages as (text, highlighted) fragments."""

    title: str
    url: str
    passages: Sequence[Sequence[tuple[str, bool]]]


@router.get("/search")
@render_errors
async def search(request: Request, q: str = "", k: str = "", exact: str = "") -> Response:
    """The form, and documents if a query is given."""
    q = normalize_query(q)
    found, meant, problem, status = None, None, "", 200
    has_documents = len(get_service(request).snapshot.workspace.corpus) > 0
    try:
        if q and has_documents:
            found, meant = await _search(request, q, k, exact == "true")
    except (HTTPProblem, QuerykinError) as error:
        shown = as_problem(request, error)
        problem, status = shown.detail, shown.status
    return render_page(
        request,
        "search.html",
        status,
        q=q,
        k=k,
        max_k=_max_k(request),
        found=found,
        hits=_views(found, get_service(request).snapshot.workspace.analyzer) if found else [],
        meant=meant,
        problem=problem,
        has_documents=has_documents,
    )


def _max_k(request: Request) -> int:
    return min(MAX_RESULTS, get_service(request).settings.max_k)


async def _search(request: Request, q: str, k: str, exact: bool) -> tuple[DocumentHits, Correction | None]:
    """The documents, and what misspelt words probably mean if they were searched as typed."""
    check_length(request, **{"the query": q})
    number = parse_int("the number of documents", k, DEFAULT_K, _max_k(request))
    request.state.measure = SEARCH  # for the log and the metrics

    def found(snapshot: Snapshot) -> tuple[DocumentHits, Correction | None]:
        meant = snapshot.workspace.spelling.correct(q) if exact else None
        return snapshot.search(q, number, exact=exact), meant

    return await get_service(request).run(found)


def _views(found: DocumentHits, analyzer: Analyzer) -> list[HitView]:
    return [
        HitView(
            hit.title or hit.id,
            hit.url,
            [marked(passage, found.terms, analyzer) for passage in hit.passages],
        )
        for hit in found.hits
    ]
