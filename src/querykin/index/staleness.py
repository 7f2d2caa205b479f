"""Stale rows: queries whose search results have changed since their row was encoded."""

from typing import NamedTuple

import numpy as np

from querykin.compute.arrays import BoolArray, Int64Array
from querykin.compute.threads import thread_map
from querykin.corpus.corpus import Corpus
from querykin.index.index import Build, Index
from querykin.index.segment import IndexSegment
from querykin.measures.expansion_measure import ExpansionMeasure
from querykin.measures.vector_measure import VectorMeasure
from querykin.querylog.repository import Repository
from querykin.search.engine import CorpusEngine
from querykin.search.query_parser import parse_queries

_BATCH = 64  # queries that one thread searches in the new documents at once
_RUN = 65_536  # rows of one task


class SegmentRange(NamedTuple):
    """Consecutive rows of one segment."""

    segment: int
    begin: int
    end: int


def rows_to_check(index: Index, measure: VectorMeasure) -> list[SegmentRange]:
    """The rows of an index that may be out of date; none for measures without search results."""
    if not isinstance(measure, ExpansionMeasure) or not isinstance(measure.expander.engine, CorpusEngine):
        return []
    return [
        SegmentRange(number, begin, min(begin + _RUN, len(segment)))
        for number, segment in enumerate(index.segments)
        for begin in range(0, len(segment), _RUN)
    ]


def stale_rows(
    index: Index, repository: Repository, measure: VectorMeasure, rows: SegmentRange
) -> Int64Array:
    """The ids of the queries of some rows whose search results have changed since the build."""
    assert isinstance(measure, ExpansionMeasure)
    assert isinstance(measure.expander.engine, CorpusEngine)
    assert index.committed is not None
    corpus, engine, committed = measure.expander.corpus, measure.expander.engine, index.committed
    live_documents = np.concatenate(
        [np.zeros(0, np.int64), *(part.doc_ids[part.live(corpus.tombstones)] for part in corpus.segments)]
    )
    segment, numbers = index.segments[rows.segment], np.arange(rows.begin, rows.end)
    live = index.live_rows(repository)[rows.segment][numbers]
    owners, documents = segment.documents(rows.begin, rows.end)
    lost = np.zeros(len(numbers), np.bool_)
    lost[owners[~np.isin(documents, live_documents)]] = True
    entered = np.zeros(len(numbers), np.bool_)
    searched = np.flatnonzero(live & ~lost)
    if corpus.next_doc_id > committed.next_doc_id:
        entered[searched] = _entered(engine, corpus, repository, segment, numbers[searched], committed)
    stale: Int64Array = segment.query_ids[numbers[live & (lost | entered)]].astype(np.int64)
    return stale


def _entered(
    engine: CorpusEngine,
    corpus: Corpus,
    repository: Repository,
    segment: IndexSegment,
    rows: Int64Array,
    committed: Build,
) -> BoolArray:
    """For which rows a new document outscores the last result, or makes a word of the query known."""

    def changed(batch: Int64Array) -> Int64Array:
        queries = parse_queries(repository.queries(segment.query_ids[batch]), corpus)
        results = engine.search_documents(queries, 1, committed.next_doc_id)
        owners = np.repeat(np.arange(len(batch)), np.diff(results.indptr))
        better = owners[results.scores > segment.last_scores[batch][owners]]
        new_words = queries.stems >= committed.vocabulary_size
        known = np.repeat(np.arange(len(batch)), np.diff(queries.indptr))[new_words]
        return np.bincount(np.concatenate([better, known]), minlength=len(batch))

    batches = [rows[i : i + _BATCH] for i in range(0, len(rows), _BATCH)]
    return np.concatenate([np.zeros(0, np.int64), *thread_map(changed, batches)]) > 0
