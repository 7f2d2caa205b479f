"""Clusters page: keywords grouped around heads at a threshold, and their export."""

from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from querykin.build_policy import NotBuilt
from querykin.clustering.thresholds import default_threshold
from querykin.errors import InputError, UnknownName
from querykin.server.cluster_address import Address, ClusterAddress
from querykin.server.cluster_catalog import find_list
from querykin.server.cluster_cut import open_cut
from querykin.server.cluster_exports import CLUSTER_EXPORTS
from querykin.server.cluster_view import ClusterView, make_view
from querykin.server.explanation_view import ExplanationView
from querykin.server.explanation_view import make_view as make_explanation
from querykin.server.problems import HTTPProblem
from querykin.server.service import Service
from querykin.server.snapshot import Snapshot
from querykin.server.views import attachment, check_length, get_service, render_errors, render_page
from querykin.text.normalization import normalize_query

router = APIRouter()
PAST_QUERIES = "Past queries of this workspace"


@router.get("/clusters")
@render_errors
async def clusters(request: Request, address: Address) -> Response:
    """The clusters of a list at a threshold, or what to do before there are any."""
    service = get_service(request)
    check_length(request, **{"the text to find": address.find, "the keyword": address.group})
    address, values = await service.run(lambda snapshot: _page_values(snapshot, address))
    view: ClusterView | None = None
    if values["keywords"]:
        try:
            view = await service.run(lambda snapshot: _view(service, snapshot, address))
        except NotBuilt:
            view = None  # the page offers to compare the keywords
    request.state.measure = address.measure
    values |= {"address": address, "view": view, "max_upload": service.settings.max_upload}
    return render_page(request, "clusters.html", **values)


def _page_values(snapshot: Snapshot, address: ClusterAddress) -> tuple[ClusterAddress, dict[str, Any]]:
    lists, measures = snapshot.workspace.keyword_lists.all(), clustering_measures(snapshot)
    if not address.list and not len(snapshot.repository) and lists and not address.fields:
        address = replace(address, list=lists[0].id)
    chosen = find_list(snapshot, address.list) if address.list else None
    measure = address.measure or snapshot.workspace.clustering_measure().name
    if measure not in measures:
        raise UnknownName("measure", measure[:100], measures)
    return replace(address, measure=measure), {
        "lists": lists,
        "chosen": chosen,
        "name": chosen.name if chosen else PAST_QUERIES,
        "keywords": chosen.keywords if chosen else len(snapshot.repository),
        "past_queries": len(snapshot.repository),
        "only_mined": chosen is None and not snapshot.totals.logged,
        "measures": measures,
        "default_threshold": default_threshold(measure),
        "exports": CLUSTER_EXPORTS,
    }


def clustering_measures(snapshot: Snapshot) -> list[str]:
    """The measures that keywords can be compared by: the default, built or not, and others that are ready."""
    first = snapshot.workspace.clustering_measure().name
    return [first, *(name for name in snapshot.measures if name != first and _has_threshold(name))]


def _has_threshold(measure: str) -> bool:
    try:
        default_threshold(measure)
    except InputError:
        return False
    return True


def _view(service: Service, snapshot: Snapshot, address: ClusterAddress) -> ClusterView:
    return make_view(open_cut(service, snapshot, address), address, service.judgements)


@router.get("/clusters/why")
@render_errors
async def why(
    request: Request, list: str = "", measure: str = "", keyword: str = "", head: str = ""
) -> Response:
    """Explanation of a membership, by the measure as it is over the keywords of the list."""
    texts = normalize_query(keyword), normalize_query(head)
    check_length(request, **{"the keyword": texts[0], "the head": texts[1]})
    service = get_service(request)

    def explained(snapshot: Snapshot) -> ExplanationView:
        opened = service.clusters.open(snapshot, list, measure)
        found = opened.workspace.retriever(measure).measure.explain(*texts)
        found = replace(found, percentile=opened.percentile(found.score))
        return make_explanation(found, opened.workspace.analyzer)

    view = await service.run(explained)
    request.state.measure = view.explanation.measure
    return render_page(request, "explanation.html", view=view, current="Clusters")


@router.get("/clusters/{export}")
@render_errors
async def export(request: Request, export: str, address: Address) -> Response:
    """The clusters as a file for other programs."""
    if export not in CLUSTER_EXPORTS:
        raise HTTPProblem(404, f"clusters are exported as {', '.join(CLUSTER_EXPORTS)}; got {export[:60]!r}")
    service, chosen = get_service(request), CLUSTER_EXPORTS[export]

    def write(snapshot: Snapshot) -> str:
        cut = open_cut(service, snapshot, address)
        listed = find_list(snapshot, address.list) if address.list else None
        return chosen.text(cut, listed)

    return attachment(await service.run(write), chosen.file_name, chosen.media_type)
