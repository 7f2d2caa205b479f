"""Index builders: which rows are missing or stale, and how rows are encoded and written.

A row becomes stale when one of its documents is deleted, when a new document would enter its results, or
when a new document makes a word of the query known. The statistics that weight the rows stay pinned to the
version of the build until a rebuild.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array, make_indptr
from querykin.compute.threads import thread_map
from querykin.corpus.corpus import Corpus
from querykin.index.index import Build, Index
from querykin.index.segment import IndexSegment, SegmentRows, write_segment
from querykin.measures.expansion_measure import ExpansionMeasure
from querykin.measures.vector_measure import VectorMeasure
from querykin.progress import Advance
from querykin.querylog.repository import Repository
from querykin.search.bm25 import K1, TITLE_BONUS, B
from querykin.vectors import Vectors, concatenate

FindStale: TypeAlias = Callable[["IndexBuilder"], Int64Array]


@dataclass(frozen=True)
class Plan:
    """The work of a build."""

    build: Build
    rebuild: bool  # nothing of the committed build is kept
    missing: Int64Array  # queries without a row
    stale: Int64Array  # queries whose row is out of date
    done: int  # rows that an interrupted build has finished
    corpus_changed: bool  # documents were added or removed since the rows were encoded
    generation: int  # of the index that was examined

    @property
    def needed(self) -> bool:
        """Whether anything would change."""
        return self.rebuild or self.corpus_changed or self.done > 0 or len(self.todo) > 0

    @property
    def todo(self) -> Int64Array:
        """The ids of the queries to encode."""
        return np.union1d(self.missing, self.stale)


def index_settings(measure: VectorMeasure) -> str:
    """Everything rows depend on: the measure's settings and, where it expands, those of the expansion."""
    settings = measure.index_format.settings
    if isinstance(measure, ExpansionMeasure):
        expander = measure.expander
        settings += (
            f" window={expander.window} min_idf_coverage={expander.idf_coverage} bm25={K1},{B},{TITLE_BONUS}"
        )
    return settings


def source_ids(corpus: Corpus, repository: Repository) -> str:
    """The ids of the corpus and the repository that rows are derived from."""
    return f"{corpus.store_id} {repository.store_id}"


def with_pinned_statistics(measure: VectorMeasure, index: Index, corpus: Corpus) -> VectorMeasure:
    """The measure over today's documents under the statistics that the index was built with."""
    if index.committed is None or index.committed.statistics_version == corpus.statistics.version:
        return measure
    return measure.with_statistics(index.statistics)


@dataclass(frozen=True)
class IndexBuilder:
    """Builds the index of a repository under one measure."""

    index: Index
    corpus: Corpus
    repository: Repository
    measure: VectorMeasure  # over the corpus as it is now

    @cached_property
    def _source(self) -> Corpus:
        """The snapshot of the corpus that rows are encoded from."""
        return self.measure.expander.corpus if isinstance(self.measure, ExpansionMeasure) else self.corpus

    def plan(self, rebuild: bool, find_stale: FindStale) -> Plan:
        """Find the rows that are missing or stale; `find_stale` looks for those where documents changed."""
        committed, in_progress = self.index.committed, self.index.in_progress
        current = self._current_build()
        rebuild = (
            rebuild
            or committed is None
            or (committed.index_settings, committed.source_ids)
            != (current.index_settings, current.source_ids)
        )
        stale = np.zeros(0, np.int64)
        if rebuild or committed is None:
            target, missing = current, self.repository.live_ids()
        else:
            target = replace(
                current,
                statistics_version=committed.statistics_version,
                statistics=committed.statistics,
                space=committed.space,
            )
            missing = self.index.missing(self.repository)
            stale = find_stale(self) if committed.corpus_version != current.corpus_version else stale
        done = 0
        if in_progress and _same_build(in_progress, target):
            parts = [IndexSegment(self.index.store.part(name)).query_ids for name in in_progress.segments]
            finished = np.concatenate(parts)
            missing, stale = np.setdiff1d(missing, finished), np.setdiff1d(stale, finished)
            target, done = in_progress, len(finished)
        changed = committed is not None and committed.corpus_version != current.corpus_version
        return Plan(target, rebuild, missing, stale, done, changed, self.index.generation)

    @property
    def pinned(self) -> VectorMeasure:
        """The measure under the statistics of the committed build."""
        return with_pinned_statistics(self.measure, self.index, self._source)

    def _current_build(self) -> Build:
        """A build from scratch over the corpus and the repository as they are."""
        version, index_format = self._source.statistics.version, self.measure.index_format
        return Build(
            index_settings=index_settings(self.measure),
            statistics_version=version,
            statistics="",
            space=self.measure.space,
            source_ids=source_ids(self._source, self.repository),
            corpus_version=version,
            next_doc_id=self._source.next_doc_id,
            vocabulary_size=self._source.vocabulary.count,
            truncation_error=index_format.truncation_error,
        )

    def pin_statistics(self) -> str:
        """Write the statistics that new rows are weighted with as a part; returns its name."""
        part = self.index.store.new_part("statistics")
        self._source.statistics.save(self.index.store.part(part))
        return part

    def write_rows(self, query_ids: Int64Array, rebuild: bool, advance: Advance) -> str:
        """Encode queries and write their rows as a new segment; returns its name.

        A rebuild weights them with the statistics of today, and not with the pinned ones.
        """
        measure = self.measure if rebuild else self.pinned

        def encode(chunk: Sequence[str]) -> tuple[Vectors, Int64Array, Int64Array, Float64Array]:
            encoded = _encode(measure, chunk)
            advance(len(chunk))
            return encoded

        chunks = measure.chunks(self.repository.queries(query_ids))
        parts, counts, documents, last_scores = zip(*thread_map(encode, chunks), strict=True)
        vectors = concatenate(parts)
        name = self.index.store.new_part("segment")
        rows = SegmentRows(
            query_ids,
            vectors,
            measure.candidate_stats(vectors),
            make_indptr(np.concatenate(counts)),
            np.concatenate(documents),
            np.concatenate(last_scores),
        )
        write_segment(self.index.store.part(name), rows, measure.index_format.layout)
        return name


def _same_build(in_progress: Build, target: Build) -> bool:
    """Whether the finished work of an interrupted build is part of this one."""
    return replace(in_progress, statistics="", segments=[]) == replace(target, statistics="", segments=[])


def _encode(
    measure: VectorMeasure, texts: Sequence[str]
) -> tuple[Vectors, Int64Array, Int64Array, Float64Array]:
    """Rows with their provenance: the documents of each row, and the score a new document must exceed."""
    if not isinstance(measure, ExpansionMeasure):
        none = np.zeros(len(texts), np.int64)
        return measure.encode_batch(texts), none, none[:0], np.full(len(texts), np.inf)
    vectors, results = measure.encode_with_results(texts)
    counts = np.diff(results.indptr)
    last = np.zeros(len(texts))
    full = counts == measure.results  # with fewer results any matching document would enter
    last[full] = results.scores[results.indptr[1:][full] - 1]
    return vectors, counts, results.documents, last
