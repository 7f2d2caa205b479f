"""The indexes of a workspace: built, searched, and published."""

from collections.abc import Sequence
from functools import cached_property, reduce
from operator import or_
from typing import TYPE_CHECKING

from querykin.defaults import DEFAULT_MEASURE
from querykin.errors import InputError, WorkspaceError
from querykin.index.builder import Plan
from querykin.index.catalog import indexed_parts
from querykin.index.index import Index
from querykin.measures import Measure, VectorMeasure
from querykin.measures.base import measures
from querykin.measures.requirements import Requirements
from querykin.retrieval.retrievers import Retriever
from querykin.retrieval.score_distribution import ScoreDistribution
from querykin.retrieval.score_distribution_store import KIND as DISTRIBUTIONS
from querykin.retrieval.score_distribution_store import ScoreDistributions
from querykin.retrieval.selection import can_search, make_retriever
from querykin.validation import Flag, Text, validated
from querykin.workspace_log import WorkspaceLog

if TYPE_CHECKING:
    from querykin.retrieval.published_rows import PublishedRows


class WorkspaceIndexes(WorkspaceLog):
    """The resources of a workspace with the indexes of its past queries."""

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
                f"the repository in {self.location} is empty; next: querykin repository add FILE, or "
                "querykin repository mine to take queries from the corpus"
            )

    def ask_for_queries(self, names: Sequence[str]) -> None:
        """Ask a search engine elsewhere for all past queries, if measures need that."""
        if self.asks_elsewhere and len(self.repository):
            self.ask(list(self.repository.queries(self.repository.live_ids())), names, complete=True)

    def build(self, name: str = DEFAULT_MEASURE, rebuild: bool = False) -> None:
        """Bring the indexes of a measure up to date; `rebuild` builds them again, with today's statistics."""
        self.build_all([name], rebuild)

    def build_all(self, names: Sequence[str], rebuild: bool = False) -> None:
        """Bring the indexes of measures up to date; each query is searched for once, for all of them."""
        self.offer_logged()
        self.ask_for_queries(names)
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
        measure = self.measure(name)
        folder = self.path / DISTRIBUTIONS / measure.name
        attempts = iter((self._distributions.find, self._sampled_again))  # the second after damage
        return self._resources.open_derived(folder, lambda: next(attempts)(measure))

    def _sampled_again(self, measure: Measure) -> ScoreDistribution | None:
        self._sample_scores(measure)
        return self._distributions.find(measure)

    def update_derived(self, name: str, rebuild: bool = False) -> None:
        """Bring the derived data that a measure needs up to date."""
        self._update_derived(self.requirements(name), rebuild)

    def _update_derived(self, requirements: Requirements, rebuild: bool) -> None:
        self._derived.update(requirements, rebuild)
        if requirements.derived:
            self._catalog.forget()

    def retriever(self, name: str = DEFAULT_MEASURE) -> Retriever:
        """Finds the nearest queries of the repository; the policy decides about missing and stale indexes."""
        if self.asks_elsewhere and self._lacks_index(name):
            self.ask_for_queries([name])
        measure = self.check_ready(name)
        published = self._published_parts(measure)
        indexes = self.indexes.require(
            measure, self.policy, self.progress, lambda: self._sample_scores(measure), published
        )
        for part, rows in published.values():
            from querykin.retrieval.published_retriever import PublishedRetriever

            retriever = PublishedRetriever(indexes[part.index_name], self.corpus, self.repository, part, rows)
            if notice := retriever.check():
                self.progress.message(notice)
        rows_of = {name: rows for name, (_, rows) in published.items()}
        return make_retriever(measure, self.corpus, self.repository, indexes, self.shard, rows_of)

    def _lacks_index(self, name: str) -> bool:
        """Whether the index of a measure has to be built from nothing."""
        if not len(self.corpus):
            return True
        parts = indexed_parts(self.measure(name))
        return any(self.indexes.index(part).committed is None for part in parts)

    def _published_parts(self, measure: Measure) -> "dict[str, tuple[VectorMeasure, PublishedRows]]":
        """The parts of a measure whose rows are searched in OpenSearch, by the names of their indexes."""
        if self.settings.candidates.kind != "opensearch" or self.shard:
            return {}
        from querykin.retrieval.publishing import publishable

        return {
            part.index_name: (part, self._published)
            for part in publishable(measure)
            if part.index_name == self._published.state.build.measure
        }

    @cached_property
    def _published(self) -> "PublishedRows":
        from querykin.opensearch.connection import Connection
        from querykin.retrieval.published_rows import PublishedRows

        return PublishedRows(Connection(self.settings.opensearch), self.settings.candidates.index)

    @validated
    def publish(
        self, measure: Text = DEFAULT_MEASURE, *, to: Text = "", index: Text = "", dry_run: Flag = False
    ) -> int:
        """Publish the rows of a measure, or of the part of it that can be published, to OpenSearch.

        `to` is the address of the cluster and `index` the alias, by default those of the settings. Only what
        differs from the rows published before is sent. Returns the number of rows that were sent or deleted;
        with `dry_run` of those that would be.
        """
        from querykin.opensearch.connection import Connection
        from querykin.retrieval.publishing import Publication, is_publishable, publishable

        parts = publishable(self.check_ready(measure))
        if not parts:
            allowed = sorted(name for name in measures if is_publishable(measures[name].kind))
            raise InputError(
                f"the rows of {measure} cannot be published; allowed: {', '.join(allowed)} and measures that "
                "search by one of them, like hybrid"
            )
        settings = self.settings.opensearch.at(to) if to else self.settings.opensearch
        alias = index or self.settings.candidates.index
        built = self.indexes.require(parts[0], self.policy, self.progress)[parts[0].index_name]
        publication = Publication(Connection(settings), alias, built, parts[0].index_name)
        return publication.run(self.repository, self.progress, dry_run).size
