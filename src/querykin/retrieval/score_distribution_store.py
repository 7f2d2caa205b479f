"""The score distributions of a workspace on disk: sampled with the indexes, and read with the same build."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from typing_extensions import TypedDict

from querykin.corpus.corpus import Corpus
from querykin.errors import DamagedFile, WorkspaceError
from querykin.index.builder import index_settings
from querykin.index.catalog import IndexCatalog, indexed_parts
from querykin.learning.trained_measure import TrainedMeasure
from querykin.measures.base import Measure
from querykin.progress import SILENT, Progress
from querykin.querylog.repository import Repository
from querykin.retrieval.retrievers import CandidateScorer
from querykin.retrieval.score_distribution import ScoreDistribution
from querykin.storage.array_files import load, no_nan, save
from querykin.storage.content_hash import content_hash
from querykin.storage.derived_stores import open_derived
from querykin.storage.metadata import Number, check_metadata
from querykin.storage.published_files import remove_folder
from querykin.storage.store import Manifest, Store

KIND = "score-distributions"
MAX_CHANGE = 0.1  # the share of queries or documents that may come and go before a sample is outdated
_Stamp = tuple[int, int, int]


class _Metadata(TypedDict):
    """The metadata of a store."""

    scores: str
    pairs: Number
    provenance: list[str]
    queries: list[Number]
    documents: list[Number]


class Extent(NamedTuple):
    """How many queries or documents there are, and how many ids they have been given so far."""

    live: int
    ids: int

    def resembles(self, now: "Extent") -> bool:
        """Whether what is there now is nearly the same: few were added since, and few removed."""
        added = now.ids - self.ids
        removed = self.live + added - now.live
        return added + removed <= MAX_CHANGE * self.live


@dataclass(frozen=True)
class Sample:
    """A distribution with what it was sampled from."""

    distribution: ScoreDistribution
    provenance: list[str]  # everything the scores depend on, of the measure and of the indexes
    queries: Extent
    documents: Extent

    @classmethod
    def load(cls, store: Store, given: dict[str, Any]) -> Self:
        """The sample in a store, with the metadata of the store."""
        metadata = check_metadata(store, given, _Metadata)
        part = store.part(metadata["scores"])
        scores = load(part, "scores", no_nan, types=np.float64)
        if len(scores) > metadata["pairs"] or (scores[1:] < scores[:-1]).any():
            raise DamagedFile(part / "scores.npy", "its scores do not ascend, or are more than pairs")
        return cls(
            ScoreDistribution(scores, metadata["pairs"]),
            metadata["provenance"],
            Extent(*metadata["queries"]),
            Extent(*metadata["documents"]),
        )


class ScoreDistributions:
    """Samples, stores and finds the score distributions of one workspace, one store for each measure."""

    def __init__(self, folder: Path, indexes: IndexCatalog, corpus: Corpus, repository: Repository) -> None:
        self._folder, self._indexes, self._corpus, self._repository = folder, indexes, corpus, repository
        self._open: dict[str, tuple[_Stamp, Sample | None]] = {}

    def find(self, measure: Measure) -> ScoreDistribution | None:
        """The distribution of a measure's scores; None where it is missing or belongs to another build."""
        sample = self._sample(measure)
        return sample.distribution if sample and self._is_current(sample, measure) else None

    def update(
        self, measure: Measure, scorer: CandidateScorer, rebuild: bool = False, progress: Progress = SILENT
    ) -> None:
        """Sample the scores of a measure, whose indexes are up to date, unless that was done.

        A listwise measure has no distribution: its scores depend on the list that a candidate is in. Nor has
        a repository of a few queries, which tells nothing of random pairs.
        """
        from querykin.retrieval.score_sampling import MIN_QUERIES, sample_scores

        if measure.listwise or len(self._repository) < MIN_QUERIES:
            return
        if rebuild:
            self._drop_damaged(measure)
        elif open_derived(self._folder / measure.name, lambda: self.find(measure), progress):
            return
        self._write(measure, sample_scores(scorer, measure.name, progress))

    def _write(self, measure: Measure, found: ScoreDistribution) -> None:
        store, (queries, documents) = self._store(measure), self._extents()
        with store.writing():
            part = store.new_part("scores")
            save(store.part(part), scores=found.scores)
            metadata = {
                "scores": part,
                "pairs": found.pairs,
                "provenance": self._provenance(measure),
                "queries": queries,
                "documents": documents,
            }
            store.commit(metadata, [part])

    def _drop_damaged(self, measure: Measure) -> None:
        """Remove a sample that cannot be read: it is derived, and about to be replaced."""
        try:
            self._sample(measure)
        except WorkspaceError:
            remove_folder(self._store(measure).path)

    def _store(self, measure: Measure) -> Store:
        return Store(self._folder / measure.name, KIND)

    def _sample(self, measure: Measure) -> Sample | None:
        """What is stored for a measure; read again only when it was replaced."""
        store = self._store(measure)
        stamp = store.stamp()
        if measure.name not in self._open or self._open[measure.name][0] != stamp:

            def opened(manifest: Manifest) -> Sample | None:
                return Sample.load(store, manifest.metadata) if manifest.metadata else None

            self._open[measure.name] = stamp, store.read(opened)
        return self._open[measure.name][1]

    def _is_current(self, sample: Sample, measure: Measure) -> bool:
        """Whether a sample is of this measure, these indexes and nearly the same queries and documents."""
        queries, documents = self._extents()
        same_build = sample.provenance == self._provenance(measure)
        return same_build and sample.queries.resembles(queries) and sample.documents.resembles(documents)

    def _extents(self) -> tuple[Extent, Extent]:
        queries = Extent(len(self._repository), len(self._repository.counts))
        return queries, Extent(len(self._corpus), self._corpus.next_doc_id)

    def _provenance(self, measure: Measure) -> list[str]:
        builds = [(part, self._indexes.index(part).committed) for part in indexed_parts(measure)]
        indexes = [
            f"{part.index_name}: {index_settings(part)} over {build.statistics_version}"
            for part, build in builds
            if build
        ]
        return [f"repository {self._repository.store_id}", *_settings(measure), *indexes]


def _settings(measure: Measure) -> list[str]:
    """The parameters of a measure and of those that it is made of, and what it has learned."""
    found = [repr(measure)]
    if isinstance(measure, TrainedMeasure):
        found.append(f"model {content_hash(json.dumps(measure.model.content, sort_keys=True).encode())}")
    return found + [line for part in measure.components() for line in _settings(part)]
