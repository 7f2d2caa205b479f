"""In which order? Scores of proposed documents, computed from the token store.

BM25 over stems, times the share of the query's idf mass that the document holds (a document with one word
of three says little about the query), times a bonus for a title that is the query: the share of the query
in the title times the share of the title in the query.
"""

import numpy as np

from querykin.compute.arrays import (
    Float64Array,
    Int8Array,
    Int32Array,
    Int64Array,
    UInt8Array,
    UInt32Array,
    UInt64Array,
)
from querykin.compute.jit import njit
from querykin.compute.threads import zeroed_scratch
from querykin.corpus.segment import TokenizedDocuments
from querykin.corpus.vocabulary import Vocabulary

K1, B = 0.9, 0.4
TITLE_BONUS = 3.0  # docs/decisions/0005 says why


@njit
def mark(terms: Int64Array, slot: Int8Array) -> None:
    """Enter the query's terms into the table of slots, the first as 1; `unmark` clears it again."""
    for t in range(len(terms)):
        if terms[t] >= 0:
            slot[terms[t]] = t + 1


@njit
def unmark(terms: Int64Array, slot: Int8Array) -> None:
    """Clear the query's terms from the table of slots."""
    for t in range(len(terms)):
        if terms[t] >= 0:
            slot[terms[t]] = 0


def rank(
    documents: TokenizedDocuments,
    vocabulary: Vocabulary,
    ordinals: Int64Array,
    terms: Int64Array,
    idf: Float64Array,
    mean_length: float,
) -> tuple[Float64Array, UInt64Array]:
    """Score the documents at `ordinals` for a query; also tells which terms each one holds."""
    stem_indptr, forms = vocabulary.forms
    with zeroed_scratch(np.int8, len(forms)) as slot, zeroed_scratch(np.uint8, len(forms) // 8 + 1) as wanted:
        return scores_of(
            documents.tokens,
            documents.indptr,
            documents.title_lengths,
            vocabulary.stem,
            stem_indptr,
            forms,
            ordinals,
            terms,
            idf,
            mean_length,
            slot,
            wanted,
        )


@njit
def scores_of(
    tokens: UInt32Array,
    indptr: Int64Array,
    titles: Int32Array,
    stem: Int32Array,
    stem_indptr: Int32Array,
    forms: Int32Array,
    ordinals: Int64Array,
    terms: Int64Array,
    idf: Float64Array,
    mean_length: float,
    slot: Int8Array,
    wanted: UInt8Array,
) -> tuple[Float64Array, UInt64Array]:
    """See `rank`. The forms of the query's stems are bits in `wanted`, which are 0 before and after.

    Those stay in the processor's cache; the stems of a whole vocabulary do not.
    """
    scores = np.zeros(len(ordinals))
    matched = np.zeros(len(ordinals), np.uint64)
    tf = np.zeros(len(terms))
    titled = np.zeros(len(terms))
    mass = idf.sum()
    mark(terms, slot)
    _want(terms, stem_indptr, forms, wanted)
    for p in range(len(ordinals)):
        begin, end = indptr[ordinals[p]], indptr[ordinals[p] + 1]
        title_end = begin + titles[ordinals[p]]
        tf[:] = 0
        titled[:] = 0
        for i in range(begin, end):
            word = tokens[i] >> 2
            if wanted[word >> 3] >> (word & 7) & 1:
                t = slot[stem[word]] - 1
                tf[t] += 1
                if i < title_end:
                    titled[t] += 1
        norm = K1 * (1 - B + B * (end - begin) / mean_length)
        bm25, held, held_by_title = 0.0, 0.0, 0.0
        for t in range(len(terms)):
            if tf[t] > 0:
                bm25 += idf[t] * tf[t] * (K1 + 1) / (tf[t] + norm)
                held += idf[t] / mass
                matched[p] |= np.uint64(1) << np.uint64(t)
            if titled[t] > 0:
                held_by_title += idf[t] / mass
        of_title = titled.sum() / max(1, titles[ordinals[p]])
        scores[p] = bm25 * held * (1 + TITLE_BONUS * held_by_title * of_title)
    unmark(terms, slot)
    _unwant(terms, stem_indptr, forms, wanted)
    return scores, matched


@njit
def _want(terms: Int64Array, stem_indptr: Int32Array, forms: Int32Array, wanted: UInt8Array) -> None:
    for term in terms[terms >= 0]:
        for word in forms[stem_indptr[term] : stem_indptr[term + 1]]:
            wanted[word >> 3] |= np.uint8(1 << (word & 7))


@njit
def _unwant(terms: Int64Array, stem_indptr: Int32Array, forms: Int32Array, wanted: UInt8Array) -> None:
    for term in terms[terms >= 0]:
        for word in forms[stem_indptr[term] : stem_indptr[term + 1]]:
            wanted[word >> 3] = 0
