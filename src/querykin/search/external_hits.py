"""Hits of an external search engine, tokenized so that they are processed like documents of the corpus."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from querykin.compute.arrays import Int32Array, Int64Array, UInt32Array, make_indptr
from querykin.corpus.segment import id_hash
from querykin.corpus.vocabulary import Vocabulary
from querykin.corpus.word_table import UNKNOWN
from querykin.search.bm25 import rank
from querykin.search.engine import ParsedQueries, SearchResults
from querykin.text.normalization import to_nfc
from querykin.text.tokenizer import Tokens
from querykin.types import Document, Hit


@dataclass
class ExternalHits:
    """External hits as tokenized documents; words that are not in the vocabulary are left out."""

    hits: Sequence[Hit]
    tokens: UInt32Array
    starts: UInt32Array
    indptr: Int64Array
    title_lengths: Int32Array

    def document(self, ordinal: int) -> Document:
        """A hit as a document."""
        hit = self.hits[ordinal]
        return Document(hit.document_id, hit.title, hit.snippet, hit.url)


def snippet_document(hit: Hit) -> Document:
    """A hit as a document of the corpus; one page has a document for each snippet of it that was seen.

    >>> snippet_document(Hit("7", "Java", "An island", "https://example.com/java", 1.0)).id
    '7#54641315cd97'
    """
    seen = blake2b(f"{hit.title}\n{hit.snippet}".encode("utf-8", "surrogatepass"), digest_size=6)
    return Document(f"{hit.document_id}#{seen.hexdigest()}", hit.title, hit.snippet, hit.url)


def tokenize_hits(
    answers: Sequence[Sequence[Hit]], vocabulary: Vocabulary, queries: ParsedQueries
) -> SearchResults:
    """The hits of an engine for several queries as results over tokenized documents."""
    hits = [hit for answer in answers for hit in answer]
    tokens = vocabulary.analyzer.tokenize([f"{hit.title}\n{hit.snippet}" for hit in hits])
    documents = _tokenized(hits, tokens, vocabulary.lookup(tokens))
    indptr = make_indptr(len(answer) for answer in answers)
    matched = [np.zeros(0, np.uint64)]
    for t in range(len(answers)):
        stems, idf = queries.terms(t)
        ordinals = np.arange(indptr[t], indptr[t + 1])
        matched.append(rank(documents, vocabulary, ordinals, stems, idf, 1.0)[1])
    return SearchResults(
        indptr=indptr,
        documents=np.array([id_hash(hit.document_id) for hit in hits], np.int64),
        scores=np.array([hit.score for hit in hits], np.float64),
        matched=np.concatenate(matched),
        segment_ids=np.zeros(len(hits), np.int64),
        ordinals=np.arange(len(hits)),
        segments=[documents],
    )


def _tokenized(hits: Sequence[Hit], tokens: Tokens, ids: Int32Array) -> ExternalHits:
    known = ids != UNKNOWN
    owner = np.repeat(np.arange(len(hits)), np.diff(tokens.indptr))
    starts = tokens.begin - tokens.text_offsets[owner]
    in_title = starts < np.array([len(to_nfc(hit.title)) for hit in hits], np.int64)[owner]
    sizes = np.bincount(owner[known], minlength=len(hits))
    titles = np.bincount(owner[known & in_title], minlength=len(hits)).astype(np.int32)
    words = (ids[known].astype(np.uint32) << 2) | tokens.flags[known]
    return ExternalHits(hits, words, starts[known].astype(np.uint32), make_indptr(sizes), titles)
