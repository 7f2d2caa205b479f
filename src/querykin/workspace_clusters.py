"""Keywords of a workspace grouped around heads, and variants of one query."""

from functools import cached_property
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, Self
from weakref import finalize

from querykin.build_policy import BuildPolicy
from querykin.defaults import DEFAULT_MEASURE
from querykin.index.catalog import indexed_parts
from querykin.measures import Measure
from querykin.storage.content_hash import content_hash
from querykin.storage.store import is_writable
from querykin.validation import Text, Threshold, validated
from querykin.workspace_handle import OpenRetriever
from querykin.workspace_indexes import WorkspaceIndexes

if TYPE_CHECKING:
    from querykin.clustering.clusters import Clustering
    from querykin.clustering.hand_changes import HandChanges
    from querykin.clustering.keyword_clusters import KeywordClusters
    from querykin.clustering.keyword_lists import KeywordLists, SourceFile
    from querykin.clustering.neighbor_graph import NeighborGraph
    from querykin.clustering.variants.deduplicated_keywords import DeduplicatedKeywords
    from querykin.querylog.counted_queries import CountedQueries


class WorkspaceClusters(WorkspaceIndexes):
    """The indexes of a workspace with clusters of its past queries, and of lists of keywords."""

    @cached_property
    def keyword_lists(self) -> "KeywordLists":
        """Lists of keywords beside the past queries."""
        from querykin.clustering.keyword_lists import KEYWORD_LISTS, KeywordLists

        return KeywordLists(self.path / KEYWORD_LISTS)

    def open_keyword_list(self, identity: str) -> Self:
        """A list of keywords that is kept, by its id, in place of the past queries."""
        return self.beside(self.keyword_lists.get(identity).folder)

    def keyword_list(self, name: str, queries: "CountedQueries", file: "SourceFile | None" = None) -> Self:
        """A list of keywords in place of the past queries, over the same corpus and models.

        It is kept in the workspace, so that it need not be indexed again; where that does not exist or is not
        writable, it is kept until the program ends.
        """
        from querykin.clustering.keyword_lists import KEYWORD_LISTS, KeywordLists

        if self.path.exists() and is_writable(self.path / KEYWORD_LISTS):
            return self.beside(self.keyword_lists.add(name, queries, file).folder)
        folder = Path(mkdtemp(prefix="querykin-"))
        other = self.beside(KeywordLists(folder).add(name, queries).folder, BuildPolicy.SERVE)
        finalize(other, rmtree, folder, ignore_errors=True)
        return other

    @validated
    def cluster(self, measure: Text | None = None, *, threshold: Threshold | None = None) -> "Clustering":
        """Group the past queries around heads: each joins a head that it scores at least `threshold` against.

        Changes by hand are applied.

        >>> from querykin import Workspace
        >>> workspace = Workspace.open(getfixture("tmp_path"))
        >>> change = workspace.repository.add([("garden hose", 5), ("hose for gardens", 2), ("apple pie", 1)])
        >>> found = workspace.cluster("jaccard-stems", threshold=0.5)
        >>> [(each.head, [member.query for member in each.members]) for each in found.clusters]
        [('garden hose', ['hose for gardens']), ('apple pie', [])]
        """
        from querykin.clustering.clusters import Clustering
        from querykin.clustering.thresholds import default_threshold

        chosen = self.clustering_measure(measure)
        threshold = default_threshold(chosen.name) if threshold is None else threshold
        found = self.keyword_clusters(chosen.name, threshold).at(threshold, self.hand_changes.all())
        return Clustering(chosen.name, threshold, found.clusters())

    @property
    def hand_changes(self) -> "HandChanges":
        """The changes of clusters by hand."""
        from querykin.clustering.hand_changes import HandChanges

        return HandChanges(self.path)

    def keyword_clusters(self, name: str, min_score: float) -> "KeywordClusters":
        """The past queries with their neighbors, to be grouped at any threshold from `min_score` on."""
        from querykin.clustering.keyword_clusters import KeywordClusters

        return KeywordClusters(self.neighbor_graph(name, min_score), self.repository, self.measure(name))

    def clustering_measure(self, name: str | None = None) -> Measure:
        """The measure to group by; by default that of suggestions, or embeddings without documents."""
        if name is None and not len(self.corpus):
            name = "dense" if self.requirements("dense").installed else "static"
        return self.measure(name or DEFAULT_MEASURE)

    @validated
    def dedupe(self, keywords: Any = None, *, language: Text = "") -> "DeduplicatedKeywords":
        """Find variants of one query among keywords, by default the past queries.

        Keywords are a `KeywordTable`, or anything that `repository.add` takes. The language is that of the
        corpus or of the settings if it is not given, and recognized where there is neither.

        >>> from querykin import Workspace
        >>> found = Workspace.open(getfixture("tmp_path")).dedupe(["garden hose", "hoses for garden", "rake"])
        >>> [(form.query, [each.reason for each in form.variants]) for form in found.canonical_forms]
        [('garden hose', ['word order, inflection, function words']), ('rake', [])]
        """
        from querykin.clustering.variants.keyword_deduplication import dedupe_keywords, keyword_table

        if keywords is None:
            self._check_queries()
        table = keyword_table(self.repository if keywords is None else keywords)
        return dedupe_keywords(table, self.corpus, self.repository, language or self.settings.text.language)

    def neighbor_graph(self, name: str, min_score: float) -> "NeighborGraph":
        """The nearest past queries of every past query, down to a score; computed once and kept on disk.

        Where nothing may be built, a graph that is missing or stale is a NoNeighborGraph error.
        """
        folder = self.path / "neighbors" / name
        return self._resources.open_derived(folder, lambda: self._neighbor_graph(folder, name, min_score))

    def _neighbor_graph(self, folder: Path, name: str, min_score: float) -> "NeighborGraph":
        from querykin.clustering.neighbor_graph import NeighborGraphStore, NoNeighborGraph

        retriever = self.retriever(name)
        store = NeighborGraphStore(folder)
        provenance = self._provenance(retriever.measure)
        if not store.holds(provenance, min_score):
            if self.policy is BuildPolicy.REFUSE:
                raise NoNeighborGraph(name)
            open_retriever = OpenRetriever(self.handle, name)
            store.update(open_retriever, provenance, min_score, self.progress, self.runner)
        return store.graph(len(self.repository.counts))

    def _provenance(self, measure: Measure) -> str:
        """Identifies the state that scores of past queries against each other depend on."""
        builds = [self.indexes.index(part).committed for part in indexed_parts(measure)]
        repository = self.repository.store_id, self.repository.generation
        state = measure.name, measure.parameters, self.trained().get(measure.name), builds, repository
        return f"{content_hash(repr(state).encode()):x}"
