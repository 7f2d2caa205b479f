"""Segments of bounded size, written one after the other.

Where a segment ends depends on the documents and their splits alone, so that it is the same wherever the
splits are processed.
"""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from querykin.corpus.segment import DocumentBatch, Indexer, SegmentWriter
from querykin.corpus.vocabulary import Vocabulary
from querykin.storage.store import Store


class SegmentLimit:
    """Decides where segments end.

    A segment ends with the split in which it reaches half of the tokens allowed, or with the batch of
    documents in which it reaches all of them. So most segments consist of whole splits.
    """

    def __init__(self, max_tokens: int) -> None:
        self._max_tokens = max_tokens
        self._tokens = 0  # of the segment so far

    def ends_with_batch(self, tokens: int) -> bool:
        """Count the tokens of a batch; whether the segment ends with it."""
        self._tokens += tokens
        return self._ends(self._max_tokens)

    def ends_with_split(self) -> bool:
        """Whether the segment ends with the split that ends here, or has ended with its last batch."""
        return not self._tokens or self._ends(self._max_tokens // 2)

    def _ends(self, tokens: int) -> bool:
        full = self._tokens >= max(1, tokens)
        if full:
            self._tokens = 0
        return full


class SegmentSequence:
    """Writes documents into new segments of a store; a context manager."""

    def __init__(
        self, store: Store, vocabulary: Vocabulary, indexer: Callable[[Path], Indexer], max_tokens: int
    ) -> None:
        self._store, self._vocabulary, self._indexer = store, vocabulary, indexer
        self._limit = SegmentLimit(max_tokens)
        self._writer: SegmentWriter | None = None
        self._open = ExitStack()
        self.names: list[str] = []

    def __enter__(self) -> "SegmentSequence":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._writer = None
        self._open.__exit__(kind, error, trace)

    def add(self, batch: DocumentBatch, doc_id: int) -> None:
        """Write documents, with ids from `doc_id` on."""
        if not len(batch):
            return
        if self._writer is None:
            self._writer = self._start()
        before = self._writer.tokens
        self._writer.add(batch, doc_id)
        if self._limit.ends_with_batch(self._writer.tokens - before):
            self._end()

    def end_split(self) -> None:
        """Note that a split of the input ends after the documents added last."""
        if self._limit.ends_with_split():
            self._end()

    def _start(self) -> SegmentWriter:
        self.names.append(self._store.new_part("segment"))
        folder = self._store.part(self.names[-1])
        return self._open.enter_context(SegmentWriter(folder, self._vocabulary, self._indexer(folder)))

    def _end(self) -> None:
        self._writer = None
        self._open.close()
