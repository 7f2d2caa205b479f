"""The task of document vectors: the leads of some documents are embedded and written as a part."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from querykin.compute.arrays import Int8Array, Int32Array, Int64Array
from querykin.compute.threads import thread_map
from querykin.corpus.segment import CorpusSegment
from querykin.embeddings.base import EmbeddingModel
from querykin.embeddings.leads import lead
from querykin.embeddings.vector_parts import quantize, write_part
from querykin.progress import Advance
from querykin.storage.store import Files, Store

_CHUNK = 64  # leads that one thread embeds at once


class SomeDocuments(NamedTuple):
    """Documents of one segment."""

    segment: Path
    ordinals: Int32Array


@dataclass(frozen=True)
class EmbedLeads:
    """The task function: documents to the name of the part with their vectors, and its sealed files."""

    store: Store
    load: Callable[[], EmbeddingModel]  # loads the model once in each process
    words: int  # of a lead
    advance: Advance | None = None  # where the task runs in this process

    def __call__(self, documents: SomeDocuments) -> tuple[str, Files]:
        """Write the vectors of documents as a new part."""
        segment, store = CorpusSegment(documents.segment), self.store
        leads = read_leads(segment, documents.ordinals, self.words)
        name = store.new_part("vectors")
        vectors = embed_leads(self.load(), leads, self.advance or (lambda documents: None))
        write_part(store.part(name), segment.doc_ids[documents.ordinals], vectors)
        return name, store.seal(name)


def read_leads(segment: CorpusSegment, ordinals: Int32Array, words: int) -> list[str]:
    """The leads of documents."""
    return [lead(segment.document(ordinal), words) for ordinal in ordinals.tolist()]


def embed_leads(model: EmbeddingModel, leads: Sequence[str], advance: Advance) -> Int8Array:
    """The vectors of leads in 8 bits, on all cores."""
    vectors = np.zeros((len(leads), int(model([]).shape[1])), np.int8)

    def embed(rows: Int64Array) -> None:
        vectors[rows] = quantize(model([leads[row] for row in rows.tolist()]))
        advance(len(rows))

    # Models run leads of equal length together.
    order = np.argsort([len(text) for text in leads], kind="stable")
    thread_map(embed, [order[begin : begin + _CHUNK] for begin in range(0, len(order), _CHUNK)])
    return vectors
