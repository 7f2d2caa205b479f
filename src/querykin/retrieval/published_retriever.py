"""Retrieval of the nearest queries from rows that are published to OpenSearch."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.errors import WorkspaceError
from querykin.index.builder import index_settings, source_ids
from querykin.index.ranking import Ranking, best
from querykin.measures.expansion_measure import ExpansionMeasure
from querykin.measures.vector_measure import VectorMeasure
from querykin.retrieval.published_rows import Candidates, PublishedBuild, PublishedRows
from querykin.retrieval.publishing import build_of, generation_of
from querykin.retrieval.retrievers import IndexRetriever
from querykin.vectors import Vectors


@dataclass(frozen=True)
class PublishedRetriever(IndexRetriever):
    """Search of published rows; where the workspace has the rows too, these score the candidates."""

    published: PublishedRows

    def check(self) -> str:
        """A notice if the published rows are behind those of the workspace, else none.

        Rows of another build, which cannot be compared with queries encoded here, are an error.
        """
        state = self.published.state
        if state.build != self._build:
            raise WorkspaceError(
                f"the rows published as {self.published.alias!r} are of another build of "
                f"{state.build.measure} than this workspace; next: {self.published.command}"
            )
        if self.index.committed and state.generation != generation_of(self.index, self.repository):
            return f"the published rows are behind this workspace; next: {self.published.command}"
        return ""

    @property
    def _build(self) -> PublishedBuild:
        """The build whose rows queries encoded here can be compared with."""
        measure = self.current
        if self.index.committed:
            return build_of(self.index, measure.index_name)
        corpus = measure.expander.corpus if isinstance(measure, ExpansionMeasure) else self.corpus
        return PublishedBuild(
            measure.index_name,
            index_settings(measure),
            measure.space,
            corpus.statistics.version,
            source_ids(corpus, self.repository),
        )

    @cached_property
    def measure(self) -> VectorMeasure:  # type: ignore[override]
        """The measure with the statistics that the rows were built with."""
        return super().measure if self.index.committed else self.current

    def search_rows(self, rows: Vectors, k: int, min_score: float, min_count: int) -> list[Ranking]:
        """The k nearest of the candidates that OpenSearch returns."""
        covered = np.flatnonzero(rows.covered)
        found = self.published.search(rows.take(covered), k, min_count)
        rankings = [Ranking.none(covered=False)] * len(rows)
        enough = np.append(self.repository.counts >= max(1, min_count), False)
        for number, candidates in zip(covered.tolist(), found, strict=True):
            row, live = rows.take(np.array([number])), enough.take(candidates.query_ids, mode="clip")
            query_ids = candidates.query_ids[live]
            if self.index.committed:
                scores = self.row_scores(row, query_ids)
            else:
                scores = self.remote_scores(row, candidates)[live]
            scored = ~np.isnan(scores)
            rankings[number] = best([(query_ids[scored], scores[scored])], k, self.repository, min_score)
        return rankings

    def remote_scores(self, row: Vectors, candidates: Candidates) -> Float64Array:
        """The scores of candidates from what OpenSearch returns."""
        query_stats = self.measure.query_stats(row)[0]
        return self.measure.score_from_dot(candidates.dots, query_stats, candidates.norms)

    def row_scores(self, row: Vectors, query_ids: Int64Array) -> Float64Array:
        """The scores of a row, from the rows of the workspace or, without any, from the published ones."""
        if self.index.committed:
            return super().row_scores(row, query_ids)
        scores = np.full(len(query_ids), np.nan)
        if row.covered[0]:
            order = np.argsort(query_ids, kind="stable")
            for candidates in self.published.look_up(row, query_ids):
                places = order[np.searchsorted(query_ids[order], candidates.query_ids)]
                scores[places] = self.remote_scores(row, candidates)
        return scores
