"""Judging page: one suggestion at a time, each grade stored immediately."""

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from querykin.server.problems import HTTPProblem
from querykin.server.views import get_service, link, parse_float, render_errors, render_page

router = APIRouter()


@router.get("/judge/rate")
@render_errors
async def rate(request: Request, task: str = "", rater: str = "", after: str = "") -> Response:
    """The next pair that the rater has not graded."""
    rater = " ".join(rater.split())
    if not rater:
        return RedirectResponse(request.scope.get("root_path", "") + link("/judge/task", name=task), 303)
    store = get_service(request).judgements

    def collect() -> dict[str, Any]:
        return {
            "task": store.task(task),
            "rater": rater,
            "item": store.next_item(task, rater, int(after[:9]) if after.isdecimal() else 0),
            "done": store.done(task, rater),
            "last": store.last(task, rater),
        }

    return render_page(request, "rate.html", **await get_service(request).call(collect))


@router.post("/judge/rate")
@render_errors
async def record_grade(
    request: Request,
    task: Annotated[str, Form()] = "",
    rater: Annotated[str, Form()] = "",
    query: Annotated[str, Form()] = "",
    candidate: Annotated[str, Form()] = "",
    grade: Annotated[str, Form()] = "",
    after: Annotated[str, Form()] = "",
) -> Response:
    """Store a grade and redirect to the next pair."""
    store, value = get_service(request).judgements, parse_float("the grade", grade)
    if value is None:
        raise HTTPProblem(422, "no grade was given; go back and choose one")
    await get_service(request).call(lambda: store.record(query, candidate, value, rater, task))
    return _redirect_to_next(request, task, rater, after)


@router.post("/judge/undo")
@render_errors
async def undo(
    request: Request, task: Annotated[str, Form()] = "", rater: Annotated[str, Form()] = ""
) -> Response:
    """Undo the last grade and redirect to its pair."""
    store = get_service(request).judgements

    def undo_last() -> str:
        undone = store.undo(task, rater)
        position = store.position(undone) if undone else None
        return str(position - 1) if position else ""

    return _redirect_to_next(request, task, rater, await get_service(request).call(undo_last))


def _redirect_to_next(request: Request, task: str, rater: str, after: str) -> Response:
    base = request.scope.get("root_path", "")
    return RedirectResponse(base + link("/judge/rate", task=task, rater=rater, after=after), 303)
