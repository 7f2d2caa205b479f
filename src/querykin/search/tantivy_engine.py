"""The embedded search engine: tantivy proposes candidates, which `ProposingEngine` ranks.

Each segment of the corpus has its own tantivy index, which holds stems as numbers and no text. Scores of
different indexes are not comparable and tantivy's BM25 parameters cannot be set, so its ranking is only the
first stage.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import tantivy

from querykin.compute.arrays import Int32Array, Int64Array
from querykin.corpus.corpus import Corpus
from querykin.corpus.segment import ENGINE, CorpusSegment
from querykin.errors import DamagedFile, WorkspaceError
from querykin.search.engine import engines
from querykin.search.proposing_engine import ProposingEngine
from querykin.search.stem_terms import stem_term, stem_text
from querykin.search.tantivy_reader import open_searcher, tantivy_errors

_HEAP = 400_000_000  # bytes that tantivy buffers before it flushes to disk


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for name in ("body", "title"):
        builder.add_text_field(name, tokenizer_name="spaces", index_option="freq")
    builder.add_unsigned_field("place", fast=True)
    return builder.build()


class TantivyIndexer:
    """Writes the tantivy index of one segment."""

    def __init__(self, segment: Path) -> None:
        folder = segment / ENGINE
        folder.mkdir()
        self._folder, self._count = folder, 0
        with self._translate_errors():
            index = tantivy.Index(_schema(), str(folder))
            spaces = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
            index.register_tokenizer("spaces", spaces)
            # One thread: with two the order of equal scores differs from build to build, at the same speed.
            self._writer = index.writer(_HEAP, num_threads=1)

    def add(self, stems: Int32Array, indptr: Int64Array, titles: Int32Array) -> None:
        """Index documents given as stems, those of their titles first."""
        with self._translate_errors():
            for i in range(len(titles)):
                begin, end = int(indptr[i]), int(indptr[i + 1])
                document = tantivy.Document()
                document.add_text("body", stem_text(stems[begin:end]))
                document.add_text("title", stem_text(stems[begin : begin + titles[i]]))
                document.add_unsigned("place", self._count)
                self._writer.add_document(document)
                self._count += 1

    def close(self, keep: bool) -> None:
        """Finish the index, or abandon it."""
        with self._translate_errors():
            if keep:
                self._writer.commit()
            # Stops the writer's threads and waits for them; a rollback leaves them running with files open.
            self._writer.wait_merging_threads()
        mode = self._folder.stat().st_mode & 0o666
        for file in self._folder.iterdir():
            file.chmod(mode)  # tantivy writes some for their owner only

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Errors of tantivy are ValueErrors, whatever happened: here it is the disk that failed."""
        try:
            yield
        except ValueError as error:
            raise WorkspaceError(f"cannot write the search index in {self._folder}: {error}") from error


@engines.register("tantivy")
class TantivyEngine(ProposingEngine):
    """Searches the corpus of the workspace."""

    def __init__(self, corpus: Corpus) -> None:
        super().__init__(corpus)
        self._schema = _schema()
        self._searchers = list(map(_verified_searcher, corpus.segments))

    @classmethod
    def for_corpus(cls, corpus: Corpus, path: str = "") -> "TantivyEngine":
        """The engine over the indexes of the corpus's segments."""
        return cls(corpus)

    def propose(self, queries: Sequence[Int64Array], since: int, depth: int) -> Iterator[list[Int64Array]]:
        """Candidates of each segment for each query."""
        for stems in queries:
            query = self._query(stems) if len(stems) else None
            yield [self._first_stage(number, query, since, depth) for number in range(len(self._searchers))]

    def _query(self, stems: Int64Array) -> tantivy.Query:
        terms = [
            (tantivy.Occur.Should, tantivy.Query.term_query(self._schema, field, stem_term(stem), "freq"))
            for stem in stems.tolist()
            for field in ("body", "title")
        ]
        return tantivy.Query.boolean_query(terms)

    def _first_stage(self, number: int, query: tantivy.Query | None, since: int, depth: int) -> Int64Array:
        """Live candidates of a segment, as ordinals."""
        segment = self.corpus.segments[number]
        doc_ids = segment.doc_ids
        if query is None or doc_ids[-1] < since:
            return np.zeros(0, np.int64)
        searcher, live = self._searchers[number], self.live[number]
        limit = depth
        while True:
            with tantivy_errors(segment.folder / ENGINE):
                hits = searcher.search(query, limit, count=False).hits
                addresses = [address for _, address in hits]
                ordinals: Int64Array = np.array(searcher.fast_field_values("place", addresses), np.int64)
            if len(ordinals) and not 0 <= ordinals.min() <= ordinals.max() < len(live):
                raise DamagedFile(segment.folder / ENGINE, "it has documents that the segment does not have")
            ordinals = ordinals[live[ordinals]]
            if len(ordinals) >= depth or len(hits) < limit:
                return ordinals[doc_ids[ordinals] >= since]
            limit *= 2  # deleted documents displaced live ones


def _verified_searcher(segment: CorpusSegment) -> tantivy.Searcher:
    segment.verify_engine()
    return open_searcher(segment.folder / ENGINE)
