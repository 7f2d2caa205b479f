"""The embedded search engine: tantivy retrieves candidates, `bm25.rank` scores them from the token store.

Each segment of the corpus has its own tantivy index, which holds stems as numbers and no text. Scores of
different indexes are not comparable and tantivy's BM25 parameters cannot be set, so its ranking is only the
first stage.
"""

from copy import copy
from pathlib import Path

import numpy as np
import tantivy

from querykin.compute.arrays import Float64Array, Int32Array, Int64Array, UInt8Array, UInt64Array, make_indptr
from querykin.compute.jit import njit
from querykin.compute.threads import zeroed_scratch
from querykin.corpus.corpus import Corpus
from querykin.corpus.statistics import Statistics
from querykin.search.bm25 import rank
from querykin.search.engine import CorpusEngine, ParsedQueries, SearchResults, engines
from querykin.search.kernel_arrays import segment_arrays
from querykin.search.query_parser import parse_queries
from querykin.search.snippets import snippet
from querykin.search.tantivy_reader import open_searcher
from querykin.search.windows import windows
from querykin.types import Hit

FIRST_STAGE_DEPTH = 300  # candidates of each segment; docs/decisions/0005 says why
SNIPPET = 240  # characters
_HEAP = 400_000_000  # bytes that tantivy buffers before it flushes to disk
_DIGITS = np.frombuffer(b"0123456789abcdef", np.uint8).copy()


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for name in ("body", "title"):
        builder.add_text_field(name, tokenizer_name="spaces", index_option="freq")
    builder.add_unsigned_field("place", fast=True)
    return builder.build()


@njit
def _to_hex(stems: Int32Array, digits: UInt8Array) -> UInt8Array:
    """Numbers in hexadecimal, separated by spaces."""
    out = np.empty(9 * len(stems), np.uint8)
    at = 0
    for number in stems:
        size = 1
        while number >> (4 * size):
            size += 1
        for d in range(size):
            out[at + d] = digits[(number >> (4 * (size - 1 - d))) & 15]
        out[at + size] = 32
        at += size + 1
    return out[:at]


class TantivyIndexer:
    """Writes the tantivy index of one segment."""

    def __init__(self, segment: Path) -> None:
        folder = segment / "engine"
        folder.mkdir()
        index = tantivy.Index(_schema(), str(folder))
        spaces = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
        index.register_tokenizer("spaces", spaces)
        # One thread: with two the order of equal scores differs from build to build, and they are no faster.
        self._writer = index.writer(_HEAP, num_threads=1)
        self._count = 0

    def add(self, stems: Int32Array, indptr: Int64Array, titles: Int32Array) -> None:
        """Index documents given as stems, those of their titles first."""
        for i in range(len(titles)):
            begin, end = int(indptr[i]), int(indptr[i + 1])
            document = tantivy.Document()
            document.add_text("body", _to_hex(stems[begin:end], _DIGITS).tobytes().decode())
            document.add_text("title", _to_hex(stems[begin : begin + titles[i]], _DIGITS).tobytes().decode())
            document.add_unsigned("place", self._count)
            self._writer.add_document(document)
            self._count += 1

    def close(self, keep: bool) -> None:
        """Finish the index, or abandon it."""
        if keep:
            self._writer.commit()
        # Stops the writer's threads and waits for them; a rollback leaves them running with files open.
        self._writer.wait_merging_threads()


