"""The clusters of a list at the threshold of an address, with the changes by hand."""

from dataclasses import dataclass, replace
from typing import Any

from querykin.clustering.clusters import cluster_json
from querykin.clustering.hand_changes import HandChange
from querykin.clustering.keyword_clusters import ClustersAt
from querykin.clustering.thresholds import default_threshold, lowest_threshold
from querykin.server.cluster_address import ClusterAddress
from querykin.server.cluster_catalog import OpenClusters
from querykin.server.score_histogram import ThresholdRange, threshold_range
from querykin.server.service import Service
from querykin.server.snapshot import Snapshot
from querykin.server.views import parse_float


@dataclass(frozen=True)
class Cut:
    """Keywords grouped at a threshold, and the thresholds that could be chosen instead."""

    opened: OpenClusters
    thresholds: ThresholdRange
    threshold: float
    changes: tuple[HandChange, ...]
    clusters: ClustersAt


def open_cut(service: Service, snapshot: Snapshot, address: ClusterAddress) -> Cut:
    """Group the keywords; NotBuilt before they are compared.

    A threshold beyond the range is taken to its end.
    """
    if not address.measure:
        address = replace(address, measure=snapshot.workspace.clustering_measure().name)
    default = default_threshold(address.measure)  # an unknown measure is an error
    opened = service.clusters.open(snapshot, address.list, address.measure)
    thresholds = threshold_range(opened.keywords.best_scores(), lowest_threshold(address.measure))
    given = parse_float("the threshold", address.threshold)
    threshold = thresholds.check(default if given is None else given)
    changes = opened.workspace.hand_changes.all()
    return Cut(opened, thresholds, threshold, changes, opened.keywords.at(threshold, changes))


def cut_json(cut: Cut, k: int) -> dict[str, Any]:
    """The numbers of a cut and its first k clusters with members, for the HTTP API."""
    heads = cut.clusters.find()[:k].tolist()
    return {
        "measure": cut.opened.keywords.measure.name,
        "threshold": cut.threshold,
        "groups": cut.clusters.numbers.clusters,
        "keywords": cut.clusters.numbers.clustered,
        "alone": cut.clusters.numbers.alone,
        "clusters": [cluster_json(cut.clusters.cluster_of(head)) for head in heads],
    }
