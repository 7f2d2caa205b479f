"""The page on which people grade: one suggestion at a time, every click kept at once."""

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from querykin.server.problems import HTTPProblem
from querykin.server.views import link, page, parse_float, render_errors, service_of

router = APIRouter()


@router.get("/judge/rate")
@render_errors
async def rate(request: Request, task: str = "", rater: str = "", after: str = "") -> Response:
    """The next pair that a rater has not graded."""
    rater = " ".join(rater.split())
    if not rater:
        return RedirectResponse(request.scope.get("root_path", "") + link("/judge/task", name=task), 303)
    store = service_of(request).judgements

    def found() -> dict[str, Any]:
        chosen = store.task(task)
        item = store.open_item(task, rater, int(after[:9]) if after.isdecimal() else 0)
        return {
            "task": chosen,
            "rater": rater,
            "item": item,
            "done": store.done(task, rater),
            "last": store.last(task, rater),
        }

    return page(request, "rate.html", **await service_of(request).call(found))


@router.post("/judge/rate")
@render_errors
async def graded(
    request: Request,
    task: Annotated[str, Form()] = "",
    rater: Annotated[str, Form()] = "",
    query: Annotated[str, Form()] = "",
    candidate: Annotated[str, Form()] = "",
    grade: Annotated[str, Form()] = "",
    after: Annotated[str, Form()] = "",
) -> Response:
    """Keep a grade; the answer leads to the next pair."""
    store, value = service_of(request).judgements, parse_float("the grade", grade)
    if value is None:
        raise HTTPProblem(422, "no grade was given; go back and choose one")
    await service_of(request).call(lambda: store.record(query, candidate, value, rater, task))
    return _next(request, task, rater, after)


@router.post("/judge/undo")
@render_errors
async def undo(
    request: Request, task: Annotated[str, Form()] = "", rater: Annotated[str, Form()] = ""
) -> Response:
    """Take the last grade back; the pair comes again."""
    store = service_of(request).judgements

    def taken_back() -> str:
        last = store.undo(task, rater)
        place = store.place(last) if last else None
        return str(place - 1) if place else ""

    return _next(request, task, rater, await service_of(request).call(taken_back))


def _next(request: Request, task: str, rater: str, after: str) -> Response:
    base = request.scope.get("root_path", "")
    return RedirectResponse(base + link("/judge/rate", task=task, rater=rater, after=after), 303)
