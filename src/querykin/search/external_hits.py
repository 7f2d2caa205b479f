"""Results that arrive as text: tokenised at the door, they take the same path as the corpus's own."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from querykin.compute.arrays import Int32Array, Int64Array, UInt32Array, make_indptr
from querykin.corpus.segment import id_hash
from querykin.corpus.vocabulary import UNKNOWN, Vocabulary
from querykin.search.bm25 import rank
from querykin.search.engine import Queries, Results
from querykin.text.normalization import to_nfc
from querykin.text.tokenizer import Tokens, tokenize
from querykin.types import Document, Hit


@dataclass
class ExternalHits:
    """Hits of a foreign engine as tokens; words that the corpus has never seen are left out."""

    hits: Sequence[Hit]
    tokens: UInt32Array
    starts: UInt32Array
    indptr: Int64Array
    title_lengths: Int32Array

    def document(self, ordinal: int) -> Document:
        """One hit as a document."""
        hit = self.hits[ordinal]
        return Document(hit.document_id, hit.title, hit.snippet, hit.url)


def tokenize_hits(answers: Sequence[Sequence[Hit]], vocabulary: Vocabulary, queries: Queries) -> Results:
    """Turn the answers of an engine to several queries into results over token ids."""
    hits = [hit for answer in answers for hit in answer]
    found = tokenize([f"{hit.title}\n{hit.snippet}" for hit in hits])
    arrived = _arrived(hits, found, vocabulary.lookup(found))
    indptr = make_indptr(len(answer) for answer in answers)
    matched = [np.zeros(0, np.uint64)]
    for t in range(len(answers)):
        stems, idf = queries.terms(t)
        ordinals = np.arange(indptr[t], indptr[t + 1])
        matched.append(rank(arrived, vocabulary, ordinals, stems, idf, 1.0)[1])
    return Results(
        indptr=indptr,
        documents=np.array([id_hash(hit.document_id) for hit in hits], np.int64),
        scores=np.array([hit.score for hit in hits], np.float64),
        matched=np.concatenate(matched),
        segment_ids=np.zeros(len(hits), np.int64),
        ordinals=np.arange(len(hits)),
        segments=[arrived],
    )


def _arrived(hits: Sequence[Hit], found: Tokens, ids: Int32Array) -> ExternalHits:
    known = ids != UNKNOWN
    owner = np.repeat(np.arange(len(hits)), np.diff(found.indptr))
    starts = found.begin - found.text_offsets[owner]
    in_title = starts < np.array([len(to_nfc(hit.title)) for hit in hits], np.int64)[owner]
    sizes = np.bincount(owner[known], minlength=len(hits))
    titles = np.bincount(owner[known & in_title], minlength=len(hits)).astype(np.int32)
    tokens = (ids[known].astype(np.uint32) << 2) | found.flags[known]
    return ExternalHits(hits, tokens, starts[known].astype(np.uint32), make_indptr(sizes), titles)
