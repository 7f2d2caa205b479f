"""The workspace: one folder with a corpus, past queries, measures and indexes. The library's front door."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, reduce
from operator import or_
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any
from weakref import finalize

from querykin.build_policy import BuildPolicy
from querykin.clustering.clusters import Clustering
from querykin.clustering.hand_changes import HandChanges
from querykin.clustering.keyword_clusters import KeywordClusters
from querykin.clustering.keyword_lists import KeywordLists, SourceFile
from querykin.clustering.neighbor_graph import NeighborGraph, NeighborGraphStore, NoNeighborGraph
from querykin.clustering.thresholds import default_threshold
from querykin.clustering.variants.deduplicated_keywords import DeduplicatedKeywords
from querykin.clustering.variants.keyword_deduplication import dedupe_keywords, keyword_table
from querykin.compute.arrays import Float64Array
from querykin.defaults import DEFAULT_MEASURE, MIN_PROBABILITY
from querykin.distributed.task_runner import THIS_PROCESS, TaskRunner
from querykin.errors import WorkspaceError
from querykin.index.builder import Plan
from querykin.index.catalog import indexed_parts
from querykin.index.index import Index
from querykin.measures import Measure, VectorMeasure
from querykin.measures.batch_scorer import BatchScorer
from querykin.measures.requirements import Requirements
from querykin.progress import SILENT, Progress
from querykin.querylog.counted_queries import CountedQueries
from querykin.querylog.query_mining import mine_in_tasks, mine_queries
from querykin.retrieval.block_list import BlockList
from querykin.retrieval.block_list_store import BlockListStore
from querykin.retrieval.filters import DEFAULT_FILTER, filters
from querykin.retrieval.retrievers import Retriever
from querykin.retrieval.score_distribution import ScoreDistribution
from querykin.retrieval.score_distribution_store import KIND as DISTRIBUTIONS
from querykin.retrieval.score_distribution_store import ScoreDistributions
from querykin.retrieval.selection import can_search, make_retriever
from querykin.retrieval.suggester import Suggester, Suggestions
from querykin.search.document_search import DocumentHits, search_documents
from querykin.settings import Settings
from querykin.storage.content_hash import content_hash
from querykin.storage.source_names import MINED_SOURCE
from querykin.storage.store import is_writable
from querykin.text.normalization import normalize_query
from querykin.types import Change, Explanation
from querykin.validation import (
    Count,
    Flag,
    FolderPath,
    MinCount,
    Pairs,
    Probability,
    Text,
    Texts,
    Threshold,
    validated,
)
from querykin.workspace_handle import OpenRetriever
from querykin.workspace_resources import WorkspaceResources


class Workspace(WorkspaceResources):
    """A folder with a corpus and past queries, and the measures over them.

    Opening a workspace maps files into memory and reads next to nothing; a folder that does not exist yet is
    an empty workspace, and is created with the first documents. Each store, measure and index is opened once;
    `reopen` shows what was written since. `policy` says what happens when an index or counts are missing or
    stale, `progress` receives messages and the progress of long work.

    >>> from querykin import Document, Workspace
    >>> workspace = Workspace.open(getfixture("tmp_path"))
    >>> change = workspace.corpus.add([
    ...     Document("1", "NASA", "NASA leads space exploration with rockets and probes."),
    ...     Document("2", "Pie", "An apple pie is baked in the oven."),
    ... ])
    >>> workspace = workspace.reopen()
    >>> workspace.similarity("space exploration", "NASA") > workspace.similarity("apple pie", "NASA")
    True
    >>> workspace.explain("space exploration", "NASA").passages[0].title
    'NASA'
    """

    @classmethod
    @validated
    def open(
        cls,
        path: FolderPath,
        settings: Settings | None = None,
        policy: BuildPolicy = BuildPolicy.SERVE,
        progress: Progress = SILENT,
        runner: TaskRunner = THIS_PROCESS,
    ) -> "Workspace":
        """Open the workspace in a folder; where that is not writable, nothing is built on demand.

        `runner` does the batch work of builds, matches and clusters.
        """
        folder = Path(path)
        if folder.exists() and not folder.is_dir():
            raise WorkspaceError(f"{folder} is a file; a workspace is a folder: choose another --workspace")
        if not is_writable(folder):
            policy = BuildPolicy.REFUSE
        return cls(folder, settings or Settings(), policy, progress, runner=runner)

    # Past queries.

    @validated
    def mine(self, limit: Count = 100_000) -> Change:
        """Take titles and salient phrases of the corpus as queries, in place of a query log.

        They are the source "mined" of the repository, and replace what was mined before.

        >>> from querykin import Document, Workspace
        >>> workspace = Workspace.open(getfixture("tmp_path"))
        >>> change = workspace.corpus.add([Document("1", "Apple pie", "Baked in the oven.")])
        >>> workspace.mine()
        Change(added=1, replaced=0, repeated=0, removed=0, unchanged=0)
        >>> next(workspace.repository.by_count())
        QueryCount(query='apple pie', count=1, sources={'mined': 1})
        """
        self._check_documents()
        if self.runner is THIS_PROCESS:
            mined = mine_queries(self.corpus, limit)
        else:
            mined = mine_in_tasks(self.corpus, limit, self.repository.store, self.runner, self.progress)
        return self.repository.add(mined, source=MINED_SOURCE, replace=True)

    def _check_documents(self) -> None:
        if not len(self.corpus):
            raise WorkspaceError(f"the corpus in {self.path} is empty; next: querykin corpus add FILE")

    # Indexes and retrieval.

    def index(self, name: str) -> Index:
        """The index of a vector measure; it may be empty."""
        return self.indexes.index(self._vector_measure(name))

    def plan(self, name: str, rebuild: bool = False) -> Plan:
        """What a build of a vector measure's index has to do."""
        self.check_ready(name)
        return self.indexes.plan(self._vector_measure(name), rebuild)

    def _vector_measure(self, name: str) -> VectorMeasure:
        measure = self.measure(name)
        if not isinstance(measure, VectorMeasure):
            raise WorkspaceError(f"measure {name!r} has no index of its own")
        return measure

    def check_ready(self, name: str = DEFAULT_MEASURE) -> Measure:
        """The measure, once it is known that there are documents and past queries to suggest from."""
        self._check_data(name)
        return self.measure(name)

    def _check_data(self, name: str) -> None:
        self._catalog.check_corpus(name)
        self._check_queries()

    def _check_queries(self) -> None:
        if not len(self.repository):
            raise WorkspaceError(
                f"the repository in {self.path} is empty; next: querykin repository add FILE, or "
                "querykin repository mine to take queries from the corpus"
            )

    def build(self, name: str = DEFAULT_MEASURE, rebuild: bool = False) -> None:
        """Bring the indexes of a measure up to date; `rebuild` builds them again, with today's statistics."""
        self.build_all([name], rebuild)

    def build_all(self, names: Sequence[str], rebuild: bool = False) -> None:
        """Bring the indexes of measures up to date; each query is searched for once, for all of them."""
        for name in names:
            self._check_data(name)
        self._update_derived(reduce(or_, map(self.requirements, names), Requirements()), rebuild)
        for name in names:
            if not indexed_parts(self.measure(name)):
                self.progress.message(f"{name}: needs no index; every search scores the whole repository")
        self.indexes.update([self.measure(name) for name in names], rebuild, self.progress)
        for name in names:
            self._sample_scores(self.measure(name), rebuild)

    def _sample_scores(self, measure: Measure, rebuild: bool = False) -> None:
        """Bring the score distribution of a measure up to date, whose indexes are."""
        if can_search(measure):
            indexes = {part.index_name: self.indexes.index(part) for part in indexed_parts(measure)}
            retriever = make_retriever(measure, self.corpus, self.repository, indexes)
            self._distributions.update(measure, retriever, rebuild, self.progress)

    @cached_property
    def _distributions(self) -> ScoreDistributions:
        return ScoreDistributions(self.path / DISTRIBUTIONS, self.indexes, self.corpus, self.repository)

    def score_distribution(self, name: str = DEFAULT_MEASURE) -> ScoreDistribution | None:
        """The scores of random pairs of past queries, sampled by a build; None where there are none."""
        return self._distributions.find(self.measure(name))

    def update_derived(self, name: str, rebuild: bool = False) -> None:
        """Bring the derived data that a measure needs up to date."""
        self._update_derived(self.requirements(name), rebuild)

    def _update_derived(self, requirements: Requirements, rebuild: bool) -> None:
        self._derived.update(requirements, rebuild)
        if requirements.derived:
            self._catalog.forget()

    def retriever(self, name: str = DEFAULT_MEASURE) -> Retriever:
        """Finds the nearest queries of the repository; the policy decides about missing and stale indexes."""
        measure = self.check_ready(name)
        indexes = self.indexes.require(
            measure, self.policy, self.progress, lambda: self._sample_scores(measure)
        )
        return make_retriever(measure, self.corpus, self.repository, indexes)

    @cached_property
    def block_list(self) -> BlockListStore:
        """Words, queries and patterns that are never suggested."""
        return BlockListStore(self.path / "block-list", self.analyzer)

    @validated
    def suggester(
        self,
        measure: Text = DEFAULT_MEASURE,
        *,
        filter: Text = DEFAULT_FILTER,
        threshold: Threshold | None = None,
        min_count: MinCount = 1,
        min_probability: Probability = MIN_PROBABILITY,
        block: Texts = (),
        exact: Flag = False,
    ) -> Suggester:
        """Suggests related queries; `block` has words and queries to block besides the block list.

        Words of a query without evidence are corrected unless `exact`.
        """
        filters[filter]  # an unknown name is an error before any work
        blocked = self.block_list.current | BlockList.of(block, analyzer=self.analyzer)
        spelling = None if exact else self.spelling
        return Suggester(
            self.retriever(measure),
            self.repository,
            filter,
            threshold,
            min_count,
            min_probability,
            blocked,
            self.analyzer,
            spelling,
            self.score_distribution(measure),
        )

    @validated
    def suggest(
        self,
        query: Text,
        k: Count = 5,
        measure: Text = DEFAULT_MEASURE,
        *,
        filter: Text = DEFAULT_FILTER,
        threshold: Threshold | None = None,
        min_count: MinCount = 1,
        min_probability: Probability = MIN_PROBABILITY,
        block: Texts = (),
        explain: Flag = False,
        exact: Flag = False,
    ) -> Suggestions:
        """Related queries of the repository for a query, seen before or not; corrected unless `exact`."""
        suggester = self.suggester(
            measure,
            filter=filter,
            threshold=threshold,
            min_count=min_count,
            min_probability=min_probability,
            block=block,
            exact=exact,
        )
        return suggester.suggest([query], k, explain=explain)[0]

    @validated
    def match(self, queries: Texts, k: Count = 10, measure: Text = DEFAULT_MEASURE) -> list[Suggestions]:
        """The nearest k queries of the repository for each of many, without filters."""
        return self.suggester(measure).match(queries, k)

    @validated
    def search(self, query: Text, k: Count = 10, *, exact: Flag = False) -> DocumentHits:
        """The best k documents for a query, each with matching passages; corrected unless `exact`."""
        self._check_documents()
        query = normalize_query(query)
        correction = None if exact else self.spelling.correct(query)
        found = search_documents(self.expander, correction.text if correction else query, k)
        return replace(found, query=query, correction=correction)

    # Clusters.

    @cached_property
    def keyword_lists(self) -> KeywordLists:
        """Lists of keywords beside the past queries."""
        return KeywordLists(self.path / "keyword-lists")

    def open_keyword_list(self, identity: str) -> "Workspace":
        """A list of keywords that is kept, by its id, in place of the past queries."""
        return self.beside(self.keyword_lists.get(identity).folder)

    def keyword_list(self, name: str, queries: CountedQueries, file: SourceFile | None = None) -> "Workspace":
        """A list of keywords in place of the past queries, over the same corpus and models.

        It is kept in the workspace, so that it need not be indexed again; where that does not exist or is not
        writable, it is kept until the program ends.
        """
        if self.path.exists() and is_writable(self.path):
            return self.beside(self.keyword_lists.add(name, queries, file).folder)
        folder = Path(mkdtemp(prefix="querykin-"))
        other = self.beside(KeywordLists(folder).add(name, queries).folder, BuildPolicy.SERVE)
        finalize(other, rmtree, folder, ignore_errors=True)
        return other

    @validated
    def cluster(self, measure: Text | None = None, *, threshold: Threshold | None = None) -> Clustering:
        """Group the past queries around heads: each joins a head that it scores at least `threshold` against.

        Changes by hand are applied.

        >>> from querykin import Workspace
        >>> workspace = Workspace.open(getfixture("tmp_path"))
        >>> change = workspace.repository.add([("garden hose", 5), ("hose for gardens", 2), ("apple pie", 1)])
        >>> found = workspace.cluster("jaccard-stems", threshold=0.5)
        >>> [(each.head, [member.query for member in each.members]) for each in found.clusters]
        [('garden hose', ['hose for gardens']), ('apple pie', [])]
        """
        chosen = self.clustering_measure(measure)
        threshold = default_threshold(chosen.name) if threshold is None else threshold
        found = self.keyword_clusters(chosen.name, threshold).at(threshold, self.hand_changes.all())
        return Clustering(chosen.name, threshold, found.clusters())

    @property
    def hand_changes(self) -> HandChanges:
        """The changes of clusters by hand."""
        return HandChanges(self.path)

    def keyword_clusters(self, name: str, min_score: float) -> KeywordClusters:
        """The past queries with their neighbors, to be grouped at any threshold from `min_score` on."""
        return KeywordClusters(self.neighbor_graph(name, min_score), self.repository, self.measure(name))

    def clustering_measure(self, name: str | None = None) -> Measure:
        """The measure to group by; by default that of suggestions, or embeddings without documents."""
        if name is None and not len(self.corpus):
            name = "dense" if self.requirements("dense").installed else "static"
        return self.measure(name or DEFAULT_MEASURE)

    @validated
    def dedupe(self, keywords: Any = None, *, language: Text = "") -> DeduplicatedKeywords:
        """Find variants of one query among keywords, by default the past queries.

        Keywords are a `KeywordTable`, or anything that `repository.add` takes. The language is that of the
        corpus or of the settings if it is not given, and recognized where there is neither.

        >>> from querykin import Workspace
        >>> found = Workspace.open(getfixture("tmp_path")).dedupe(["garden hose", "hoses for garden", "rake"])
        >>> [(form.query, [each.reason for each in form.variants]) for form in found.canonical_forms]
        [('garden hose', ['word order, inflection, function words']), ('rake', [])]
        """
        if keywords is None:
            self._check_queries()
        table = keyword_table(self.repository if keywords is None else keywords)
        return dedupe_keywords(table, self.corpus, self.repository, language or self.settings.text.language)

    def neighbor_graph(self, name: str, min_score: float) -> NeighborGraph:
        """The nearest past queries of every past query, down to a score; computed once and kept on disk.

        Where nothing may be built, a graph that is missing or stale is a NoNeighborGraph error.
        """
        retriever = self.retriever(name)
        store = NeighborGraphStore(self.path / "neighbors" / name)
        provenance = self._provenance(retriever.measure)
        if not store.holds(provenance, min_score):
            if self.policy is BuildPolicy.REFUSE:
                raise NoNeighborGraph(name)
            open_retriever = OpenRetriever(self.handle, name)
            store.update(open_retriever, provenance, min_score, self.progress, self.runner)
        return store.graph()

    def _provenance(self, measure: Measure) -> str:
        """Identifies the state that scores of past queries against each other depend on."""
        builds = [self.indexes.index(part).committed for part in indexed_parts(measure)]
        repository = self.repository.store_id, self.repository.generation
        state = measure.name, measure.parameters, self.trained().get(measure.name), builds, repository
        return f"{content_hash(repr(state).encode()):x}"

    # Scores.

    @validated
    def similarity(self, a: Text, b: Text, measure: Text = DEFAULT_MEASURE) -> float:
        """The similarity of two texts; NaN where it is not covered."""
        return float(self.measure(measure).score_pairs([a], [b])[0])

    @validated
    def percentile(self, score: float, measure: Text = DEFAULT_MEASURE) -> float | None:
        """The per cent of random pairs of past queries with a lower score; None where that is not known."""
        distribution = self.score_distribution(measure)
        return distribution.percentile(score) if distribution else None

    @validated
    def explain(self, a: Text, b: Text, measure: Text = DEFAULT_MEASURE) -> Explanation:
        """The shared terms of two texts, the share of each in the score, and passages."""
        found = self.measure(measure).explain(a, b)
        return replace(found, percentile=self.percentile(found.score, measure))

    @validated
    def score(self, pairs: Pairs, measures: Texts = (DEFAULT_MEASURE,)) -> dict[str, Float64Array]:
        """The scores of many pairs, on all cores: an array per measure, in the order of the pairs."""
        queries, candidates = [list(side) for side in zip(*pairs, strict=True)] or [[], []]
        return BatchScorer({name: self.measure(name) for name in measures}).score(queries, candidates)
