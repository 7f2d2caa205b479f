"""The documents of a corpus in an OpenSearch index: their stems as terms, under their doc_ids."""

from collections.abc import Iterator
from itertools import chain

import numpy as np

from querykin.compute.arrays import BoolArray, Int64Array, make_indptr
from querykin.corpus.corpus import Corpus
from querykin.counted_nouns import counted
from querykin.errors import WorkspaceError
from querykin.opensearch.bulk import delete_action, index_action, send_bulk
from querykin.opensearch.connection import Connection
from querykin.opensearch.differences import FIELDS, find_differences, versions
from querykin.progress import Progress
from querykin.search.bm25 import K1, B
from querykin.search.engine import EngineOutOfStep
from querykin.search.stem_terms import stem_text

FORMAT = 1  # of the index
SEND = "querykin corpus send"
_TERMS = {"type": "text", "analyzer": "whitespace", "index_options": "freqs", "similarity": "bm25"}
_MAPPINGS = {
    "dynamic": "strict",
    "_source": {"enabled": False},
    "properties": {**FIELDS, "body": _TERMS, "title": _TERMS},
}
_SETTINGS = {
    "similarity": {"bm25": {"type": "BM25", "k1": K1, "b": B}},
}


class OpenSearchDocuments:
    """An index that holds the documents of one corpus."""

    def __init__(self, connection: Connection, index: str) -> None:
        self.connection, self.index = connection, index

    def check(self, corpus: Corpus) -> None:
        """Raise an error unless the index holds the documents of the corpus as it is."""
        found = self.connection.metadata(self.index)
        if found is None:
            raise EngineOutOfStep(f"{self.connection} has no index {self.index!r} yet; next: {SEND}")
        self._check_owner(found[1], corpus)
        held = self._count()
        if (found[1].get("generation"), held) != (corpus.generation, len(corpus)):
            theirs = f"{counted(held, 'document')} of generation {found[1].get('generation', 0)}"
            ours = f"{counted(len(corpus), 'document')} of generation {corpus.generation}"
            raise EngineOutOfStep(
                f"the index {self.index!r} of {self.connection} holds {theirs}, the corpus {ours}; "
                f"next: {SEND}"
            )

    def _check_owner(self, metadata: dict[str, object], corpus: Corpus) -> None:
        if (metadata.get("corpus"), metadata.get("format")) != (corpus.store_id, FORMAT):
            raise WorkspaceError(
                f"the index {self.index!r} of {self.connection} holds documents of another corpus; "
                "next: set index of [engine] to another name, or delete that index"
            )

    def _count(self) -> int:
        return int(self.connection.request("GET", f"/{self.index}/_count")["count"])

    def update(self, corpus: Corpus, progress: Progress, dry_run: bool = False) -> int:
        """Send the documents that the index lacks, and delete those that the corpus no longer has.

        It may be killed and run again: what has arrived is not sent a second time. Returns
        the number of documents that were sent or deleted; with `dry_run` of those that would be.
        """
        found = self.connection.metadata(self.index)
        live = [segment.live(corpus.tombstones) for segment in corpus.segments]
        if found is None and dry_run:
            progress.message(f"{self.index}: {counted(len(corpus), 'document')} to send")
            return len(corpus)
        if found is None:
            owner = {"corpus": corpus.store_id, "format": FORMAT}
            self.connection.create_index(self.index, _SETTINGS, {**_MAPPINGS, "_meta": owner})
        else:
            self._check_owner(found[1], corpus)
        numbers, hashes = _live_documents(corpus, live)
        document_versions = versions(numbers, hashes)
        work = find_differences(self.connection, self.index, numbers, document_versions)
        to_send = counted(int(work.missing.sum()), "document")
        progress.message(f"{self.index}: {to_send} to send, {len(work.extra):,} to delete")
        if dry_run:
            return work.size
        actions = chain(
            map(delete_action, work.extra.tolist()),
            _index_actions(corpus, live, document_versions, work.missing),
        )
        with progress.task(f"sending documents to {self.index}", work.size) as advance:
            send_bulk(self.connection, self.index, actions, advance)
        state = {"generation": corpus.generation, "corpus": corpus.store_id, "format": FORMAT}
        self.connection.finish(self.index, state)
        return work.size


def _live_documents(corpus: Corpus, live: list[BoolArray]) -> tuple[Int64Array, Int64Array]:
    """The ids and content hashes of all live documents."""
    none = np.zeros(0, np.int64)
    segments = list(zip(corpus.segments, live, strict=True))
    return (
        np.concatenate([none, *(segment.doc_ids[mask] for segment, mask in segments)]),
        np.concatenate([none, *(segment.content_hashes[mask] for segment, mask in segments)]),
    )


def _index_actions(
    corpus: Corpus, live: list[BoolArray], document_versions: Int64Array, missing: BoolArray
) -> Iterator[bytes]:
    borders = make_indptr([int(mask.sum()) for mask in live])
    stem = corpus.vocabulary.stem
    for segment, mask, first in zip(corpus.segments, live, borders[:-1].tolist(), strict=True):
        ordinals = np.flatnonzero(mask)
        for place in np.flatnonzero(missing[first : first + len(ordinals)]).tolist():
            ordinal = int(ordinals[place])
            begin, end = int(segment.indptr[ordinal]), int(segment.indptr[ordinal + 1])
            stems, doc_id = stem[segment.tokens[begin:end] >> 2], int(segment.doc_ids[ordinal])
            fields = {
                "number": doc_id,
                "version": int(document_versions[first + place]),
                "body": stem_text(stems),
                "title": stem_text(stems[: segment.title_lengths[ordinal]]),
            }
            yield index_action(doc_id, fields)
