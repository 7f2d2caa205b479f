"""Compare page: two texts scored and explained by every measure that is ready."""

import math
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from querykin.errors import QuerykinError
from querykin.server.explanation_view import ExplanationView, make_view
from querykin.server.problems import HTTPProblem
from querykin.server.snapshot import Snapshot
from querykin.server.views import (
    as_problem,
    check_length,
    get_service,
    measure_summary,
    render_errors,
    render_page,
)
from querykin.text.normalization import normalize_query

router = APIRouter()
MAX_CARD_TERMS = 6


@router.get("/compare")
@render_errors
async def compare(request: Request, a: str = "", b: str = "") -> Response:
    """The form, and the comparison if both texts are given."""
    a, b = normalize_query(a), normalize_query(b)
    values: dict[str, Any] = {"a": a, "b": b, "problem": "", "main": None}
    values |= {"cards": [], "unrelated": [], "uncovered": []}
    try:
        check_length(request, **{"the first text": a, "the second text": b})
        if a and b:
            values |= await get_service(request).run(lambda snapshot: _compare(snapshot, a, b))
    except (HTTPProblem, QuerykinError) as error:
        problem = as_problem(request, error)
        return render_page(request, "compare.html", problem.status, **{**values, "problem": problem.detail})
    return render_page(request, "compare.html", **values)


def _compare(snapshot: Snapshot, a: str, b: str) -> dict[str, Any]:
    """One measure in full, the others as cards, and those that find nothing shared or do not cover a text."""
    analyzer = snapshot.workspace.analyzer
    explanations = {name: snapshot.explain(a, b, name) for name in snapshot.measures}
    covered = [name for name, each in explanations.items() if not math.isnan(each.score)]
    unrelated = [name for name in covered if not explanations[name].contributions]
    related = [name for name in covered if name not in unrelated]
    main = next((name for name in related if explanations[name].passages), None)
    return {
        "main": main and make_view(explanations[main], analyzer),
        "cards": [
            _card(name, make_view(explanations[name], analyzer, MAX_CARD_TERMS))
            for name in related
            if name != main
        ],
        "unrelated": unrelated,
        "uncovered": [name for name in explanations if name not in covered],
    }


def _card(name: str, view: ExplanationView) -> dict[str, Any]:
    """A measure with its summary, score and terms; a bar only for scores from 0 to 1."""
    score = view.explanation.score
    return {
        "name": name,
        "summary": measure_summary(name) or "Trained on judgements.",
        "view": view,
        "width": round(100 * score, 1) if 0 <= score <= 1 else None,
    }
