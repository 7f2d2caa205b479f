"""Steps 2 to 5 of Sahami & Heilman, and Yih's pseudo-document: the reference for `weighting.tfidf`."""

from collections import Counter
from collections.abc import Sequence
from math import log

from reference.vectors import Row, largest_terms, plus, unit


def document_vector(document: Sequence[int], idf: Sequence[float], log_tf: bool = False) -> Row:
    """w = tf log(N / df), or (1 + log tf) idf."""
    frequencies = Counter(document)
    return {term: (1 + log(tf) if log_tf else tf) * idf[term] for term, tf in frequencies.items()}


def centroid(
    documents: Sequence[Sequence[int]],
    idf: Sequence[float],
    terms: int,
    shares: Sequence[float] | None = None,
    log_tf: bool = False,
) -> Row:
    """The unit sum of the documents' unit vectors, each truncated to its largest terms, times its share."""
    total: Row = {}
    for document, share in zip(documents, shares or [1.0] * len(documents), strict=True):
        vector = unit(largest_terms(document_vector(document, idf, log_tf), terms))
        total = plus(total, {term: weight for term, weight in vector.items() if weight > 0}, share)
    return unit(total)


def pseudo_document(documents: Sequence[Sequence[int]], idf: Sequence[float]) -> Row:
    """The unit vector of all documents as one."""
    whole = document_vector([term for document in documents for term in document], idf)
    return unit({term: weight for term, weight in whole.items() if weight > 0})
