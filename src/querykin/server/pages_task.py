"""Pages about one task: information needs, past judgements of a rater, disagreements, rename and remove."""

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from querykin.server.judgement_records import Item
from querykin.server.known_parameters import check_names
from querykin.server.summary import disagreements
from querykin.server.views import get_service, link, parse_int, render_errors, render_page

router = APIRouter()
PAGE_SIZE = 100  # rows of a list
MAX_PAGE = 10_000
MAX_NEEDS = 10_000  # fields of the form


def redirect_to_task(request: Request, name: str) -> Response:
    """A redirect to the page of a task."""
    return RedirectResponse(request.scope.get("root_path", "") + link("/judge/task", name=name), 303)


@router.get("/judge/needs")
@render_errors
async def needs(request: Request, task: str = "") -> Response:
    """The queries of a task with their information needs, to be edited."""
    store = get_service(request).judgements

    def collect() -> dict[str, Any]:
        return {"task": store.task(task), "needs": store.needs(task)}

    return render_page(request, "needs.html", **await get_service(request).call(collect))


@router.post("/judge/needs")
@render_errors
async def set_needs(request: Request) -> Response:
    """Store information needs."""
    store = get_service(request).judgements
    async with request.form(max_fields=MAX_NEEDS) as form:
        check_names("form", form, {"task": False, "query": True, "need": True})
        task, queries, texts = str(form.get("task", "")), form.getlist("query"), form.getlist("need")
    given = {str(query): str(text) for query, text in zip(queries, texts, strict=False)}
    await get_service(request).call(lambda: store.set_needs(task, given))
    return redirect_to_task(request, task)


@router.get("/judge/mine")
@render_errors
async def mine(request: Request, task: str = "", rater: str = "", page: str = "") -> Response:
    """The judgements of one rater, the newest first, each with a link to change it."""
    store = get_service(request).judgements

    def collect() -> dict[str, Any]:
        name = store.rater(rater)
        given = [each for each in reversed(store.judgements(store.task(task).name)) if each.rater == name]
        positions = _positions(store.items(task))
        number = parse_int("the page", page, 1, MAX_PAGE)
        shown = given[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
        return {
            "task": store.task(task),
            "rater": name,
            "total": len(given),
            "judgements": [(each, positions.get((each.query, each.candidate))) for each in shown],
            "page": number,
            "has_more": number * PAGE_SIZE < len(given),
        }

    return render_page(request, "mine.html", **await get_service(request).call(collect))


@router.get("/judge/disagreements")
@render_errors
async def disagree(request: Request, task: str = "", page: str = "") -> Response:
    """The pairs on which raters disagree, the largest difference first."""
    store = get_service(request).judgements

    def collect() -> dict[str, Any]:
        found = disagreements(store.judgements(store.task(task).name))
        positions = _positions(store.items(task))
        number = parse_int("the page", page, 1, MAX_PAGE)
        shown = found[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
        return {
            "task": store.task(task),
            "total": len(found),
            "disagreements": [(each, positions.get((each.query, each.candidate))) for each in shown],
            "page": number,
            "has_more": number * PAGE_SIZE < len(found),
        }

    return render_page(request, "disagreements.html", **await get_service(request).call(collect))


def _positions(items: list[Item]) -> dict[tuple[str, str], int]:
    return {(item.query, item.candidate): item.position for item in items}


@router.post("/judge/rename")
@render_errors
async def rename(
    request: Request, task: Annotated[str, Form()] = "", name: Annotated[str, Form()] = ""
) -> Response:
    """Give a task another name."""
    store = get_service(request).judgements
    renamed = await get_service(request).call(lambda: store.rename(task, name))
    return redirect_to_task(request, renamed.name)


@router.get("/judge/remove")
@render_errors
async def confirm_removal(request: Request, task: str = "") -> Response:
    """What would be lost, with the exports, before a task is removed."""
    store = get_service(request).judgements

    def collect() -> dict[str, Any]:
        return {"task": store.task(task), "judgements": sum(each.done for each in store.progress(task))}

    return render_page(request, "remove.html", **await get_service(request).call(collect))


@router.post("/judge/remove")
@render_errors
async def remove(request: Request, task: Annotated[str, Form()] = "") -> Response:
    """Remove a task with all its judgements."""
    store = get_service(request).judgements
    await get_service(request).call(lambda: store.remove(task))
    return RedirectResponse(request.scope.get("root_path", "") + "/judge", 303)
