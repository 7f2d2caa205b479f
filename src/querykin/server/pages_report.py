"""The page that reports: the last evaluations with their plots, and two of them compared."""

from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import Response
from markupsafe import Markup

from querykin.errors import QuerykinError
from querykin.evaluation.earlier import compare_with
from querykin.evaluation.kept import Kept, all_kept, find_kept
from querykin.evaluation.tables import Grid, differences_grid
from querykin.server.views import in_words, page, service_of

router = APIRouter()


@router.get("/report")
@in_words
async def report(request: Request) -> Response:
    """The evaluations that are kept, the newest first."""
    folder = service_of(request).workspace.path / "evaluations"
    return page(request, "report.html", runs=await service_of(request).call(lambda: _listed(folder)))


def _listed(folder: Path) -> list[Kept]:
    return [kept for kept in all_kept(folder) if _readable(kept)]


def _readable(kept: Kept) -> bool:
    try:
        return bool(kept.facts["results"]) and bool(kept.results().results)
    except (QuerykinError, KeyError):
        return False


@router.get("/report/run")
@in_words
async def run(request: Request, id: str = "") -> Response:
    """One evaluation: its tables, plots and examples."""
    folder = service_of(request).workspace.path / "evaluations"
    kept = await service_of(request).call(lambda: find_kept(folder, id))
    # Written by `querykin evaluate`, which escapes all that came from files.
    return page(request, "run.html", kept=kept, content=Markup(kept.report))


@router.get("/report/compare")
@in_words
async def compare(request: Request, now: str = "", then: str = "") -> Response:
    """How every measure differs between two evaluations."""
    folder = service_of(request).workspace.path / "evaluations"

    def compared() -> tuple[Kept, Kept, Grid, bool]:
        newer, older = find_kept(folder, now), find_kept(folder, then)
        found = compare_with(older.results(), newer.results())
        grid = differences_grid("", found)
        return newer, older, grid, older.results().comparable(newer.results())

    newer, older, grid, same = await service_of(request).call(compared)
    return page(request, "against.html", newer=newer, older=older, grid=grid, same=same)
