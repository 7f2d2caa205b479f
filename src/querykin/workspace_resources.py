"""What the measures of a workspace are built from: its stores, derived data and models, each opened once."""

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from querykin.build_policy import BuildPolicy
from querykin.compute.arrays import Float64Array
from querykin.corpus.corpus import Corpus
from querykin.corpus.vocabulary import Vocabulary
from querykin.corpus_resources import CorpusResources
from querykin.defaults import DEFAULT_MEASURE
from querykin.derived_data import DerivedData
from querykin.distributed.task_runner import THIS_PROCESS, TaskRunner
from querykin.embeddings.document_vectors import KIND as DOCUMENT_VECTORS
from querykin.embeddings.document_vectors import DocumentVectors
from querykin.index.catalog import IndexCatalog
from querykin.index.shard import Shard
from querykin.log_resources import LogResources
from querykin.logs.relations import KIND as LOG_GRAPHS
from querykin.logs.relations import Relation
from querykin.measure_catalog import MeasureCatalog
from querykin.measures import Measure, VectorMeasure
from querykin.measures.requirements import Requirements
from querykin.model_files import Model, Models
from querykin.progress import SILENT, Progress
from querykin.querylog.repository import Repository
from querykin.retrieval.collection_statistics import CollectionCatalog, CollectionStatistics
from querykin.search.expansion import Expander
from querykin.settings import Settings
from querykin.spelling.corrector import SpellingCorrector
from querykin.storage.locations import bring_up_to_date, location
from querykin.text.analyzer import Analyzer
from querykin.workspace_handle import IndexBuilders, WorkspaceHandle

if TYPE_CHECKING:
    from querykin.cooccurrence.counts import CooccurrenceCounts
    from querykin.cooccurrence.latent import LatentVectors
    from querykin.cooccurrence.phrases import Phrases
    from querykin.logs.log import Log
    from querykin.logs.log_graph import LogGraph
    from querykin.querylog.document_frequencies import QueryLogFrequencies

_NOT_OF_CORPUS = {"repository", "models"}  # what stays open when the corpus has changed


