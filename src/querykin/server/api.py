"""JSON API: suggestions, similarity, explanations, matches and judgements over HTTP."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse
from pydantic import FiniteFloat

from querykin.defaults import DEFAULT_MEASURE, MIN_PROBABILITY
from querykin.measures.batch_scorer import similarity_json
from querykin.retrieval.filters import DEFAULT_FILTER
from querykin.retrieval.suggester import suggestions_json
from querykin.search.document_search import hits_json
from querykin.search.expansion import MAX_RESULTS
from querykin.server import schemas
from querykin.server.cluster_address import ClusterAddress
from querykin.server.cluster_cut import cut_json, open_cut
from querykin.server.metrics import Metrics
from querykin.server.request_limits import RequestLimits
from querykin.server.schemas import LIMIT, JudgementRequest, MatchRequest, PairsRequest, ProblemDetails
from querykin.server.service import Service
from querykin.server.snapshot import Snapshot
from querykin.types import explanation_json

CORRECTED_QUERY = "Corrected-Query"  # a header: the body of a search is a list of documents
MISSING_SHARDS = "Missing-Shards"  # a header of partial answers
Exact = Annotated[bool, Query(description="Search as typed: words without evidence are not corrected.")]
Responses = dict[int | str, dict[str, Any]]
_PROBLEMS: Responses = {
    409: {"model": ProblemDetails, "description": "The workspace cannot serve the request"},
    422: {"model": ProblemDetails, "description": "The request is invalid"},
    "default": {"model": ProblemDetails, "description": "Any other error"},
}
SEARCH = "search"  # in place of a measure in the log and the metrics
router = APIRouter(prefix="/v1", responses=_PROBLEMS)


def missing_shards_header(missing: Sequence[str]) -> dict[str, str] | None:
    """The header of a partial answer; None for a whole one."""
    return {MISSING_SHARDS: ", ".join(missing)} if missing else None


def _success(model: Any, description: str, status: int = 200) -> Responses:
    return {status: {"model": model, "description": description}}


def _dependencies(request: Request) -> tuple[Service, RequestLimits, Metrics]:
    state = request.app.state
    return state.service, state.request_limits, state.metrics


def _set_log_fields(request: Request, measures: list[str], texts: list[Any]) -> None:
    """Pass the measure and the texts to RequestMiddleware for the log and the metrics."""
    request.state.measure = measures[0] if len(measures) == 1 else "several"
    request.state.texts = texts


@router.get("/suggest", responses=_success(schemas.SuggestResponse, "Related queries, best first"))
async def suggest(
    request: Request,
    q: Annotated[
        str,
        Query(
            description="The query; it need not be in the query log.", json_schema_extra={LIMIT: "max_text"}
        ),
    ],
    k: Annotated[
        int, Query(ge=1, description="Maximum number of suggestions.", json_schema_extra={LIMIT: "max_k"})
    ] = 5,
    measure: Annotated[str, Query(max_length=200, description="Name of the measure.")] = DEFAULT_MEASURE,
    threshold: Annotated[FiniteFloat | None, Query(description="Minimum score of a suggestion.")] = None,
    filter: Annotated[
        str, Query(max_length=200, description="Diversity filter: diverse, paper or none.")
    ] = DEFAULT_FILTER,
    min_count: Annotated[int, Query(ge=0, description="Minimum count of a suggestion.")] = 1,
    min_probability: Annotated[
        FiniteFloat, Query(ge=0, le=1, description="Minimum probability of being a good suggestion.")
    ] = MIN_PROBABILITY,
    explain: Annotated[bool, Query(description="Explain each suggestion by terms and passages.")] = False,
    exact: Exact = False,
) -> JSONResponse:
    """Suggest related queries of the repository for a query."""
    service, limits, metrics = _dependencies(request)
    limits.check_texts("query.q", [q])
    limits.check_k("query.k", k)
    cache_key = q, k, measure, threshold, filter, min_count, min_probability, explain, exact
    response = service.snapshot.responses.get(cache_key)
    metrics.record_cache_lookup(response is not None)
    if response is None:

        def compute(snapshot: Snapshot) -> dict[str, Any]:
            found = snapshot.suggest(
                q,
                k,
                measure,
                filter=filter,
                threshold=threshold,
                min_count=min_count,
                min_probability=min_probability,
                explain=explain,
                exact=exact,
            )
            computed = suggestions_json(found)
            if not found.missing_shards:
                snapshot.responses.keep(cache_key, computed)
            return computed

        response = await service.run(compute)
    _set_log_fields(request, [measure], [q])
    metrics.record_coverage(measure, response["covered"])
    return JSONResponse(response, headers=missing_shards_header(response.get("missing_shards", ())))


_DOCUMENTS = _success(list[schemas.DocumentHit], "Documents, best first")
_DOCUMENTS[200]["headers"] = {
    CORRECTED_QUERY: {
        "description": "The text that was searched instead, percent-encoded.",
        "schema": {"type": "string"},
    }
}


@router.get("/search", responses=_DOCUMENTS)
async def search(
    request: Request,
    q: Annotated[str, Query(description="The query.", json_schema_extra={LIMIT: "max_text"})],
    k: Annotated[int, Query(ge=1, le=MAX_RESULTS, description="Maximum number of documents.")] = 10,
    exact: Exact = False,
) -> JSONResponse:
    """Find the documents that answer a query, with passages; none if the corpus does not cover the query.

    The header Corrected-Query has the text that was searched instead, percent-encoded, if words of the query
    without evidence were replaced.
    """
    service, limits, metrics = _dependencies(request)
    limits.check_texts("query.q", [q])
    limits.check_k("query.k", k)
    found = await service.run(lambda snapshot: snapshot.search(q, k, exact=exact))
    _set_log_fields(request, [SEARCH], [q])
    metrics.record_coverage(SEARCH, found.covered)
    corrected = {CORRECTED_QUERY: quote(found.correction.text)} if found.correction else None
    return JSONResponse(hits_json(found), headers=corrected)


@router.post("/similarity", responses=_success(list[schemas.SimilarityResponse], "Scores of each pair"))
async def similarity(request: Request, body: PairsRequest) -> JSONResponse:
    """Score the similarity of each pair of texts by the given measures, or by all that are ready."""
    service, limits, metrics = _dependencies(request)
    pairs = body.text_pairs()
    limits.check_pairs(body, len(body.measures) or len(service.snapshot.measures))

    def compute(snapshot: Snapshot) -> list[dict[str, Any]]:
        found = []
        for (a, b), scores in zip(pairs, snapshot.score(pairs, body.measures), strict=True):
            percentiles = {name: snapshot.percentile(score, name) for name, score in scores.items()}
            found.append(similarity_json(a, b, scores, percentiles))
        return found

    results = await service.run(compute)
    _set_log_fields(request, list(results[0]["scores"]), pairs)
    for result in results:
        for measure, score in result["scores"].items():
            metrics.record_coverage(measure, score is not None)
    return JSONResponse(results)


@router.post(
    "/explain", responses=_success(list[schemas.ExplainResponse], "One explanation per pair and measure")
)
async def explain(request: Request, body: PairsRequest) -> JSONResponse:
    """Explain the score of each pair by each measure: contributions of shared terms, and passages."""
    service, limits, metrics = _dependencies(request)
    pairs, measures = body.text_pairs(), body.measures or [DEFAULT_MEASURE]
    limits.check_pairs(body, len(measures))
    results = await service.run(
        lambda snapshot: [
            explanation_json(snapshot.explain(a, b, measure)) for a, b in pairs for measure in measures
        ]
    )
    _set_log_fields(request, measures, pairs)
    for result in results:
        metrics.record_coverage(result["measure"], result["score"] is not None)
    return JSONResponse(results)


@router.post("/match", responses=_success(list[schemas.SuggestResponse], "Nearest queries, best first"))
async def match(request: Request, body: MatchRequest) -> JSONResponse:
    """Find the k nearest queries of the repository for each query, without filters."""
    service, limits, metrics = _dependencies(request)
    limits.check_queries(body)
    matches = await service.run(lambda snapshot: snapshot.match(body.queries, body.k, body.measure))
    _set_log_fields(request, [body.measure], body.queries)
    for each in matches:
        metrics.record_coverage(body.measure, each.covered)
    missing = dict.fromkeys(shard for each in matches for shard in each.missing_shards)
    return JSONResponse(
        [suggestions_json(each) for each in matches], headers=missing_shards_header([*missing])
    )


@router.get("/clusters", responses=_success(schemas.ClustersResponse, "Clusters by descending count"))
async def clusters(
    request: Request,
    list: Annotated[
        str, Query(max_length=16, description="The id of a keyword list. Empty: the past queries.")
    ] = "",
    measure: Annotated[str, Query(max_length=200, description="Name of the measure.")] = DEFAULT_MEASURE,
    threshold: Annotated[
        FiniteFloat | None, Query(description="Minimum score of a member; the measure has a default.")
    ] = None,
    k: Annotated[
        int, Query(ge=1, description="Maximum number of clusters.", json_schema_extra={LIMIT: "max_k"})
    ] = 100,
) -> JSONResponse:
    """Group keywords around heads, once they were compared: on the page Clusters or by `querykin cluster`."""
    service, limits, _ = _dependencies(request)
    limits.check_k("query.k", k)
    address = ClusterAddress(list, measure, "" if threshold is None else repr(threshold))
    found = await service.run(lambda snapshot: cut_json(open_cut(service, snapshot, address), k))
    _set_log_fields(request, [measure], [])  # now that it is a known name: labels of metrics are bounded
    return JSONResponse(found)


@router.post(
    "/judgements",
    status_code=201,
    responses=_success(schemas.JudgementResponse, "The stored judgement", 201),
)
async def judge(request: Request, body: JudgementRequest) -> JSONResponse:
    """Store a grade, or that the pair cannot be judged; it is on disk before the response is sent."""
    service, limits, _ = _dependencies(request)
    texts = body.query, body.candidate, body.rater, body.task, body.note, body.need
    limits.check_texts("body", texts)
    said = body.model_dump(exclude={"cannot_judge"})
    judgement = await service.call(lambda: service.judgements.record(**said))
    return JSONResponse(asdict(judgement), 201)
