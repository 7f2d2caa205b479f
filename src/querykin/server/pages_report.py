"""Report pages: the latest evaluations with their plots, and the comparison of two of them."""

from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from markupsafe import Markup

from querykin.errors import QuerykinError, UnknownName
from querykin.evaluation.history import StoredRun, find_stored_run, previous_run, stored_runs
from querykin.evaluation.previous_run import compare_with_previous_run
from querykin.evaluation.tables import TextTable, differences_table
from querykin.server.not_found import NotFound
from querykin.server.views import get_service, render_errors, render_page

router = APIRouter()


@router.get("/report")
@render_errors
async def report(request: Request) -> Response:
    """List of the stored evaluations, newest first."""
    folder = _evaluations(request)
    runs = await get_service(request).call(lambda: [run for run in stored_runs(folder) if _is_readable(run)])
    previous = previous_run(runs[0], runs) if runs else None
    return render_page(request, "report.html", runs=runs, previous=previous)


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

    def collect() -> dict[str, Any]:
        run, runs = _find(folder, id), [each for each in stored_runs(folder) if _is_readable(each)]
        # Written by store_run, which escapes all text that came from files.
        content = Markup(run.report)
        return {"run": run, "content": content, "runs": runs, "previous": previous_run(run, runs)}

    return render_page(request, "report_run.html", **await get_service(request).call(collect))


def _find(folder: Path, run_id: str) -> StoredRun:
    try:
        return find_stored_run(folder, run_id)
    except UnknownName as error:
        raise NotFound(str(error)) from error


@router.get("/report/compare")
@render_errors
async def compare(request: Request, now: str = "", then: str = "") -> Response:
    """Differences of every measure between two evaluations."""
    folder = _evaluations(request)

    def compute() -> tuple[StoredRun, StoredRun, TextTable, bool]:
        newer, older = _find(folder, now), _find(folder, then)
        differences = compare_with_previous_run(older.results(), newer.results())
        table = differences_table("", differences)
        return newer, older, table, older.results().comparable(newer.results())

    newer, older, table, paired = await get_service(request).call(compute)
    return render_page(request, "report_compare.html", newer=newer, older=older, table=table, paired=paired)
