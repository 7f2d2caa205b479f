"""Pages of judgement tasks: list, creation, progress and export."""

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from querykin.defaults import DEFAULT_MEASURE
from querykin.errors import QuerykinError
from querykin.evaluation.inter_rater import agreement_tables
from querykin.io.tables import FORMS
from querykin.server.pages_learn import JudgementCounts, choices
from querykin.server.pages_suggest import setup_steps
from querykin.server.pooling import most_frequent, pool
from querykin.server.problems import HTTPProblem
from querykin.server.scales import NUMBERS, QUALITY, SCALES
from querykin.server.snapshot import Snapshot
from querykin.server.summary import agreement, disagreements, export_judgements, summarize_measures
from querykin.server.views import (
    as_problem,
    attachment,
    check_length,
    get_service,
    link,
    parse_int,
    render_errors,
    render_page,
)
from querykin.text.normalization import normalize_query

router = APIRouter()
RATER_SCALES = [scale for scale in SCALES.values() if scale is not NUMBERS]
EXPORT_MEDIA_TYPES = {"tsv": "text/tab-separated-values", "csv": "text/csv", "jsonl": "application/jsonl"}
DEFAULT_QUERIES, DEFAULT_K, MAX_K = 20, 5, 50


@router.get("/judge")
@render_errors
async def tasks(request: Request) -> Response:
    """List of the tasks, and the form for a new one."""
    return await _render_tasks(request, {})


async def _render_tasks(
    request: Request, form: dict[str, Any], problem: str = "", status: int = 200
) -> Response:
    service = get_service(request)

    def collect(snapshot: Snapshot) -> dict[str, Any]:
        store = service.judgements
        return {
            "tasks": [(task, store.progress(task.name)) for task in store.tasks()],
            "measures": snapshot.searching,
            "setup_steps": setup_steps(snapshot),
        }

    values = await service.run(collect)
    empty_form = {
        "name": "",
        "queries": "",
        "count": "",
        "k": "",
        "scale": QUALITY.name,
        "measures": values["measures"][:1],
    }
    return render_page(
        request,
        "judge.html",
        status,
        problem=problem,
        form={**empty_form, **form},
        scales=RATER_SCALES,
        max_queries=service.settings.max_queries,
        defaults={"count": DEFAULT_QUERIES, "k": DEFAULT_K},
        **values,
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
    """Create a task from the pooled suggestions for a list of queries."""
    service = get_service(request)

    def create_task(snapshot: Snapshot) -> str:
        max_queries = service.settings.max_queries
        limit = parse_int("the number of suggestions", k, DEFAULT_K, MAX_K)
        needs = _parse_queries(queries)
        texts = list(needs)
        if not texts:
            texts = most_frequent(
                snapshot.repository,
                parse_int("the number of queries", count, DEFAULT_QUERIES, max_queries),
            )
        if len(texts) > max_queries:
            raise HTTPProblem(
                422, f"a task may have {max_queries:,} queries, got {len(texts):,}; create several tasks"
            )
        for text in texts:
            check_length(request, **{"a query": text})
        items = pool(snapshot, texts, measures, limit, name)
        return service.judgements.create(name, scale, measures, items, needs).name

    try:
        created = await service.run(create_task)
    except (HTTPProblem, QuerykinError) as error:
        problem = as_problem(request, error)
        form = {
            "name": name,
            "queries": queries,
            "count": count,
            "k": k,
            "scale": scale,
            "measures": measures,
        }
        return await _render_tasks(request, form, problem.detail, problem.status)
    return RedirectResponse(request.scope.get("root_path", "") + link("/judge/task", name=created), 303)


def _parse_queries(text: str) -> dict[str, str]:
    """The queries of a form, one per line, each with the information need that follows it after a tab."""
    lines = (line.partition("\t") for line in text.splitlines())
    return {query: need for line, _, need in lines if (query := normalize_query(line))}


@router.get("/judge/task")
@render_errors
async def task(request: Request, name: str = "") -> Response:
    """A task: progress and agreement of its raters, grades by measure, and what to do with the judgements."""
    store = get_service(request).judgements

    def summarize(snapshot: Snapshot) -> dict[str, Any]:
        task, judgements = store.task(name), store.judgements(name)
        agreed = agreement(task, judgements)
        return {
            "task": task,
            "progress": store.progress(name),
            "agreement": agreed and agreed.means(),
            "agreement_tables": agreement_tables(agreed) if agreed else [],
            "disagreements": len(disagreements(judgements)),
            "unjudged": [each for each in judgements if each.grade is None],
            "measure_summaries": summarize_measures(task, store.items(name), judgements),
            "judged": JudgementCounts.of(judgements),
            "checked": {DEFAULT_MEASURE, *task.measures},
            **choices(snapshot, task.measures),
        }

    return render_page(request, "task.html", **await get_service(request).run(summarize))


@router.get("/judge/export")
@render_errors
async def export(request: Request, task: str = "", form: str = "tsv") -> Response:
    """The judgements of a task as a file for `train` and `evaluate`."""
    store = get_service(request).judgements
    if form not in FORMS:
        raise HTTPProblem(404, f"judgements are exported as {', '.join(FORMS)}, got {form[:20]!r}")
    text = await get_service(request).call(
        lambda: export_judgements(store.given(store.task(task).name), store.needs(task), form)
    )
    return attachment(text, f"judgements.{form}", EXPORT_MEDIA_TYPES[form])
