"""BM25 ranking of first-stage candidates, computed from the token store.

A score is BM25 over stems (Robertson & Zaragoza 2009), times the share of the query's idf mass that the
document matches (a document with one of three words says little about the query), times a bonus for a title
that is the query: the share of the query in the title times the share of the title in the query.
"""

from typing import NamedTuple

import numpy as np

from querykin.compute.arrays import Float64Array, Int8Array, Int32Array, Int64Array, UInt8Array, UInt64Array
from querykin.compute.jit import njit, njit_inlined
from querykin.compute.threads import zeroed_scratch
from querykin.corpus.segment import TokenizedDocuments
from querykin.corpus.vocabulary import Vocabulary
from querykin.search.kernel_arrays import SegmentArrays, segment_arrays

K1, B = 0.9, 0.4
TITLE_BONUS = 3.0  # docs/decisions/0005 says why


class StemTable(NamedTuple):
    """The stem of each word, and the words of each stem: `forms[indptr[s] : indptr[s + 1]]`."""

    stem: Int32Array
    indptr: Int32Array
    forms: Int32Array


class TermTables(NamedTuple):
    """Scratch tables, all 0 before and after.

    `slots` has the number of a query term plus 1 for each stem. `form_bits` has a bit for each word whose
    stem is a query term: it stays in the CPU cache, which the stems of a whole vocabulary do not.
    """

    slots: Int8Array
    form_bits: UInt8Array


def mark(terms: Int64Array, slots: Int8Array) -> None:
    """Enter query terms into the slots of their stems, numbered from 1; `unmark` clears them."""
    for t in range(len(terms)):
        if terms[t] >= 0:
            slots[terms[t]] = t + 1


def unmark(terms: Int64Array, slots: Int8Array) -> None:
    """Clear the slots of query terms."""
    for t in range(len(terms)):
        if terms[t] >= 0:
            slots[terms[t]] = 0


inlined_mark, inlined_unmark = njit_inlined(mark), njit_inlined(unmark)  # for kernels


def rank(
    documents: TokenizedDocuments,
    vocabulary: Vocabulary,
    ordinals: Int64Array,
    terms: Int64Array,
    idf: Float64Array,
    mean_length: float,
) -> tuple[Float64Array, UInt64Array]:
    """The scores of documents for a query, and which terms each matches: bit t for the t-th term."""
    indptr, forms = vocabulary.forms
    stems = StemTable(vocabulary.stem, indptr, forms)
    with zeroed_scratch(np.int8, len(forms)) as slots, zeroed_scratch(np.uint8, len(forms) // 8 + 1) as bits:
        tables = TermTables(slots, bits)
        return _score(segment_arrays(documents, ordinals), ordinals, terms, idf, mean_length, stems, tables)


@njit
def _score(
    documents: SegmentArrays,
    ordinals: Int64Array,
    terms: Int64Array,
    idf: Float64Array,
    mean_length: float,
    stems: StemTable,
    tables: TermTables,
) -> tuple[Float64Array, UInt64Array]:
    scores = np.zeros(len(ordinals))
    matched = np.zeros(len(ordinals), np.uint64)
    tf = np.zeros(len(terms))
    title_tf = np.zeros(len(terms))
    mass = 0.0
    for t in range(len(idf)):
        mass += idf[t]
    tokens, indptr, title_lengths = documents.tokens, documents.indptr, documents.title_lengths
    slots, form_bits, stem = tables.slots, tables.form_bits, stems.stem
    inlined_mark(terms, slots)
    _set_form_bits(terms, stems, form_bits)
    for p in range(len(ordinals)):
        begin, end = indptr[ordinals[p]], indptr[ordinals[p] + 1]
        title_end = begin + title_lengths[ordinals[p]]
        tf[:] = 0
        title_tf[:] = 0
        for i in range(begin, end):
            word = tokens[i] >> 2
            if form_bits[word >> 3] >> (word & 7) & 1:
                t = slots[stem[word]] - 1
                tf[t] += 1
                if i < title_end:
                    title_tf[t] += 1
        norm = K1 * (1 - B + B * (end - begin) / mean_length)
        bm25, coverage, title_coverage, title_matches = 0.0, 0.0, 0.0, 0.0
        for t in range(len(terms)):
            if tf[t] > 0:
                bm25 += idf[t] * tf[t] * (K1 + 1) / (tf[t] + norm)
                coverage += idf[t] / mass
                matched[p] |= np.uint64(1) << np.uint64(t)
            if title_tf[t] > 0:
                title_coverage += idf[t] / mass
                title_matches += title_tf[t]
        share_of_title = title_matches / max(1, title_lengths[ordinals[p]])
        scores[p] = bm25 * coverage * (1 + TITLE_BONUS * title_coverage * share_of_title)
    inlined_unmark(terms, slots)
    _clear_form_bits(terms, stems, form_bits)
    return scores, matched


@njit_inlined
def _set_form_bits(terms: Int64Array, stems: StemTable, bits: UInt8Array) -> None:
    indptr, forms = stems.indptr, stems.forms
    for term in terms:
        if term >= 0:
            for i in range(indptr[term], indptr[term + 1]):
                bits[forms[i] >> 3] |= np.uint8(1 << (forms[i] & 7))


@njit_inlined
def _clear_form_bits(terms: Int64Array, stems: StemTable, bits: UInt8Array) -> None:
    indptr, forms = stems.indptr, stems.forms
    for term in terms:
        if term >= 0:
            for i in range(indptr[term], indptr[term + 1]):
                bits[forms[i] >> 3] = 0
