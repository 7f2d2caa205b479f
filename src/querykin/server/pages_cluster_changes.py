"""What people do with clusters: move and remove keywords, undo, and have pairs near the threshold judged."""

from collections.abc import Callable
from itertools import chain, count
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from querykin.clustering.hand_changes import HandChange
from querykin.errors import InputError
from querykin.server.cluster_address import ClusterAddress, FormAddress
from querykin.server.cluster_catalog import find_list
from querykin.server.cluster_cut import Cut, open_cut
from querykin.server.judged_pairs_above import judged_pairs
from querykin.server.judgement_store import JudgementStore
from querykin.server.pairs_near_threshold import items_near
from querykin.server.scales import QUALITY
from querykin.server.snapshot import Snapshot
from querykin.server.views import get_service, link, render_errors
from querykin.text.normalization import normalize_query

router = APIRouter()


@router.post("/clusters/move")
@render_errors
async def move(
    request: Request,
    address: FormAddress,
    keyword: Annotated[str, Form()] = "",
    to: Annotated[str, Form()] = "",
) -> Response:
    """Move a keyword to the cluster of another keyword."""

    def record(cut: Cut) -> None:
        if not to.strip():
            raise InputError(f"choose the keyword whose group {keyword!r} is to join")
        change = HandChange(_known(cut, keyword), _known(cut, to))
        if change.query == change.joins:
            raise InputError(f"{change.query!r} cannot join itself; choose a keyword of another group")
        cut.opened.workspace.hand_changes.add(change)

    return await _change(request, address, record)


@router.post("/clusters/alone")
@render_errors
async def leave_alone(
    request: Request, address: FormAddress, keyword: Annotated[str, Form()] = ""
) -> Response:
    """Remove a keyword from its cluster; it stays alone."""
    return await _change(
        request,
        address,
        lambda cut: cut.opened.workspace.hand_changes.add(HandChange(_known(cut, keyword))),
    )


@router.post("/clusters/undo")
@render_errors
async def undo(request: Request, address: FormAddress) -> Response:
    """Undo the last change by hand."""

    def take_back(cut: Cut) -> None:
        cut.opened.workspace.hand_changes.undo()

    return await _change(request, address, take_back)


async def _change(request: Request, address: ClusterAddress, record: Callable[[Cut], None]) -> Response:
    service = get_service(request)
    service.require_workspace()
    await service.run(lambda snapshot: record(open_cut(service, snapshot, address)))
    return RedirectResponse(request.scope.get("root_path", "") + address.link(), 303)


def _known(cut: Cut, text: str) -> str:
    """The keyword as it is spelled in the list; InputError if it is not in it."""
    query = normalize_query(text)
    position = cut.opened.keywords.position(query)
    if position is None:
        raise InputError(f"{query[:100]!r} is not a keyword of this list; choose one that is")
    return cut.opened.keywords.text(position)


@router.post("/clusters/judge")
@render_errors
async def judge(request: Request, address: FormAddress) -> Response:
    """Create a judgement task of pairs just above and just below the threshold."""
    service = get_service(request)

    def create(snapshot: Snapshot) -> str:
        cut, store = open_cut(service, snapshot, address), service.judgements
        keywords = cut.opened.keywords
        listed = f", {find_list(snapshot, address.list).name}" if address.list else ""
        name = _unused_name(store, f"near {cut.threshold:.2f} by {keywords.measure.name}{listed}")
        items = items_near(keywords, cut.clusters, cut.threshold, judged_pairs(store), name)
        if not items:
            raise InputError("there is nothing to judge: no two keywords score near this threshold")
        return store.create(name, QUALITY.name, [keywords.measure.name], items).name

    created = await service.run(create)
    return RedirectResponse(request.scope.get("root_path", "") + link("/judge/task", name=created), 303)


def _unused_name(store: JudgementStore, name: str) -> str:
    taken = {task.name for task in store.tasks()}
    numbered = (f"{name} ({number})" for number in count(2))
    return next(each for each in chain([name], numbered) if each not in taken)
