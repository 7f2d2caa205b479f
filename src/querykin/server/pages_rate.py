"""Judging page: one suggestion at a time, each grade stored immediately."""

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from querykin.measures.passages import marked
from querykin.server.problems import HTTPProblem
from querykin.server.snapshot import Snapshot
from querykin.server.views import check_length, get_service, link, parse_float, render_errors, render_page
from querykin.text.normalization import normalize_query

router = APIRouter()
CANNOT_JUDGE = "cannot-judge"  # in place of a grade
PASSAGE_DOCUMENTS = 3  # documents quoted for each of the two texts


@router.get("/judge/rate")
@render_errors
async def rate(
    request: Request, task: str = "", rater: str = "", after: str = "", item: str = ""
) -> Response:
    """The next pair that the rater has not graded, or the pair at position `item`, to change its grade."""
    if not rater.strip():
        return RedirectResponse(request.scope.get("root_path", "") + link("/judge/task", name=task), 303)
    store = get_service(request).judgements

    def collect() -> dict[str, Any]:
        found, name = store.task(task), store.rater(rater)
        shown = store.item(task, _number(item)) if item else store.next_item(task, name, _number(after))
        if item and shown is None:
            raise HTTPProblem(404, f"the task has no suggestion {item[:20]!r}")
        return {
            "task": found,
            "rater": name,
            "item": shown,
            "given": store.of_pair(task, name, shown) if item and shown else None,
            "is_revisit": bool(item),
            "done": store.done(task, name),
            "last": None if item else store.last(task, name),
            "cannot_judge": CANNOT_JUDGE,
        }

    return render_page(request, "rate.html", **await get_service(request).call(collect))


def _number(text: str) -> int:
    return int(text[:9]) if text.isdecimal() else 0


@router.post("/judge/rate")
@render_errors
async def record_grade(
    request: Request,
    task: Annotated[str, Form()] = "",
    rater: Annotated[str, Form()] = "",
    query: Annotated[str, Form()] = "",
    candidate: Annotated[str, Form()] = "",
    grade: Annotated[str, Form()] = "",
    note: Annotated[str, Form()] = "",
    after: Annotated[str, Form()] = "",
    revisit: Annotated[str, Form()] = "",
) -> Response:
    """Store a grade and redirect to the next pair, or to the past grades if one of them was changed."""
    store = get_service(request).judgements
    value = None if grade == CANNOT_JUDGE else parse_float("the grade", grade)
    if value is None and grade != CANNOT_JUDGE:
        raise HTTPProblem(422, "no grade was given; go back and choose one")
    await get_service(request).call(lambda: store.record(query, candidate, value, rater, task, note))
    if revisit:
        base = request.scope.get("root_path", "")
        return RedirectResponse(base + link("/judge/mine", task=task, rater=rater), 303)
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


@router.get("/judge/passages")
@render_errors
async def passages(request: Request, query: str = "", candidate: str = "") -> Response:
    """What the documents say about a query and about a candidate; independent of the measures judged."""
    texts = [text for text in map(normalize_query, (query, candidate)) if text]
    check_length(request, **{"a text": max(texts, key=len, default="")})

    def collect(snapshot: Snapshot) -> list[tuple[str, list[Any]]]:
        if not len(snapshot.workspace.corpus):
            return [(text, []) for text in texts]
        return [(text, _documents(snapshot, text)) for text in texts]

    return render_page(request, "passages.html", texts=await get_service(request).run(collect))


def _documents(snapshot: Snapshot, text: str) -> list[dict[str, Any]]:
    """The best documents for a text, each with its best passage as (text, highlighted) fragments."""
    found = snapshot.search(text, PASSAGE_DOCUMENTS, exact=True)
    analyzer = snapshot.workspace.analyzer
    return [
        {
            "title": hit.title or hit.id,
            "url": hit.url,
            "fragments": marked(hit.passages[0], found.terms, analyzer) if hit.passages else [],
        }
        for hit in found.hits
    ]