class WorkspaceResources:
    """The stores, derived data, models and measures of one folder (querykin.measures.resources.Resources)."""

    def __init__(
        self,
        path: Path,
        settings: Settings,
        policy: BuildPolicy = BuildPolicy.SERVE,
        progress: Progress = SILENT,
        resources: CorpusResources | None = None,
        runner: TaskRunner = THIS_PROCESS,
        shard: Shard | None = None,
    ) -> None:
        self.path, self.settings, self.policy, self.progress = path, settings, policy, progress
        self.runner = runner
        self.shard = shard  # the only rows of the indexes that are searched; everything else is whole
        self._resources = resources or CorpusResources(
            path, settings, policy, progress, self._all_phrases, runner
        )

    def reopen(self, policy: BuildPolicy | None = None) -> Self:
        """The same folder as it is on disk, or in object storage, now."""
        bring_up_to_date(self.path)
        policy = policy or self.policy
        return type(self)(
            self.path, self.settings, policy, self.progress, runner=self.runner, shard=self.shard
        )

    def of_shard(self, shard: Shard) -> Self:
        """The same folder as it is on disk now, to be searched by a shard; a shard builds nothing."""
        return type(self)(self.path, self.settings, BuildPolicy.REFUSE, self.progress, shard=shard)

    def beside(self, folder: Path, policy: BuildPolicy | None = None) -> Self:
        """A workspace over the same corpus and models, with repository and indexes in another folder."""
        policy = policy or self.policy
        other = type(self)(folder, self.settings, policy, self.progress, self._resources, self.runner)
        other.models = self.models
        return other

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """A copy, also in another process, is the same folder opened again."""
        return _opened_again, (type(self), self.path, self._resources.path, self.settings)

    @property
    def handle(self) -> WorkspaceHandle:
        """The workspace as tasks carry it, as it is now."""
        path, corpus_path = self.path.resolve(), self._resources.path.resolve()
        derived = [corpus_path / name for name in ("corpus", "cooccurrence", "latent")]
        vectors = sorted(
            folder for kind in (DOCUMENT_VECTORS, LOG_GRAPHS) for folder in (corpus_path / kind).glob("*")
        )
        stores = [path / "repository", path / "query-log", *derived, *vectors]
        opened = {
            path / "repository": self.repository.generation,
            corpus_path / "corpus": self.corpus.generation,
        }
        reopen = partial(_opened_again, type(self), path, corpus_path, self.settings)
        return WorkspaceHandle(lambda: self, reopen, stores, opened)

    @property
    def location(self) -> str:
        """The folder, or the address in object storage that it is the local copy of."""
        return location(self.path)

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
    def asks_elsewhere(self) -> bool:
        """Whether the search engine is not one over the corpus."""
        return self._resources.asks_elsewhere

    def engine_info(self) -> dict[str, Any]:
        """What a search engine elsewhere is, and where document frequencies come from; else nothing."""
        return self._resources.engine_info()

    def ask(
        self,
        texts: Sequence[str],
        measures: Sequence[str] = (DEFAULT_MEASURE,),
        *,
        count: bool = True,
        complete: bool = False,
    ) -> None:
        """Ask a search engine elsewhere for texts that measures will compare; others ask nothing.

        Words of what it finds are added to the corpus, and with `count`, if document frequencies come from
        snippets, the snippets. With `complete`, a text without a reply is an error. Nothing is done where
        nothing is to be built on demand.
        """
        needed = any(self.requirements(name).corpus for name in measures)
        if not needed or not self.asks_elsewhere or self.policy is BuildPolicy.REFUSE:
            return
        if self._resources.ask(texts, count, complete):
            opened = [
                name for name in vars(self) if isinstance(getattr(type(self), name, None), cached_property)
            ]
            for name in set(opened) - _NOT_OF_CORPUS:
                del vars(self)[name]

    @property
    def cooccurrence(self) -> "CooccurrenceCounts":
        """The co-occurrence counts of the corpus."""
        return self._resources.cooccurrence

    @property
    def counted_vocabulary(self) -> Vocabulary:
        """A vocabulary that has every counted word."""
        return self._resources.counted_vocabulary

    @property
    def latent(self) -> "LatentVectors":
        """Latent word vectors."""
        return self._resources.latent

    def document_vectors(self, model: str) -> DocumentVectors:
        """The document vectors of a model: "static" or "dense"."""
        return self._resources.document_vectors(model)

    def _all_phrases(self, corpus: Corpus) -> "Phrases":
        from querykin.querylog.phrase_lists import all_phrases

        return all_phrases(corpus, self.repository)

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
        return DerivedData(self.path, self._resources, self.repository, self._log_resources)

    @cached_property
    def _log_resources(self) -> LogResources:
        return LogResources(
            self._resources.path,
            self.settings.log.min_sessions,
            self.policy,
            self.progress,
            lambda: self.analyzer,
        )

    @property
    def log(self) -> "Log":
        """The search log: counts of sessions, clicks and reformulations."""
        return self._log_resources.log

    def log_graph(self, relation: "Relation") -> "LogGraph":
        """The logged queries with their clicks, with those of the same sessions, or with reformulations."""
        return self._log_resources.graph(relation)

    @property
    def query_frequencies(self) -> "QueryLogFrequencies":
        """The document frequencies of words in the query log, as of their first use or the last rebuild."""
        return self._derived.query_frequencies

    @cached_property
    def indexes(self) -> IndexCatalog:
        """The indexes of the repository."""
        return IndexCatalog(
            self.path / "index",
            self.corpus,
            self.repository,
            shard=self.shard,
            runner=self.runner,
            elsewhere=lambda names: IndexBuilders(self.handle, tuple(names)),
        )

    @cached_property
    def _collections(self) -> CollectionCatalog:
        whole = (
            IndexCatalog(self.path / "index", self.corpus, self.repository) if self.shard else self.indexes
        )
        return CollectionCatalog(whole, self.corpus, self.repository)

    def collection(self, measure: VectorMeasure) -> CollectionStatistics | None:
        """The collection statistics of the indexed candidates; None before they are indexed."""
        return self._collections.collection(measure)

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


def _opened_again(
    kind: type[WorkspaceResources],
    path: Path,
    corpus_path: Path,
    settings: Settings,
    policy: BuildPolicy = BuildPolicy.SERVE,
) -> WorkspaceResources:
    if path == corpus_path:
        return kind(path, settings, policy)
    return kind(corpus_path, settings, policy).beside(path)
