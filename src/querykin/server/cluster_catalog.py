"""Keyword clusters by list and measure, opened from disk; the most recently used stay in memory."""

from collections.abc import Hashable
from threading import Lock

from cachetools import LRUCache

from querykin.clustering.keyword_clusters import KeywordClusters
from querykin.clustering.keyword_lists import KeywordList
from querykin.clustering.thresholds import lowest_threshold
from querykin.errors import InputError
from querykin.server.not_found import NotFound
from querykin.server.snapshot import Snapshot, file_stamp
from querykin.workspace import Workspace

_OPEN = 4  # keyword clusters of a worker: some 2 KiB a keyword each


class OpenClusters:
    """The clusters of a list by one measure, with scores of random pairs and of judged ones asked for."""

    def __init__(self, workspace: Workspace, measure: str) -> None:
        self.workspace = workspace
        self.keywords: KeywordClusters = workspace.keyword_clusters(measure, lowest_threshold(measure))
        self._distribution = workspace.score_distribution(measure)
        self.pair_scores: dict[tuple[str, str], float] = {}

    def percentile(self, score: float) -> float | None:
        """The per cent of random pairs of the list with a lower score, if they were sampled."""
        return self._distribution.percentile(score) if self._distribution else None


class ClusterCatalog:
    """Opens keyword clusters, each once as long as nothing changes on disk."""

    def __init__(self) -> None:
        self._open: LRUCache[Hashable, OpenClusters] = LRUCache(_OPEN)
        self._opening = Lock()

    def open(self, snapshot: Snapshot, identity: str, measure: str) -> OpenClusters:
        """The clusters of a list, or of the past queries without one; NotBuilt before they are compared."""
        folder = find_list(snapshot, identity).folder if identity else snapshot.workspace.path
        manifest = folder / "neighbors" / measure / "manifest.json"
        key = snapshot.state, identity, measure, file_stamp(manifest)
        with self._opening:
            if key not in self._open:
                workspace = snapshot.workspace.beside(folder) if identity else snapshot.workspace
                self._open[key] = OpenClusters(workspace, measure)
            return self._open[key]


def find_list(snapshot: Snapshot, identity: str) -> KeywordList:
    """A keyword list by its id; NotFound if there is none."""
    try:
        return snapshot.workspace.keyword_lists.get(identity)
    except InputError as error:
        raise NotFound(str(error)) from error
