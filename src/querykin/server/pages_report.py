"""Report pages: the latest evaluations with their plots, and the comparison of two of them."""

from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import Response
from markupsafe import Markup

from querykin.errors import QuerykinError
from querykin.evaluation.history import StoredRun, find_stored_run, stored_runs
from querykin.evaluation.previous_run import compare_with_previous_run
from querykin.evaluation.tables import TextTable, differences_table
from querykin.server.views import get_service, render_errors, render_page

router = APIRouter()


@router.get("/report")
@render_errors
async def report(request: Request) -> Response:
    """List of the stored evaluations, newest first."""
    folder = _evaluations(request)
    runs = await get_service(request).call(lambda: [run for run in stored_runs(folder) if _is_readable(run)])
    return render_page(request, "report.html", runs=runs)


def _evaluations(request: Request) -> Path:
    return get_service(request).workspace.path / "evaluations"


def _is_readable(run: StoredRun) -> bool:
    try:
        return bool(run.facts["results"]) and bool(run.results().results)
    except (QuerykinError, KeyError):
        return False


@router.get("/report/run")
@render_errors
async def run(request: Request, id: str = "") -> Response:
    """One evaluation: tables, plots and examples."""
    folder = _evaluations(request)
    stored = await get_service(request).call(lambda: find_stored_run(folder, id))
    # Written by `querykin evaluate`, which escapes all text that came from files.
    return render_page(request, "report_run.html", run=stored, content=Markup(stored.report))


@router.get("/report/compare")
@render_errors
async def compare(request: Request, now: str = "", then: str = "") -> Response:
    """Differences of every measure between two evaluations."""
    folder = _evaluations(request)

    def compute() -> tuple[StoredRun, StoredRun, TextTable, bool]:
        newer, older = find_stored_run(folder, now), find_stored_run(folder, then)
        differences = compare_with_previous_run(older.results(), newer.results())
        table = differences_table("", differences)
        return newer, older, table, older.results().comparable(newer.results())

    newer, older, table, paired = await get_service(request).call(compute)
    return render_page(request, "report_compare.html", newer=newer, older=older, table=table, paired=paired)
