"""A snapshot of the workspace: one state on disk, opened once and never changed."""

import os
from collections.abc import Collection, Hashable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from threading import Lock

from querykin.build_policy import BuildPolicy, NotBuilt
from querykin.defaults import DEFAULT_MEASURE, MIN_PROBABILITY
from querykin.errors import QuerykinError, WorkspaceError
from querykin.logs.relations import KIND as LOG_GRAPHS
from querykin.measures import Measure, measures
from querykin.measures.batch_scorer import BatchScorer
from querykin.querylog.query_frequency import RepositoryTotals
from querykin.retrieval.filters import DEFAULT_FILTER, filters
from querykin.retrieval.retrievers import Retriever
from querykin.retrieval.score_distribution import ScoreDistribution
from querykin.retrieval.score_distribution_store import KIND as SCORE_DISTRIBUTIONS
from querykin.retrieval.sharded_retriever import ShardAnswers, search_shards
from querykin.retrieval.suggester import Suggester, Suggestions
from querykin.search.document_search import DocumentHits
from querykin.server.examples import Example, choose_examples
from querykin.server.response_cache import ResponseCache
from querykin.server.shard_router import ShardRouter
from querykin.server.workspace_version import workspace_version
from querykin.storage.store import Manifest, Store
from querykin.text.normalization import normalize_query
from querykin.types import Explanation
from querykin.vectors import Vectors
from querykin.workspace import Workspace

_STORES = ("corpus", "repository", "block-list", "cooccurrence", "latent", "query-log")
_FOLDERS = ("index", SCORE_DISTRIBUTIONS, LOG_GRAPHS)  # of stores
_TRIES = 5  # to open a workspace that is being written to
State = tuple[Hashable, ...]


def modification_stamps(path: Path) -> State:
    """The modification times of the files that define the state of a workspace: cheap to read."""
    files = [path / name / "manifest.json" for name in _STORES]
    files += [file for kind in _FOLDERS for file in sorted((path / kind).glob("*/manifest.json"))]
    return (*map(file_stamp, files), *((file.name, file_stamp(file)) for file in _models(path)))


def state_of(path: Path) -> State:
    """The state that answers depend on; unfinished builds are not part of it."""
    manifests = {name: Store(path / name, name).manifest() for name in _STORES}
    indexes = _manifests(path, "index")
    manifests |= _manifests(path, SCORE_DISTRIBUTIONS) | _manifests(path, LOG_GRAPHS)
    return (
        *((name, found.store_id, found.generation) for name, found in manifests.items()),
        *((name, found.store_id, repr(found.metadata.get("committed"))) for name, found in indexes.items()),
        *((file.name, file_stamp(file)) for file in _models(path)),
    )


def lost_stores(path: Path, state: State) -> list[str]:
    """The stores of an earlier state that are gone, though no command removes them."""
    had = {entry[0] for entry in state if isinstance(entry, tuple) and len(entry) == 3 and entry[1]}
    return [name for name in ("corpus", "repository") if name in had and not _has_manifest(path / name)]


def _has_manifest(store: Path) -> bool:
    return (store / "manifest.json").is_file()


def _manifests(path: Path, kind: str) -> dict[str, Manifest]:
    """The manifests of the stores in a folder."""
    folders = sorted((path / kind).glob("*"))
    return {f"{kind}/{folder.name}": Store(folder, kind).manifest() for folder in folders}


def _models(path: Path) -> list[Path]:
    return sorted((path / "models").glob("[!.]*.json"))


def file_stamp(file: Path) -> tuple[int, int, int]:
    """What changes whenever a file is replaced; zeros if there is none."""
    try:
        found = os.stat(file)
    except FileNotFoundError:
        return 0, 0, 0
    return found.st_ino, found.st_mtime_ns, found.st_size


