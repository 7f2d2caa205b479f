"""The pages of judgement tasks: which there are, a new one, how far it is, and its export."""

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from querykin.errors import QuerykinError
from querykin.evaluation.rater_agreement import agreement_tables
from querykin.io.tables import FORMS
from querykin.server.pages_suggest import attachment, missing
from querykin.server.pooling import most_frequent, pool
from querykin.server.problems import HTTPProblem
from querykin.server.scales import NUMBERS, QUALITY, SCALES
from querykin.server.snapshot import Snapshot
from querykin.server.summary import agreement, by_measure, exported
from querykin.server.views import as_problem, check_length, link, page, parse_int, render_errors, service_of

router = APIRouter()
SCALES_OFFERED = [scale for scale in SCALES.values() if scale is not NUMBERS]
KINDS = {"tsv": "text/tab-separated-values", "csv": "text/csv", "jsonl": "application/jsonl"}
QUERIES, EACH, MOST_EACH = 20, 5, 50


@router.get("/judge")
@render_errors
async def tasks(request: Request) -> Response:
    """The tasks that are there, and a form for a new one."""
    return await _tasks(request, {})


async def _tasks(request: Request, given: dict[str, Any], problem: str = "", status: int = 200) -> Response:
    service = service_of(request)

    def prepared(snapshot: Snapshot) -> dict[str, Any]:
        store = service.judgements
        kept = [(task, store.progress(task.name)) for task in store.tasks()]
        return {"tasks": kept, "measures": snapshot.searching, "missing": missing(snapshot)}

    found = await service.run(prepared)
    form = {
        "name": "",
        "queries": "",
        "count": "",
        "k": "",
        "scale": QUALITY.name,
        "measures": found["measures"][:1],
    }
    return page(
        request,
        "judge.html",
        status,
        problem=problem,
        form={**form, **given},
        scales=SCALES_OFFERED,
        most=service.settings.max_queries,
        usual={"count": QUERIES, "k": EACH},
        **found,
    )


@router.post("/judge")
@render_errors
async def create(
    request: Request,
    name: Annotated[str, Form()] = "",
    queries: Annotated[str, Form()] = "",
    count: Annotated[str, Form()] = "",
    measures: Annotated[tuple[str, ...], Form()] = (),
    k: Annotated[str, Form()] = "",
    scale: Annotated[str, Form()] = QUALITY.name,
) -> Response:
    """A new task: suggestions for a list of queries, pooled and shuffled."""
    service = service_of(request)

    def make(snapshot: Snapshot) -> str:
        most = service.settings.max_queries
        each = parse_int("the number of suggestions", k, EACH, MOST_EACH)
        listed = [line for line in queries.splitlines() if line.strip()]
        if not listed:
            listed = most_frequent(
                snapshot.repository, parse_int("the number of queries", count, QUERIES, most)
            )
        if len(listed) > most:
            raise HTTPProblem(
                422, f"a task may have {most:,} queries, got {len(listed):,}; make several tasks"
            )
        for query in listed:
            check_length(request, **{"a query": query})
        items = pool(snapshot, listed, measures, each, name)
        return service.judgements.create(name, scale, measures, items).name

    try:
        made = await service.run(make)
    except (HTTPProblem, QuerykinError) as error:
        problem = as_problem(request, error)
        given = {
            "name": name,
            "queries": queries,
            "count": count,
            "k": k,
            "scale": scale,
            "measures": measures,
        }
        return await _tasks(request, given, problem.detail, problem.status)
    return RedirectResponse(request.scope.get("root_path", "") + link("/judge/task", name=made), 303)


@router.get("/judge/task")
@render_errors
async def task(request: Request, name: str = "") -> Response:
    """One task: who is how far, how far they agree, and how the measures fare."""
    store = service_of(request).judgements

    def tallied() -> dict[str, Any]:
        chosen, given = store.task(name), store.given(name)
        agreed = agreement(chosen, given)
        return {
            "task": chosen,
            "progress": store.progress(name),
            "given": len(given),
            "agreement": agreed and agreed.means(),
            "grids": agreement_tables(agreed) if agreed else [],
            "fared": by_measure(chosen, store.items(name), given),
        }

    return page(request, "task.html", **await service_of(request).call(tallied))


@router.get("/judge/export")
@render_errors
async def export(request: Request, task: str = "", form: str = "tsv") -> Response:
    """The judgements of a task as a file for `train` and `evaluate`."""
    store = service_of(request).judgements
    if form not in FORMS:
        raise HTTPProblem(404, f"judgements can be had as {', '.join(FORMS)}, got {form[:20]!r}")
    text = await service_of(request).call(lambda: exported(store.given(store.task(task).name), form))
    return attachment(text, f"judgements.{form}", KINDS[form])
