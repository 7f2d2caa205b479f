"""The page that suggests: a query in, related ones out, each with why."""

import json
import math
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from querykin.errors import QuerykinError
from querykin.querylog.repository import normalize_query
from querykin.retrieval.suggester import Suggestions, suggestions_json
from querykin.server.explanation_view import make_view
from querykin.server.pooling import most_frequent
from querykin.server.problems import HTTPProblem
from querykin.server.snapshot import Snapshot
from querykin.server.views import (
    as_problem,
    check_length,
    link,
    meaning,
    page,
    parse_float,
    parse_int,
    render_errors,
    service_of,
)
from querykin.workspace import DEFAULT_MEASURE

router = APIRouter()
SHOWN = 10
MOST = 100
EXAMPLES = 4


@dataclass(frozen=True)
class Asked:
    """What somebody typed into the form, as it came."""

    q: str = ""
    measure: str = DEFAULT_MEASURE
    k: str = ""
    threshold: str = ""

    def link(self, path: str, **more: str) -> str:
        """The same question at another address."""
        measure = "" if self.measure == DEFAULT_MEASURE else self.measure
        return link(path, q=self.q, measure=measure, k=self.k, threshold=self.threshold, **more)


@router.get("/")
@render_errors
async def suggest(
    request: Request, q: str = "", measure: str = DEFAULT_MEASURE, k: str = "", threshold: str = ""
) -> Response:
    """Related queries as one types."""
    asked, service = Asked(normalize_query(q), measure, k, threshold), service_of(request)
    values = await service.run(lambda now: _prepared(now, asked))
    found, status = None, 200
    try:
        found = await _answer(request, asked) if asked.q and not values["missing"] else None
    except (HTTPProblem, QuerykinError) as error:
        problem = as_problem(request, error)
        values["problem"], status = problem.detail, problem.status
    shown = _with_bars(found) if found else []
    return page(request, "suggest.html", status, found=found, shown=shown, **values)


def _prepared(snapshot: Snapshot, asked: Asked) -> dict[str, Any]:
    """What the form offers."""
    examples = [] if asked.q else most_frequent(snapshot.repository, EXAMPLES)
    return {
        "asked": asked,
        "measures": snapshot.searching,
        "missing": missing(snapshot),
        "examples": examples,
        "meaning": meaning(asked.measure),
        "problem": "",
    }


async def _answer(request: Request, asked: Asked) -> Suggestions:
    check_length(request, **{"the query": asked.q})
    most = min(MOST, service_of(request).settings.max_k)
    limit = parse_int("the number of suggestions", asked.k, SHOWN, most)
    least = parse_float("the least score", asked.threshold)
    found = await service_of(request).run(lambda now: now.suggest(asked.q, limit, asked.measure, least))
    request.state.measure = found.measure  # for the log and the metrics
    return found


def _with_bars(found: Suggestions) -> list[tuple[Any, float]]:
    """Each suggestion with the length of its bar in percent."""
    best = max((offer.score for offer in found.suggestions), default=1.0)
    lengths = (
        math.exp(offer.score) if offer.score < 0 else offer.score / max(best, 1.0)
        for offer in found.suggestions
    )
    return [(offer, round(100 * length, 1)) for offer, length in zip(found.suggestions, lengths, strict=True)]


def missing(snapshot: Snapshot) -> list[dict[str, str]]:
    """What is to be done before anything can be suggested, in order."""
    steps = []
    if not len(snapshot.workspace.corpus):
        steps.append({"what": "Add your documents", "run": "querykin corpus add FILE..."})
    if not len(snapshot.repository):
        mine = "querykin repository mine"  # without a log
        steps.append(
            {"what": "Add past queries, one a line", "run": "querykin repository add FILE", "or": mine}
        )
    if steps or not snapshot.searching:
        steps.append({"what": "Build the index", "run": "querykin build"})
    return steps


@router.get("/suggestions.{form}")
@render_errors
async def export(
    request: Request, form: str, q: str = "", measure: str = DEFAULT_MEASURE, k: str = "", threshold: str = ""
) -> Response:
    """The suggestions as a file: tsv or json, as the command line writes them."""
    if form not in ("tsv", "json"):
        raise HTTPProblem(404, f"suggestions can be had as tsv or json, got {form[:20]!r}")
    found = await _answer(request, Asked(normalize_query(q), measure, k, threshold))
    if form == "json":
        text, kind = json.dumps([suggestions_json(found)], ensure_ascii=False), "application/json"
    else:
        rows = (
            f"{found.query}\t{rank}\t{offer.query}\t{offer.score:.9g}\t{offer.count}\n"
            for rank, offer in enumerate(found.suggestions, start=1)
        )
        text, kind = "query\trank\tsuggestion\tscore\tcount\n" + "".join(rows), "text/tab-separated-values"
    return attachment(text, f"suggestions.{form}", kind)


def attachment(text: str, name: str, kind: str) -> Response:
    """A file to save."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(text.encode("utf-8", "replace"), media_type=f"{kind}; charset=utf-8", headers=headers)


@router.get("/why")
@render_errors
async def why(request: Request, a: str = "", b: str = "", measure: str = DEFAULT_MEASURE) -> Response:
    """Why a suggestion is offered: shared terms as bars, and passages of the documents."""
    a, b = normalize_query(a), normalize_query(b)
    check_length(request, **{"the first text": a, "the second text": b})
    found = await service_of(request).run(lambda now: now.explain(a, b, measure))
    request.state.measure = found.measure
    return page(request, "why.html", why=make_view(found))
