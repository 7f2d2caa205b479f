"""In which order? Scores of proposed documents, computed from the token store.

BM25 over stems, times the share of the query's idf mass that the document holds (a document with one word
of three says little about the query), times a bonus for a title that is the query: the share of the query
in the title times the share of the title in the query.
"""

import numpy as np

from querykin.compiled import Bits, Bytes, Longs, Marks, Points, Reals, Words, cleared, compiled
from querykin.corpus.segment import TokenisedDocuments
from querykin.corpus.vocabulary import Vocabulary

K1, B = 0.9, 0.4
TITLE_BONUS = 3.0  # docs/decisions/0005 says why


@compiled
def mark(terms: Longs, slot: Marks) -> None:
    """Enter the query's terms into the table of slots, the first as 1; `unmark` clears it again."""
    for t in range(len(terms)):
        if terms[t] >= 0:
            slot[terms[t]] = t + 1


@compiled
def unmark(terms: Longs, slot: Marks) -> None:
    """Clear the query's terms from the table of slots."""
    for t in range(len(terms)):
        if terms[t] >= 0:
            slot[terms[t]] = 0


def rank(documents: TokenisedDocuments, vocabulary: Vocabulary, places: Longs, terms: Longs, idf: Reals,
         mean_length: float) -> tuple[Reals, Bits]:  # fmt: skip
    """Score the documents at `places` for a query; also tells which terms each one holds."""
    form_first, forms = vocabulary.forms
    with cleared(np.int8, len(forms)) as slot, cleared(np.uint8, len(forms) // 8 + 1) as wanted:
        return scores_of(documents.tokens, documents.first, documents.titles, vocabulary.stem, form_first,
                         forms, places, terms, idf, mean_length, slot, wanted)  # fmt: skip


@compiled
def scores_of(tokens: Points, first: Longs, titles: Words, stem: Words, form_first: Words, forms: Words,
              places: Longs, terms: Longs, idf: Reals, mean_length: float, slot: Marks,
              wanted: Bytes) -> tuple[Reals, Bits]:  # fmt: skip
    """See `rank`. The forms of the query's stems are bits in `wanted`, which are 0 before and after.

    Those stay in the processor's cache; the stems of a whole vocabulary do not.
    """
    scores = np.zeros(len(places))
    matched = np.zeros(len(places), np.uint64)
    tf = np.zeros(len(terms))
    titled = np.zeros(len(terms))
    mass = idf.sum()
    mark(terms, slot)
    _want(terms, form_first, forms, wanted)
    for p in range(len(places)):
        begin, end = first[places[p]], first[places[p] + 1]
        title_end = begin + titles[places[p]]
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
        of_title = titled.sum() / max(1, titles[places[p]])
        scores[p] = bm25 * held * (1 + TITLE_BONUS * held_by_title * of_title)
    unmark(terms, slot)
    _unwant(terms, form_first, forms, wanted)
    return scores, matched


@compiled
def _want(terms: Longs, form_first: Words, forms: Words, wanted: Bytes) -> None:
    for term in terms[terms >= 0]:
        for word in forms[form_first[term] : form_first[term + 1]]:
            wanted[word >> 3] |= np.uint8(1 << (word & 7))


@compiled
def _unwant(terms: Longs, form_first: Words, forms: Words, wanted: Bytes) -> None:
    for term in terms[terms >= 0]:
        for word in forms[form_first[term] : form_first[term + 1]]:
            wanted[word >> 3] = 0