@engines.register("tantivy")
class TantivyEngine(CorpusEngine):
    """Searches the corpus of the workspace."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._schema = _schema()
        self._searchers = [open_searcher(segment.folder / "engine") for segment in corpus.segments]
        self._live = [segment.live(corpus.tombstones) for segment in corpus.segments]

    @classmethod
    def for_corpus(cls, corpus: Corpus, path: str = "") -> "TantivyEngine":
        """The engine over the indexes of the corpus's segments."""
        return cls(corpus)

    def search(self, query: str, limit: int) -> list[Hit]:
        """The best documents for a query, each with the passage that matches it best."""
        queries = parse_queries([query], self.corpus)
        results = self.search_documents(queries, limit)
        return [self._hit(queries, results, r) for r in range(len(results.documents))]

    def _hit(self, queries: ParsedQueries, results: SearchResults, r: int) -> Hit:
        segment, ordinal = results.segments[results.segment_ids[r]], int(results.ordinals[r])
        stem, ordinals, query_of = (
            self.corpus.vocabulary.stem,
            results.ordinals[r : r + 1],
            np.zeros(1, np.int64),
        )
        with zeroed_scratch(np.int8, len(stem)) as slots:
            (begin,), (end,) = windows(
                segment_arrays(segment), ordinals, query_of, queries.arrays, stem, SNIPPET, slots
            )
        document = segment.document(ordinal)
        text = snippet(segment, ordinal, int(begin), int(end))
        return Hit(document.id, document.title, text, document.url, float(results.scores[r]))

    def with_statistics(self, statistics: Statistics) -> "TantivyEngine":
        """The same documents, ranked with other corpus statistics; the open indexes are shared."""
        other = copy(self)
        other.corpus = self.corpus.with_statistics(statistics)
        return other

    def search_documents(self, queries: ParsedQueries, limit: int, since: int = 0) -> SearchResults:
        """The best documents for several queries, of those with ids from `since` on; ties by id."""
        found = [self._search(*queries.terms(t), limit, since) for t in range(len(queries))]
        none = (
            np.zeros(0, np.int64),
            np.zeros(0),
            np.zeros(0, np.uint64),
            np.zeros(0, np.int64),
            np.zeros(0, np.int64),
        )
        doc_ids, scores, matched, segment_ids, ordinals = (
            np.concatenate(values) for values in zip(none, *found, strict=True)
        )
        indptr = make_indptr(len(values[0]) for values in found)
        return SearchResults(indptr, doc_ids, scores, matched, segment_ids, ordinals, self.corpus.segments)

    def _search(
        self, stems: Int64Array, idf: Float64Array, limit: int, since: int
    ) -> tuple[Int64Array, Float64Array, UInt64Array, Int64Array, Int64Array]:
        known = stems[stems >= 0]
        query = self._query(known) if len(known) else None
        candidates = [self._first_stage(number, query, since) for number in range(len(self._searchers))]
        segment_ids = np.repeat(np.arange(len(candidates)), [len(ordinals) for ordinals in candidates])
        ordinals = np.concatenate([np.zeros(0, np.int64), *candidates])
        doc_ids, scores, matched = self._rank(candidates, stems, idf)
        best = np.lexsort((doc_ids, -scores))[:limit]
        return doc_ids[best], scores[best], matched[best], segment_ids[best], ordinals[best]

    def _query(self, stems: Int64Array) -> tantivy.Query:
        terms = [
            (tantivy.Occur.Should, tantivy.Query.term_query(self._schema, field, f"{stem:x}", "freq"))
            for stem in stems
            for field in ("body", "title")
        ]
        return tantivy.Query.boolean_query(terms)

    def _first_stage(self, number: int, query: tantivy.Query | None, since: int) -> Int64Array:
        """Live candidates of a segment, as ordinals."""
        doc_ids = self.corpus.segments[number].doc_ids
        if query is None or doc_ids[-1] < since:
            return np.zeros(0, np.int64)
        searcher, live = self._searchers[number], self._live[number]
        limit = FIRST_STAGE_DEPTH
        while True:
            hits = searcher.search(query, limit, count=False).hits
            addresses = [address for _, address in hits]
            ordinals: Int64Array = np.array(searcher.fast_field_values("place", addresses), np.int64)
            ordinals = ordinals[live[ordinals]]
            if len(ordinals) >= FIRST_STAGE_DEPTH or len(hits) < limit:
                return ordinals[doc_ids[ordinals] >= since]
            limit *= 2  # deleted documents displaced live ones

    def _rank(
        self, candidates: list[Int64Array], stems: Int64Array, idf: Float64Array
    ) -> tuple[Int64Array, Float64Array, UInt64Array]:
        corpus = self.corpus
        mean_length = corpus.statistics.tokens / max(1, corpus.statistics.documents)
        doc_ids, scores, matched = [np.zeros(0, np.int64)], [np.zeros(0)], [np.zeros(0, np.uint64)]
        for segment, ordinals in zip(corpus.segments, candidates, strict=True):
            segment_scores, bits = rank(segment, corpus.vocabulary, ordinals, stems, idf, mean_length)
            doc_ids.append(segment.doc_ids[ordinals])
            scores.append(segment_scores)
            matched.append(bits)
        return np.concatenate(doc_ids), np.concatenate(scores), np.concatenate(matched)
