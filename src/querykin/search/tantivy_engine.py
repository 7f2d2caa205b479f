"""The embedded engine: tantivy proposes documents, the token store decides their order.

Each segment of the corpus has an index of its own, which holds stems as numbers and no text. Scores of
different indexes are not comparable and the engine's constants cannot be set, so its ranking only selects
the documents that `ranking.rank` then scores.
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
from querykin.search.engine import CorpusEngine, Queries, Results, engines
from querykin.search.query_parser import parse
from querykin.search.snippets import snippet
from querykin.search.windows import windows
from querykin.types import Hit

FIRST_STAGE_DEPTH = 300  # documents a segment proposes; docs/decisions/0005 says why
SNIPPET = 240  # characters
_HEAP = 400_000_000  # bytes tantivy may fill before it writes a piece of index to disk
_DIGITS = np.frombuffer(b"0123456789abcdef", np.uint8).copy()


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for name in ("body", "title"):
        builder.add_text_field(name, tokenizer_name="spaces", index_option="freq")
    builder.add_unsigned_field("place", fast=True)
    return builder.build()


@njit
def _spell(stems: Int32Array, digits: UInt8Array) -> UInt8Array:
    """Numbers as hexadecimal words with spaces between them."""
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
    """Writes the index of one segment."""

    def __init__(self, segment: Path) -> None:
        folder = segment / "engine"
        folder.mkdir()
        index = tantivy.Index(_schema(), str(folder))
        spaces = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
        index.register_tokenizer("spaces", spaces)
        # One thread: two would place equal scores differently from build to build, and are no faster.
        self._writer = index.writer(_HEAP, num_threads=1)
        self._count = 0

    def add(self, stems: Int32Array, indptr: Int64Array, titles: Int32Array) -> None:
        """Index documents given as stems, their titles first."""
        for i in range(len(titles)):
            begin, end = int(indptr[i]), int(indptr[i + 1])
            document = tantivy.Document()
            document.add_text("body", _spell(stems[begin:end], _DIGITS).tobytes().decode())
            document.add_text("title", _spell(stems[begin : begin + titles[i]], _DIGITS).tobytes().decode())
            document.add_unsigned("place", self._count)
            self._writer.add_document(document)
            self._count += 1

    def close(self, keep: bool) -> None:
        """Finish the index, or give it up."""
        if keep:
            self._writer.commit()
        # Ends the writing threads and waits for them; a rollback leaves them behind with files open.
        self._writer.wait_merging_threads()


@engines.register("tantivy")
class TantivyEngine(CorpusEngine):
    """Searches the workspace's own corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._schema = _schema()
        self._searchers = [
            tantivy.Index.open(str(segment.folder / "engine")).searcher() for segment in corpus.segments
        ]
        self._live = [segment.live(corpus.tombstones) for segment in corpus.segments]

    @classmethod
    def for_corpus(cls, corpus: Corpus, path: str = "") -> "TantivyEngine":
        """The engine over the indexes of the corpus's segments."""
        return cls(corpus)

    def search(self, query: str, limit: int) -> list[Hit]:
        """The best documents for a query, each with the passage that fits it best."""
        queries = parse([query], self.corpus)
        results = self.search_documents(queries, limit)
        return [self._hit(queries, results, r) for r in range(len(results.documents))]

    def _hit(self, queries: Queries, results: Results, r: int) -> Hit:
        segment, ordinal = results.segments[results.segment_ids[r]], int(results.ordinals[r])
        stem, found = self.corpus.vocabulary.stem, results.ordinals[r : r + 1]
        with zeroed_scratch(np.int8, len(stem)) as slot:
            (begin,), (end,) = windows(
                segment.tokens,
                segment.starts,
                segment.indptr,
                segment.titles,
                stem,
                found,
                np.zeros(1, np.int64),
                queries.indptr,
                queries.stems,
                queries.idf,
                SNIPPET,
                slot,
            )
        document = segment.document(ordinal)
        text = snippet(segment, ordinal, int(begin), int(end))
        return Hit(document.id, document.title, text, document.url, float(results.scores[r]))

    def with_statistics(self, statistics: Statistics) -> "TantivyEngine":
        """The same documents, ranked by another table of statistics; shares what is open."""
        other = copy(self)
        other.corpus = self.corpus.with_statistics(statistics)
        return other

    def search_documents(self, queries: Queries, limit: int, since: int = 0) -> Results:
        """The best documents for several texts, of those with serials from `since` on; ties by serial."""
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
        return Results(indptr, doc_ids, scores, matched, segment_ids, ordinals, self.corpus.segments)

    def _search(
        self, stems: Int64Array, idf: Float64Array, limit: int, since: int
    ) -> tuple[Int64Array, Float64Array, UInt64Array, Int64Array, Int64Array]:
        known = stems[stems >= 0]
        query = self._query(known) if len(known) else None
        proposed = [self._first_stage(number, query, since) for number in range(len(self._searchers))]
        segment_ids = np.repeat(np.arange(len(proposed)), [len(ordinals) for ordinals in proposed])
        ordinals = np.concatenate([np.zeros(0, np.int64), *proposed])
        doc_ids, scores, matched = self._rank(proposed, stems, idf)
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
        """Living documents of a segment that may be among the best."""
        doc_ids = self.corpus.segments[number].doc_ids
        if query is None or doc_ids[-1] < since:
            return np.zeros(0, np.int64)
        searcher, live = self._searchers[number], self._live[number]
        limit = FIRST_STAGE_DEPTH
        while True:
            hits = searcher.search(query, limit, count=False).hits
            addresses = [address for _, address in hits]
            ordinals = np.array(searcher.fast_field_values("place", addresses), np.int64)
            live_ids = ordinals[live[ordinals]]
            if len(live_ids) >= FIRST_STAGE_DEPTH or len(hits) < limit:
                return live_ids[doc_ids[live_ids] >= since]
            limit *= 2  # the dead take the places of the living

    def _rank(
        self, proposed: list[Int64Array], stems: Int64Array, idf: Float64Array
    ) -> tuple[Int64Array, Float64Array, UInt64Array]:
        corpus = self.corpus
        mean_length = corpus.statistics.tokens / max(1, corpus.statistics.documents)
        doc_ids, scores, matched = [np.zeros(0, np.int64)], [np.zeros(0)], [np.zeros(0, np.uint64)]
        for segment, ordinals in zip(corpus.segments, proposed, strict=True):
            values, bits = rank(segment, corpus.vocabulary, ordinals, stems, idf, mean_length)
            doc_ids.append(segment.doc_ids[ordinals])
            scores.append(values)
            matched.append(bits)
        return np.concatenate(doc_ids), np.concatenate(scores), np.concatenate(matched)
