"""What a router asks a shard: its best candidates for queries, before filters and corrections."""

import math
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field, FiniteFloat

from querykin.errors import InputError
from querykin.retrieval.retrievers import Retriever
from querykin.retrieval.sharded_retriever import keep_rows
from querykin.server.schemas import MeasureName, ProblemDetails, RequestBody
from querykin.server.service import Service
from querykin.server.shard_client import SEARCH_PATH, STATUS_PATH
from querykin.server.shard_messages import rankings_json, rows_from_json
from querykin.vectors import Vectors

router = APIRouter(responses={"default": {"model": ProblemDetails, "description": "An error"}})


class ShardRows(RequestBody):
    """Sparse rows in the layout of CSR; arrays of 64-bit numbers, little-endian, in Base64."""

    space: str = Field(max_length=10_000)
    indptr: str
    features: str
    weights: str


class ShardSearchRequest(RequestBody):
    """Queries, as they are to be searched, with their rows in each index that the measure searches.

    The version is that of the workspace that the router reads. Without rows the shard encodes the queries.
    """

    version: str = Field(max_length=64)
    measure: MeasureName
    queries: list[str] = Field(min_length=1)
    rows: list[ShardRows] = Field([])
    k: int = Field(ge=1)
    min_score: FiniteFloat | None = None
    min_count: int = 1


class ShardRanking(BaseModel):
    """Candidates of one query, best first."""

    query_ids: list[int]
    scores: list[float]
    covered: bool
    probabilities: list[float] | None


class ShardSearchResponse(BaseModel):
    """The rankings of the queries."""

    shard: str
    version: str
    rankings: list[ShardRanking]


class ShardStatus(BaseModel):
    """The shard and the versions of the workspace that it can search."""

    shard: str
    versions: list[str]


def _rows(body: ShardSearchRequest, retriever: Retriever) -> list[Vectors]:
    indexes = len(retriever.index_retrievers)
    if len(body.rows) != indexes:
        raise InputError(f"{body.measure} searches {indexes} indexes, got rows for {len(body.rows)}")
    return [rows_from_json(each.model_dump(), body.queries) for each in body.rows]


@router.get(STATUS_PATH, responses={200: {"model": ShardStatus, "description": "The shard"}})
def status(request: Request) -> JSONResponse:
    """The shard of this process, and the versions of the workspace that it can search."""
    service: Service = request.app.state.service
    return JSONResponse({"shard": str(service.workspace.shard), "versions": service.versions})


@router.post(
    SEARCH_PATH, responses={200: {"model": ShardSearchResponse, "description": "Candidates of the shard"}}
)
async def search(request: Request, body: ShardSearchRequest) -> JSONResponse:
    """Find the k nearest queries of the shard for each query; for routers."""
    service: Service = request.app.state.service

    def compute() -> list[dict[str, Any]]:
        retriever = service.at_version(body.version).retriever(body.measure)
        if body.rows:
            keep_rows(retriever, body.queries, _rows(body, retriever))
        min_score = -math.inf if body.min_score is None else body.min_score
        return rankings_json(retriever.search(body.queries, body.k, min_score, body.min_count))

    rankings = await service.call(compute)
    request.state.measure = body.measure  # now that it is a known name: labels of metrics are bounded
    return JSONResponse(
        {"shard": str(service.workspace.shard), "version": body.version, "rankings": rankings}
    )
