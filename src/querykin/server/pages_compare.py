"""Compare page: two texts scored by every measure that is ready, and explained by any of them."""

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from querykin.defaults import DEFAULT_MEASURE
from querykin.errors import QuerykinError
from querykin.measures.families import Family
from querykin.server.comparison import compare as compare_texts
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
# Those that rows are sorted by; the last two best first.
COLUMNS = {"measure": "Measure", "family": "Compares", "score": "Score", "percentile": "Closer than"}


@router.get("/compare")
@render_errors
async def compare(request: Request, a: str = "", b: str = "", sort: str = "family") -> Response:
    """The form, and the comparison if both texts are given."""
    a, b = normalize_query(a), normalize_query(b)
    service = get_service(request)
    values: dict[str, Any] = {"a": a, "b": b, "sort": sort, "problem": "", "main": None, "rows": []}
    values |= {"columns": COLUMNS, "families": list(Family), "measure_summary": measure_summary}
    values |= {"default_measure": DEFAULT_MEASURE, "corrections": {}, "examples": []}
    status = 200
    try:
        check_length(request, **{"the first text": a, "the second text": b})
        if a and b:
            values |= await service.run(lambda snapshot: _compare(snapshot, a, b, sort))
        else:
            values["examples"] = await service.run(lambda snapshot: snapshot.examples)
    except (HTTPProblem, QuerykinError) as error:
        problem = as_problem(request, error)
        values["problem"], status = problem.detail, problem.status
    return render_page(request, "compare.html", status, **values)


@router.get("/compare/why")
@render_errors
async def why(request: Request, a: str = "", b: str = "", measure: str = DEFAULT_MEASURE) -> Response:
    """Explanation of the score of two texts by one measure."""
    a, b = normalize_query(a), normalize_query(b)
    check_length(request, **{"the first text": a, "the second text": b})

    def explained(snapshot: Snapshot) -> ExplanationView:
        return make_view(snapshot.explain(a, b, measure), snapshot.workspace.analyzer)

    view = await get_service(request).run(explained)
    request.state.measure = view.explanation.measure  # for the log and the metrics
    return render_page(request, "explanation.html", view=view, current="Compare")


def _compare(snapshot: Snapshot, a: str, b: str, sort: str) -> dict[str, Any]:
    """The default measure in full, a row for each, and what was probably meant by misspelt words."""
    rows = compare_texts(snapshot, a, b, sort)
    spelling = snapshot.workspace.spelling
    main = next((row.measure for row in rows if row.measure == DEFAULT_MEASURE), None)
    return {
        "rows": rows,
        "main": main and make_view(snapshot.explain(a, b, main), snapshot.workspace.analyzer),
        "corrections": {side: spelling.correct(text) for side, text in (("a", a), ("b", b))},
    }
