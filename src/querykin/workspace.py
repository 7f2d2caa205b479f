"""The workspace: one folder with a corpus, past queries, measures and indexes. The library's front door."""

from dataclasses import replace
from functools import cached_property

from querykin.build_policy import BuildPolicy
from querykin.compute.arrays import Float64Array
from querykin.defaults import DEFAULT_MEASURE, MIN_PROBABILITY
from querykin.distributed.task_runner import THIS_PROCESS, TaskRunner
from querykin.errors import WorkspaceError
from querykin.progress import SILENT, Progress
from querykin.retrieval.block_list import BlockList
from querykin.retrieval.block_list_store import BlockListStore
from querykin.retrieval.filters import DEFAULT_FILTER, filters
from querykin.retrieval.suggester import Suggester, Suggestions
from querykin.search.document_search import DocumentHits, search_documents
from querykin.settings import Settings, workspace_settings
from querykin.storage.locations import local_folder
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
from querykin.workspace_clusters import WorkspaceClusters


class Workspace(WorkspaceClusters):
    """A folder with a corpus and past queries, and the measures over them.

    Opening a workspace maps files into memory and reads next to nothing; a folder that does not exist yet is
    an empty workspace, and is created with the first documents. A workspace may also be in object storage,
    at an address like s3://bucket/prefix; `path` is then its local copy, to which parts are downloaded when
    they are used, and `location` the address. Each store, measure and index is opened once; `reopen` shows
    what was written since. `policy` says what happens when an index or counts are missing or stale,
    `progress` receives messages and the progress of long work.

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
        """Open the workspace in a folder or at s3://, gs:// or az://, by default with its own settings.

        Where a folder is not writable, nothing is built on demand. `runner` does the batch work of builds,
        matches and clusters.
        """
        storage = (settings or Settings()).storage
        folder = local_folder(path, storage.cache_dir, storage.cache_bytes, progress)
        if folder.exists() and not folder.is_dir():
            raise WorkspaceError(f"{folder} is a file; a workspace is a folder: choose another --workspace")
        settings = settings or workspace_settings(folder)
        if not is_writable(folder):
            policy = BuildPolicy.REFUSE
        return cls(folder, settings, policy, progress, runner=runner)

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
        from querykin.querylog.query_mining import mine_in_tasks, mine_queries

        self._check_documents()
        if self.runner is THIS_PROCESS:
            mined = mine_queries(self.corpus, limit)
        else:
            mined = mine_in_tasks(self.corpus, limit, self.repository.store, self.runner, self.progress)
        return self.repository.add(mined, source=MINED_SOURCE, replace=True)

    def send_documents(self, *, dry_run: bool = False) -> int:
        """Bring a search engine with an index of its own in step with the corpus.

        Additions and removals do so themselves; this is for the first time, and after a failure. Returns the
        number of documents that were sent or deleted; with `dry_run` of those that would be.
        """
        return self._resources.send_documents(self.corpus, dry_run)

    def _check_documents(self) -> None:
        if not len(self.corpus):
            raise WorkspaceError(f"the corpus in {self.location} is empty; next: querykin corpus add FILE")

    # Suggestions and documents.

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
        retriever = self.retriever(measure)
        # An engine elsewhere corrects queries itself, and knows more words than were seen here.
        spelling = None if exact or self.asks_elsewhere else self.spelling
        return Suggester(
            retriever,
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
        self.ask([query], [measure], count=False)
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
        self.ask(queries, [measure], count=False)
        return self.suggester(measure).match(queries, k)

    @validated
    def search(self, query: Text, k: Count = 10, *, exact: Flag = False) -> DocumentHits:
        """The best k documents for a query, each with matching passages; corrected unless `exact`."""
        query = normalize_query(query)
        self.ask([query], count=False)
        self._check_documents()
        correction = None if exact or self.asks_elsewhere else self.spelling.correct(query)
        found = search_documents(self.expander, correction.text if correction else query, k)
        return replace(found, query=query, correction=correction)

    # Scores.

    @validated
    def similarity(self, a: Text, b: Text, measure: Text = DEFAULT_MEASURE) -> float:
        """The similarity of two texts; NaN where it is not covered."""
        self.ask([a, b], [measure])
        return float(self.measure(measure).score_pairs([a], [b])[0])

    @validated
    def percentile(self, score: float, measure: Text = DEFAULT_MEASURE) -> float | None:
        """The per cent of random pairs of past queries with a lower score; None where that is not known."""
        distribution = self.score_distribution(measure)
        return distribution.percentile(score) if distribution else None

    @validated
    def explain(self, a: Text, b: Text, measure: Text = DEFAULT_MEASURE) -> Explanation:
        """The shared terms of two texts, the share of each in the score, and passages."""
        self.ask([a, b], [measure])
        found = self.measure(measure).explain(a, b)
        return replace(found, percentile=self.percentile(found.score, measure))

    @validated
    def score(self, pairs: Pairs, measures: Texts = (DEFAULT_MEASURE,)) -> dict[str, Float64Array]:
        """The scores of many pairs, on all cores: an array per measure, in the order of the pairs."""
        from querykin.measures.batch_scorer import BatchScorer

        queries, candidates = [list(side) for side in zip(*pairs, strict=True)] or [[], []]
        self.ask([*queries, *candidates], measures)
        return BatchScorer({name: self.measure(name) for name in measures}).score(queries, candidates)
