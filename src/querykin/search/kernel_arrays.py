"""Arrays that the kernels of search take together."""

from typing import NamedTuple

from querykin.compute.arrays import Float64Array, Int32Array, Int64Array, UInt32Array
from querykin.corpus.segment import TokenizedDocuments
from querykin.storage.array_files import covering


class SegmentArrays(NamedTuple):
    """The tokens of documents. Document d has tokens indptr[d] to indptr[d + 1], those of its title first.

    A token is the number of its word times 4, plus flags; `starts` has its character offset in the document.
    """

    tokens: UInt32Array
    starts: UInt32Array
    indptr: Int64Array
    title_lengths: Int32Array


class QueryTerms(NamedTuple):
    """The stems of several queries and their idf: query q has terms indptr[q] to indptr[q + 1]."""

    indptr: Int64Array
    stems: Int64Array
    idf: Float64Array


def segment_arrays(documents: TokenizedDocuments, ordinals: Int64Array) -> SegmentArrays:
    """The arrays of a segment, or of other tokenized documents; only these documents may be read."""
    begins, ends = documents.indptr[ordinals], documents.indptr[ordinals + 1]
    return SegmentArrays(
        covering(documents.tokens, begins, ends),
        covering(documents.starts, begins, ends),
        documents.indptr,
        documents.title_lengths,
    )
