"""What the Clusters page shows of a list at a threshold."""

import math
from dataclasses import dataclass

from querykin.clustering.clusters import Cluster, ClusterCounts, Member
from querykin.clustering.hand_changes import HandChange
from querykin.clustering.keyword_clusters import ClusterSize
from querykin.errors import InputError
from querykin.server.cluster_address import ClusterAddress
from querykin.server.cluster_cut import Cut
from querykin.server.cluster_picture import ClusterPicture, draw_cluster
from querykin.server.judged_pairs_above import GoodShare, good_share, judged_pairs, score_pairs
from querykin.server.judgement_store import JudgementStore
from querykin.server.score_histogram import ThresholdRange
from querykin.server.views import parse_int

PAGE_SIZE = 50  # clusters in the list
MAX_ROWS = 200  # members in the table; the exports have all


@dataclass(frozen=True)
class MemberRow:
    """A member, the width of its bar in percent (None for scores on another scale), and who placed it."""

    member: Member
    bar_width: float | None
    by_hand: bool


@dataclass(frozen=True)
class GroupView:
    """One cluster: its picture and its rows."""

    cluster: Cluster
    own_count: int
    picture: ClusterPicture
    rows: list[MemberRow]
    hidden: int  # members without a row


@dataclass(frozen=True)
class ClusterView:
    """A list at a threshold: numbers, one page of its clusters, and one of them in full."""

    thresholds: ThresholdRange
    threshold: float
    percentile: float | None  # of the threshold among random pairs of the list, if they were sampled
    numbers: ClusterCounts
    good: GoodShare | None
    clusters: list[ClusterSize]
    found: int
    page: int
    pages: int
    group: GroupView | None
    changes: tuple[HandChange, ...]


def make_view(cut: Cut, address: ClusterAddress, store: JudgementStore) -> ClusterView:
    """The view at an address."""
    heads = cut.clusters.find(address.find)
    pages = max(1, math.ceil(len(heads) / PAGE_SIZE))
    page = min(parse_int("the page", address.page, 1, 10**9), pages)
    shown = heads[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]
    chosen = cut.opened.keywords.position(address.group) if address.group else None
    if address.group and chosen is None:
        raise InputError(f"{address.group[:100]!r} is not in this list; choose one of its keywords")
    if chosen is None and len(shown):
        chosen = int(shown[0])
    return ClusterView(
        cut.thresholds,
        cut.threshold,
        cut.opened.percentile(cut.threshold),
        cut.clusters.numbers,
        _good_share(cut, store),
        [cut.clusters.size(int(head)) for head in shown],
        len(heads),
        page,
        pages,
        None if chosen is None else _group(cut, chosen),
        cut.changes,
    )


def _good_share(cut: Cut, store: JudgementStore) -> GoodShare | None:
    pairs, scores = judged_pairs(store), cut.opened.pair_scores
    score_pairs(pairs, cut.opened.keywords.measure, scores)
    return good_share(pairs, scores, cut.threshold)


def _group(cut: Cut, keyword: int) -> GroupView:
    cluster = cut.clusters.cluster_of(keyword)
    placed = {each.query for each in cut.changes}
    rows = [
        MemberRow(
            each,
            round(100 * each.score, 1) if 0 <= each.score <= 1 else None,
            each.query in placed,
        )
        for each in cluster.members[:MAX_ROWS]
    ]
    own = cluster.count - sum(member.count for member in cluster.members)
    picture = draw_cluster(cluster, cut.threshold, cut.thresholds.highest)
    return GroupView(cluster, own, picture, rows, len(cluster.members) - len(rows))