class Snapshot:
    """One state of a workspace, shared by all threads of a worker."""

    def __init__(
        self, workspace: Workspace, state: State, cache: int = 0, shards: ShardRouter | None = None
    ) -> None:
        self.workspace, self.state, self._shards = workspace, state, shards
        self.version = workspace_version(workspace.path, workspace.settings)
        self.repository, self.block_list = workspace.repository, workspace.block_list.current
        self.responses = ResponseCache(cache)
        self._measures: dict[str, Measure] = {}
        self._retrievers: dict[str, Retriever] = {}
        self._distributions: dict[str, ScoreDistribution | None] = {}
        self._opening = Lock()

    @classmethod
    def open(
        cls,
        workspace: Workspace,
        cache: int = 0,
        shards: ShardRouter | None = None,
        required: Collection[str] = (),
    ) -> "Snapshot":
        """The newest state of a workspace, with everything open that a writer could replace.

        With `shards`, searches of the repository are left to them. WorkspaceError if the index of a
        `required` measure is there and cannot be opened.
        """
        for _ in range(_TRIES):
            before = state_of(workspace.path)
            found = cls(workspace.reopen(BuildPolicy.REFUSE), before, cache, shards)
            found._open_all(required)
            if state_of(workspace.path) == before:
                break
        return found

    def _open_all(self, required: Collection[str]) -> None:
        if len(self.workspace.corpus):
            self.workspace.expander  # noqa: B018  # opens the search engine
        wanted = {DEFAULT_MEASURE, *self.workspace.indexes.built()} & set(self.measures)
        if self._shards or self.workspace.shard:
            wanted = set(self.measures)  # what is opened later may be newer than the version
        for name in wanted:
            try:
                self.retriever(name)
            except QuerykinError as error:
                if name in required and isinstance(error, WorkspaceError) and not isinstance(error, NotBuilt):
                    raise
                continue  # reported to the client that asks for it

    def suggest(
        self,
        query: str,
        k: int = 5,
        measure: str = DEFAULT_MEASURE,
        *,
        filter: str = DEFAULT_FILTER,
        threshold: float | None = None,
        min_count: int = 1,
        min_probability: float = MIN_PROBABILITY,
        explain: bool = False,
        exact: bool = False,
    ) -> Suggestions:
        """Related queries for one query; corrected unless `exact`."""
        suggester = self.suggester(measure, filter, threshold, min_count, min_probability, exact)
        return suggester.suggest([normalize_query(query)], k, explain=explain)[0]

    def match(self, queries: Sequence[str], k: int = 10, measure: str = DEFAULT_MEASURE) -> list[Suggestions]:
        """The nearest queries for each of several, without filters."""
        return self.suggester(measure).match([normalize_query(query) for query in queries], k)

    def search(self, query: str, k: int = 10, *, exact: bool = False) -> DocumentHits:
        """The best documents for a query, with passages; corrected unless `exact`."""
        return self.workspace.search(query, k, exact=exact)

    def score(self, pairs: Sequence[tuple[str, str]], measures: Sequence[str] = ()) -> list[dict[str, float]]:
        """The scores of each pair by some measures, or by all that are ready."""
        chosen = {name: self.measure(name) for name in measures or self.measures}
        queries, candidates = [list(side) for side in zip(*pairs, strict=True)]
        found = BatchScorer(chosen).score(queries, candidates)
        return [{name: float(scores[row]) for name, scores in found.items()} for row in range(len(pairs))]

    def explain(self, a: str, b: str, measure: str = DEFAULT_MEASURE) -> Explanation:
        """The explanation of two texts' score."""
        return self._with_percentile(self.measure(measure).explain(a, b), measure)

    def explain_suggestion(self, query: str, candidate: str, measure: str = DEFAULT_MEASURE) -> Explanation:
        """The explanation of a suggestion's score, as it is in the list of suggestions."""
        return self._with_percentile(self.retriever(measure).explain(query, candidate), measure)

    def _with_percentile(self, explanation: Explanation, measure: str) -> Explanation:
        return replace(explanation, percentile=self.percentile(explanation.score, measure))

    def percentile(self, score: float, measure: str = DEFAULT_MEASURE) -> float | None:
        """The per cent of random pairs of past queries with a lower score; None where that is not known."""
        distribution = self.score_distribution(measure)
        return distribution.percentile(score) if distribution else None

    def score_distribution(self, name: str) -> ScoreDistribution | None:
        """The scores of random pairs under a measure, opened once; None where none were sampled."""
        if name not in self._distributions:
            self.measure(name)
            with self._opening:
                self._distributions[name] = self.workspace.score_distribution(name)
        return self._distributions[name]

    @cached_property
    def measures(self) -> list[str]:
        """The measures that can compare texts: documents, extras and counts are there."""
        return [name for name in self.workspace.measures() if not self.workspace.missing_derived(name)]

    @cached_property
    def searching(self) -> list[str]:
        """The measures that can search the repository: their indexes are built."""
        return [name for name in self.measures if self.searches(name)]

    @cached_property
    def buildable(self) -> list[str]:
        """The measures that could search the repository once `querykin build` was run for them."""
        return [name for name in self._not_searching if self.workspace.requirements(name).installed]

    @cached_property
    def not_installed(self) -> list[str]:
        """The measures that need an optional package which is not installed."""
        return [name for name in self._not_searching if name not in self.buildable]

    @property
    def _not_searching(self) -> list[str]:
        return sorted({*measures, *self.workspace.trained()} - set(self.searching))

    @cached_property
    def examples(self) -> list[Example]:
        """Queries to try, chosen once."""
        name = next((name for name in (DEFAULT_MEASURE, *self.searching) if name in self.searching), None)
        return choose_examples(self.suggester(name, exact=True)) if name else []

    @cached_property
    def totals(self) -> RepositoryTotals:
        """The number of queries by their origin."""
        return self.repository.totals()

    def searches(self, name: str) -> bool:
        """Whether a measure can search the repository."""
        try:
            self.retriever(name)
        except QuerykinError:
            return False
        return True

    def measure(self, name: str) -> Measure:
        """A measure by name; NotBuilt where derived data is missing."""
        if name not in self._measures:
            if missing := self.workspace.missing_derived(name):
                raise NotBuilt(name, f"needs data of the corpus that is not there ({', '.join(missing)})")
            with self._opening:
                self._measures[name] = self.workspace.measure(name)
        return self._measures[name]

    def retriever(self, name: str) -> Retriever:
        """The retriever of a measure, opened once; NotBuilt where there is no index."""
        if name not in self._retrievers:
            self.measure(name)
            with self._opening:
                found = self.workspace.retriever(name)
                found.measure  # noqa: B018  # raises where the index was built with other settings
                self._retrievers[name] = found
            self.score_distribution(name)
        return self._retrievers[name]

    def _searching_retriever(self, name: str) -> Retriever:
        """The retriever of a measure whose rankings name the shards that are missing in them."""
        whole, shard = self.retriever(name), self.workspace.shard
        if self._shards:
            return search_shards(whole, partial(self._shards.search, self.version), name)
        return search_shards(whole, self._search_shard, name) if shard and shard.count > 1 else whole

    def _search_shard(
        self,
        measure: str,
        queries: Sequence[str],
        rows: Sequence[Vectors],
        k: int,
        min_score: float,
        min_count: int,
    ) -> ShardAnswers:
        """The candidates of the shard that this process has."""
        found = self.retriever(measure).search(queries, k, min_score, min_count)
        return ShardAnswers([found], self.workspace.shard.others() if self.workspace.shard else ())

    def suggester(
        self,
        measure: str = DEFAULT_MEASURE,
        filter: str = DEFAULT_FILTER,
        threshold: float | None = None,
        min_count: int = 1,
        min_probability: float = MIN_PROBABILITY,
        exact: bool = False,
    ) -> Suggester:
        """Suggests related queries by a measure."""
        filters[filter]  # an unknown name is an error
        retriever = self._searching_retriever(measure)
        analyzer, spelling = self.workspace.analyzer, None if exact else self.workspace.spelling
        return Suggester(
            retriever,
            self.repository,
            filter,
            threshold,
            min_count,
            min_probability,
            self.block_list,
            analyzer,
            spelling,
            self.score_distribution(measure),
        )
