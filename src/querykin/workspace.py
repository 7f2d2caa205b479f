"""The workspace: one folder with a corpus, past queries, measures and indexes. The library's front door."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, reduce
from operator import or_
from pathlib import Path
from typing import Self

import numpy as np

from querykin.build_policy import BuildPolicy
from querykin.compute.arrays import Float64Array
from querykin.cooccurrence.counts import CooccurrenceCounts
from querykin.cooccurrence.latent import LatentVectors
from querykin.corpus.corpus import Corpus
from querykin.corpus.vocabulary import Vocabulary
from querykin.corpus_resources import CorpusResources
from querykin.defaults import DEFAULT_MEASURE, MIN_PROBABILITY
from querykin.derived_data import DerivedData
from querykin.embeddings.document_vectors import DocumentVectors
from querykin.errors import WorkspaceError
from querykin.index.builder import Plan
from querykin.index.catalog import IndexCatalog, indexed_parts
from querykin.index.index import Index
from querykin.measure_catalog import MeasureCatalog
from querykin.measures import Measure, VectorMeasure
from querykin.measures.batch_scorer import BatchScorer
from querykin.measures.requirements import Requirements
from querykin.model_files import Model, Models
from querykin.progress import SILENT, Progress
from querykin.querylog.document_frequencies import QueryLogFrequencies
from querykin.querylog.phrase_lists import all_phrases
from querykin.querylog.query_mining import mine_queries
from querykin.querylog.repository import Repository
from querykin.retrieval.block_list import BlockList
from querykin.retrieval.block_list_store import BlockListStore
from querykin.retrieval.collection_statistics import CollectionCatalog, CollectionStatistics
from querykin.retrieval.filters import DEFAULT_FILTER, filters
from querykin.retrieval.retrievers import Retriever
from querykin.retrieval.selection import make_retriever
from querykin.retrieval.suggester import Suggester, Suggestions
from querykin.search.document_search import DocumentHits, search_documents
from querykin.search.expansion import Expander
from querykin.settings import Settings
from querykin.spelling.corrector import SpellingCorrector
from querykin.storage.source_names import MINED_SOURCE
from querykin.storage.store import is_writable
from querykin.text.analyzer import Analyzer
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


class Workspace:
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

    def __init__(
        self,
        path: Path,
        settings: Settings,
        policy: BuildPolicy = BuildPolicy.SERVE,
        progress: Progress = SILENT,
        resources: CorpusResources | None = None,
    ) -> None:
        self.path, self.settings, self.policy, self.progress = path, settings, policy, progress
        self._resources = resources or CorpusResources(
            path, settings, policy, progress, lambda corpus: all_phrases(corpus, self.repository)
        )

    @classmethod
    @validated
    def open(
        cls,
        path: FolderPath,
        settings: Settings | None = None,
        policy: BuildPolicy = BuildPolicy.SERVE,
        progress: Progress = SILENT,
    ) -> "Workspace":
        """Open the workspace in a folder; where that is not writable, nothing is built on demand."""
        folder = Path(path)
        if folder.exists() and not folder.is_dir():
            raise WorkspaceError(f"{folder} is a file; a workspace is a folder: choose another --workspace")
        if not is_writable(folder):
            policy = BuildPolicy.REFUSE
        return cls(folder, settings or Settings(), policy, progress)

    def reopen(self, policy: BuildPolicy | None = None) -> Self:
        """The same folder as it is on disk now."""
        return type(self)(self.path, self.settings, policy or self.policy, self.progress)

    def beside(self, folder: Path) -> Self:
        """A workspace over the same corpus and models, with repository and indexes in another folder."""
        other = type(self)(folder, self.settings, self.policy, self.progress, self._resources)
        other.models = self.models
        return other

    def __reduce__(self) -> tuple[type[Self], tuple[Path, Settings]]:
        """A copy, also in another process, is the same folder opened again."""
        return type(self), (self.path, self.settings)

    # Resources of measures (querykin.measures.resources.Resources).

    @property
    def corpus(self) -> Corpus:
        """The documents and their statistics."""
        return self._resources.corpus

    @property
    def analyzer(self) -> Analyzer:
        """Tokens, stems and stop words in the language of the corpus."""
        return self.corpus.analyzer

    @property
    def expander(self) -> Expander:
        """Query expansion over the corpus."""
        return self._resources.expander

    @property
    def cooccurrence(self) -> CooccurrenceCounts:
        """The co-occurrence counts of the corpus."""
        return self._resources.cooccurrence

    @property
    def counted_vocabulary(self) -> Vocabulary:
        """A vocabulary that has every counted word."""
        return self._resources.counted_vocabulary

    @property
    def latent(self) -> LatentVectors:
        """Latent word vectors."""
        return self._resources.latent

    def document_vectors(self, model: str) -> DocumentVectors:
        """The document vectors of a model: "static" or "dense"."""
        return self._resources.document_vectors(model)

    @cached_property
    def repository(self) -> Repository:
        """The past queries."""
        return Repository(self.path / "repository")

    @cached_property
    def spelling(self) -> SpellingCorrector:
        """Replaces words of a query that neither the corpus nor past queries know."""
        return SpellingCorrector(self.corpus, self.repository, lambda: self.expander)

    @cached_property
    def models(self) -> Models:
        """The models trained in this workspace."""
        return Models(self.path / "models")

    def model(self, name: str) -> Model:
        """A trained model by name: of this workspace, else one that is shipped."""
        return self.models.read(name)

    def save_model(self, model: Model) -> None:
        """Store a trained model; the measure of its name is built from it from now on."""
        self.models.write(model)
        self._catalog.forget()

    def query_counts(self, texts: Sequence[str]) -> Float64Array:
        """How often each text was asked as a query."""
        query_ids = self.repository.ids_of(texts)
        return np.where(query_ids >= 0, np.append(self.repository.counts, 0)[query_ids], 0).astype(np.float64)

    @cached_property
    def _derived(self) -> DerivedData:
        return DerivedData(self.path, self._resources, self.repository)

    @property
    def query_frequencies(self) -> QueryLogFrequencies:
        """The document frequencies of words in the query log, as of their first use or the last rebuild."""
        return self._derived.query_frequencies

    @cached_property
    def _collections(self) -> CollectionCatalog:
        return CollectionCatalog(self.indexes, self.corpus, self.repository)

    def collection(self, measure: VectorMeasure) -> CollectionStatistics | None:
        """The collection statistics of the indexed candidates; None before they are indexed."""
        return self._collections.collection(measure)

    # Measures.

    @cached_property
    def _catalog(self) -> MeasureCatalog:
        return MeasureCatalog(self)

    def measure(self, name: str) -> Measure:
        """A registered or trained measure by name, built once with the parameters of the settings."""
        return self._catalog.measure(name)

    def measure_class(self, name: str) -> type[Measure]:
        """The class of a measure."""
        return self._catalog.measure_class(name)

    def trained(self) -> dict[str, Model]:
        """The models of this workspace that are measures, by name."""
        return self._catalog.trained()

    def requirements(self, name: str) -> Requirements:
        """What a measure depends on, with what its components depend on."""
        return self._catalog.requirements(name)

    def measures(self) -> list[str]:
        """The names of the measures that can be used at once, the default first."""
        return sorted(
            filter(self._usable, self._catalog.names()), key=lambda name: (name != DEFAULT_MEASURE, name)
        )

    def _usable(self, name: str) -> bool:
        requirements = self.requirements(name)
        if not requirements.installed or (requirements.corpus and not len(self.corpus)):
            return False
        return self._derived.is_ready(requirements)

    def missing_derived(self, name: str) -> list[str]:
        """The derived data that a measure needs and that is not there for this corpus and query log."""
        self._catalog.check_corpus(name)
        return self._derived.missing(self.requirements(name))

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
        return self.repository.add(mine_queries(self.corpus, limit), source=MINED_SOURCE, replace=True)

    def _check_documents(self) -> None:
        if not len(self.corpus):
            raise WorkspaceError(f"the corpus in {self.path} is empty; next: querykin corpus add FILE")

    # Indexes and retrieval.

    @cached_property
    def indexes(self) -> IndexCatalog:
        """The indexes of the repository."""
        return IndexCatalog(self.path / "index", self.corpus, self.repository)

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
        parts = [part for name in names for part in self._indexed_parts(name)]
        distinct = {part.index_name: part for part in reversed(parts)}
        self.indexes.update(list(reversed(distinct.values())), rebuild, self.progress)

    def _indexed_parts(self, name: str) -> list[VectorMeasure]:
        parts = indexed_parts(self.measure(name))
        if not parts:
            self.progress.message(f"{name}: needs no index; every search scores the whole repository")
        return parts

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
        indexes = self.indexes.require(measure, self.policy, self.progress)
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

    # Scores.

    @validated
    def similarity(self, a: Text, b: Text, measure: Text = DEFAULT_MEASURE) -> float:
        """The similarity of two texts; NaN where it is not covered."""
        return float(self.measure(measure).score_pairs([a], [b])[0])

    @validated
    def explain(self, a: Text, b: Text, measure: Text = DEFAULT_MEASURE) -> Explanation:
        """The shared terms of two texts, the share of each in the score, and passages."""
        return self.measure(measure).explain(a, b)

    @validated
    def score(self, pairs: Pairs, measures: Texts = (DEFAULT_MEASURE,)) -> dict[str, Float64Array]:
        """The scores of many pairs, on all cores: an array per measure, in the order of the pairs."""
        queries, candidates = [list(side) for side in zip(*pairs, strict=True)] or [[], []]
        return BatchScorer({name: self.measure(name) for name in measures}).score(queries, candidates)
