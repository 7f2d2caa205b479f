"""Keyword lists on the Clusters page: upload, comparison in the background, removal."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from querykin.build_policy import NotBuilt
from querykin.clustering.keyword_lists import KeywordList, SourceFile
from querykin.counted_nouns import counted
from querykin.errors import UnknownName, WorkspaceError
from querykin.io.columns import ColumnsRead
from querykin.io.keyword_tables import read_keyword_table
from querykin.querylog.counted_queries import CountedQueries
from querykin.server.body_limit import UPLOAD_PATH, UPLOAD_TIMEOUT
from querykin.server.cluster_address import ClusterAddress
from querykin.server.cluster_catalog import find_list
from querykin.server.cluster_cut import open_cut
from querykin.server.jobs.compare_keywords import KIND
from querykin.server.jobs.job import Job
from querykin.server.known_parameters import check_names
from querykin.server.pages_clusters import PAST_QUERIES, clustering_measures
from querykin.server.pages_jobs import redirect_to_job
from querykin.server.service import Service
from querykin.server.snapshot import Snapshot
from querykin.server.uploads import Upload
from querykin.server.views import get_service, render_errors
from querykin.storage.store import is_writable
from querykin.types import SkippedRecord

router = APIRouter()
_FIELDS = 10  # of the form; one more is a mistake or an attack


@router.post(UPLOAD_PATH)
@render_errors
async def upload(request: Request) -> Response:
    """Keep an uploaded or pasted list, and compare its keywords."""
    service = get_service(request)
    limit = service.settings.max_upload
    async with request.form(max_files=1, max_fields=_FIELDS, max_part_size=limit) as form:
        check_names("form", form, dict.fromkeys(("file", "pasted", "measure", "columns"), False))
        given = Upload.of(form)
        measure, columns = (str(form.get(field, "")) for field in ("measure", "columns"))

        def keep(snapshot: Snapshot) -> ClusterAddress:
            service.require_workspace()
            _check_measure(snapshot, measure)
            return ClusterAddress(_keep(snapshot, given, columns).id, measure)

        address = await service.run(keep, max(service.settings.timeout, UPLOAD_TIMEOUT))
    return await _compare(request, service, address)


def _check_measure(snapshot: Snapshot, measure: str) -> None:
    if measure not in clustering_measures(snapshot):
        raise UnknownName("measure", measure[:100], clustering_measures(snapshot))


def _keep(snapshot: Snapshot, given: Upload, columns: str) -> KeywordList:
    workspace = snapshot.workspace
    if not is_writable(workspace.path):
        raise WorkspaceError(
            f"{workspace.path} is not writable, so no list can be kept in it; next: grant write permission, "
            "or serve a copy"
        )
    skipped, columns_read = list[SkippedRecord](), list[ColumnsRead]()
    with given.as_file() as file:
        table = read_keyword_table(str(file), skipped.append, None, columns, columns_read.append)
        queries = CountedQueries.collect(zip(table.queries, table.counts, strict=True))
        notes = [str(read).replace(str(file), given.name) for read in columns_read]
        if skipped:
            notes.append(f"skipped {counted(len(skipped), 'row')}, the first: {skipped[0].message}")
        return workspace.keyword_lists.add(given.name, queries, SourceFile(file, columns, "; ".join(notes)))


@router.post("/clusters/compare")
@render_errors
async def compare(
    request: Request, list: Annotated[str, Form()] = "", measure: Annotated[str, Form()] = ""
) -> Response:
    """Compare the keywords of a list, or the past queries, with each other."""
    service = get_service(request)
    await service.run(lambda snapshot: _check_measure(snapshot, measure))
    return await _compare(request, service, ClusterAddress(list, measure))


async def _compare(request: Request, service: Service, address: ClusterAddress) -> Response:
    """A redirect to the clusters, or to the job that makes them."""
    try:
        await service.run(lambda snapshot: open_cut(service, snapshot, address))
    except NotBuilt:
        return redirect_to_job(
            request, await service.run(lambda snapshot: _start(service, snapshot, address))
        )
    return RedirectResponse(request.scope.get("root_path", "") + address.link(), 303)


def _start(service: Service, snapshot: Snapshot, address: ClusterAddress) -> Job:
    name = find_list(snapshot, address.list).name if address.list else PAST_QUERIES
    return service.jobs.start(KIND, {"list": address.list, "measure": address.measure, "name": name})


@router.post("/clusters/remove")
@render_errors
async def remove(request: Request, list: Annotated[str, Form()] = "") -> Response:
    """Remove a list with its changes by hand."""
    service = get_service(request)
    service.require_workspace()
    await service.run(lambda snapshot: snapshot.workspace.keyword_lists.remove(find_list(snapshot, list).id))
    return RedirectResponse(f"{request.scope.get('root_path', '')}/clusters", 303)
