"""The page that reports: the last evaluations with their plots, and two of them compared."""

from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import Response
from markupsafe import Markup

from querykin.errors import QuerykinError
from querykin.evaluation.history import StoredRun, find_stored_run, stored_runs
from querykin.evaluation.previous_run import compare_with_previous_run
from querykin.evaluation.tables import TextTable, differences_table
from querykin.server.views import page, render_errors, service_of

router = APIRouter()


@router.get("/report")
@render_errors
async def report(request: Request) -> Response:
    """The evaluations that are kept, the newest first."""
    folder = service_of(request).workspace.path / "evaluations"
    return page(request, "report.html", runs=await service_of(request).call(lambda: _listed(folder)))


def _listed(folder: Path) -> list[StoredRun]:
    return [kept for kept in stored_runs(folder) if _readable(kept)]


def _readable(kept: StoredRun) -> bool:
    try:
        return bool(kept.facts["results"]) and bool(kept.results().results)
    except (QuerykinError, KeyError):
        return False


@router.get("/report/run")
@render_errors
async def run(request: Request, id: str = "") -> Response:
    """One evaluation: its tables, plots and examples."""
    folder = service_of(request).workspace.path / "evaluations"
    kept = await service_of(request).call(lambda: find_stored_run(folder, id))
    # Written by `querykin evaluate`, which escapes all that came from files.
    return page(request, "run.html", kept=kept, content=Markup(kept.report))


@router.get("/report/compare")
@render_errors
async def compare(request: Request, now: str = "", then: str = "") -> Response:
    """How every measure differs between two evaluations."""
    folder = service_of(request).workspace.path / "evaluations"

    def compared() -> tuple[StoredRun, StoredRun, TextTable, bool]:
        newer, older = find_stored_run(folder, now), find_stored_run(folder, then)
        found = compare_with_previous_run(older.results(), newer.results())
        grid = differences_table("", found)
        return newer, older, grid, older.results().comparable(newer.results())

    newer, older, grid, same = await service_of(request).call(compared)
    return page(request, "against.html", newer=newer, older=older, grid=grid, same=same)
