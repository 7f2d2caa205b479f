"""The page that compares: two texts, every measure, and what each score is made of."""

import math
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from querykin.errors import QuerykinError
from querykin.querylog.repository import normalize_query
from querykin.server.explanation_view import ExplanationView, make_view
from querykin.server.problems import HTTPProblem
from querykin.server.snapshot import Snapshot
from querykin.server.views import as_problem, check_length, meaning, page, render_errors, service_of

router = APIRouter()
TERMS = 6  # shared terms that are shown of each measure


@router.get("/compare")
@render_errors
async def compare(request: Request, a: str = "", b: str = "") -> Response:
    """Two texts side by side."""
    a, b = normalize_query(a), normalize_query(b)
    values: dict[str, Any] = {"a": a, "b": b, "problem": "", "main": None}
    values |= {"compared": [], "apart": [], "silent": []}
    try:
        check_length(request, **{"the first text": a, "the second text": b})
        if a and b:
            values |= await service_of(request).run(lambda now: _compared(now, a, b))
    except (HTTPProblem, QuerykinError) as error:
        problem = as_problem(request, error)
        return page(request, "compare.html", problem.status, **{**values, "problem": problem.detail})
    return page(request, "compare.html", **values)


def _compared(snapshot: Snapshot, a: str, b: str) -> dict[str, Any]:
    """What every measure says: one at length, the others shortly, and who finds nothing or is silent."""
    found = {name: snapshot.explain(a, b, name) for name in snapshot.measures}
    speaking = [name for name, each in found.items() if not math.isnan(each.score)]
    apart = [name for name in speaking if not found[name].contributions]
    main = next((name for name in speaking if name not in apart and found[name].passages), None)
    cards = [name for name in speaking if name not in (*apart, main)]
    return {
        "main": main and make_view(found[main]),
        "compared": [_card(name, make_view(found[name], TERMS)) for name in cards],
        "apart": apart,
        "silent": [name for name in found if name not in speaking],
    }


def _card(name: str, why: ExplanationView) -> dict[str, Any]:
    """A measure, what it is, its score and its terms; a bar only for scores from 0 to 1."""
    score = why.explanation.score
    return {
        "name": name,
        "meaning": meaning(name) or "Learnt from judgements.",
        "why": why,
        "width": round(100 * score, 1) if 0 <= score <= 1 else None,
    }
