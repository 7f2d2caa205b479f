"""The API: what the command line answers, over HTTP."""

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse
from pydantic import FiniteFloat

from querykin.measures.batch_scorer import similarity_json
from querykin.retrieval.suggester import suggestions_json
from querykin.server import schemas
from querykin.server.metrics import Metrics
from querykin.server.schemas import BOUND, Bounds, JudgementRequest, Match, Pairs, ProblemDetails
from querykin.server.service import Service
from querykin.server.snapshot import Snapshot
from querykin.types import explanation_json
from querykin.workspace import DEFAULT_MEASURE

_PROBLEMS: dict[int | str, dict[str, Any]] = {
    409: {"model": ProblemDetails, "description": "The workspace cannot answer, and why"},
    422: {"model": ProblemDetails, "description": "The request does not fit"},
    "default": {"model": ProblemDetails, "description": "Any other problem"},
}
router = APIRouter(prefix="/v1", responses=_PROBLEMS)


def _answer(model: Any, status: int = 200) -> dict[int | str, dict[str, Any]]:
    return {status: {"model": model, "description": "The answer"}}


def _parts(request: Request) -> tuple[Service, Bounds, Metrics]:
    state = request.app.state
    return state.service, state.bounds, state.metrics


def _noted(request: Request, measures: list[str], texts: list[Any]) -> None:
    """For the log and the metrics: by which measure, and what was asked."""
    request.state.measure = measures[0] if len(measures) == 1 else "several"
    request.state.texts = texts


@router.get("/suggest", responses=_answer(schemas.SuggestAnswer))
async def suggest(
    request: Request,
    q: Annotated[
        str, Query(description="The query, seen before or not.", json_schema_extra={BOUND: "max_text"})
    ],
    k: Annotated[
        int, Query(ge=1, description="At most this many suggestions.", json_schema_extra={BOUND: "max_k"})
    ] = 5,
    measure: Annotated[str, Query(max_length=200, description="The measure to search by.")] = DEFAULT_MEASURE,
    threshold: Annotated[FiniteFloat | None, Query(description="The least score of a suggestion.")] = None,
) -> JSONResponse:
    """Related queries of the repository for a query."""
    service, bounds, metrics = _parts(request)
    bounds.texts("query.q", [q])
    bounds.limit("query.k", k)
    question = q, k, measure, threshold
    known = service.snapshot.responses.get(question)
    metrics.looked_up(known is not None)
    if known is None:

        def work(snapshot: Snapshot) -> dict[str, Any]:
            found = suggestions_json(snapshot.suggest(q, k, measure, threshold))
            snapshot.responses.keep(question, found)
            return found

        known = await service.run(work)
    _noted(request, [measure], [q])
    metrics.covers(measure, known["covered"])
    return JSONResponse(known)


@router.post("/similarity", responses=_answer(list[schemas.SimilarityAnswer]))
async def similarity(request: Request, body: Pairs) -> JSONResponse:
    """How alike the two texts of each pair are, by every measure or by those named."""
    service, bounds, metrics = _parts(request)
    bounds.pairs(body, len(body.measures) or len(service.snapshot.measures))
    scores = await service.run(lambda snapshot: snapshot.score(body.texts(), body.measures))
    _noted(request, list(scores[0]), body.texts())
    found = [similarity_json(*pair, each) for pair, each in zip(body.texts(), scores, strict=True)]
    for each in found:
        for measure, score in each["scores"].items():
            metrics.covers(measure, score is not None)
    return JSONResponse(found)


@router.post("/explain", responses=_answer(list[schemas.ExplainAnswer]))
async def explain(request: Request, body: Pairs) -> JSONResponse:
    """Why each pair gets its score, by each measure: shared terms with their shares, and passages."""
    service, bounds, metrics = _parts(request)
    measures = body.measures or [DEFAULT_MEASURE]
    bounds.pairs(body, len(measures))
    found = await service.run(
        lambda snapshot: [
            explanation_json(snapshot.explain(a, b, measure)) for a, b in body.texts() for measure in measures
        ]
    )
    _noted(request, measures, body.texts())
    for each in found:
        metrics.covers(each["measure"], each["score"] is not None)
    return JSONResponse(found)


@router.post("/match", responses=_answer(list[schemas.SuggestAnswer]))
async def match(request: Request, body: Match) -> JSONResponse:
    """The nearest k queries of the repository for each of several, without filters."""
    service, bounds, metrics = _parts(request)
    bounds.queries(body)
    found = await service.run(lambda snapshot: snapshot.match(body.queries, body.k, body.measure))
    _noted(request, [body.measure], body.queries)
    for each in found:
        metrics.covers(body.measure, each.covered)
    return JSONResponse([suggestions_json(each) for each in found])


@router.post("/judgements", status_code=201, responses=_answer(schemas.JudgementAnswer, 201))
async def judge(request: Request, body: JudgementRequest) -> JSONResponse:
    """Keep a grade; it is on disk when the answer comes."""
    service, bounds, _ = _parts(request)
    bounds.texts("body", [body.query, body.candidate, body.rater, body.task])
    kept = await service.call(
        lambda: service.judgements.record(body.query, body.candidate, body.grade, body.rater, body.task)
    )
    return JSONResponse(asdict(kept), 201)
