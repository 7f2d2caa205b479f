"""Queries as bags of stems, the rarest first."""

from collections.abc import Sequence

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array, make_indptr
from querykin.corpus.corpus import Corpus
from querykin.search.engine import MAX_QUERY_TERMS, ParsedQueries
from querykin.text.tokenizer import Tokens


def parse_queries(texts: Sequence[str], corpus: Corpus) -> ParsedQueries:
    """The distinct stems of each text by descending idf."""
    tokens = corpus.analyzer.tokenize(texts)
    terms = query_terms(tokens, corpus)
    idf = corpus.statistics.stem_idf_of(terms)
    borders = zip(tokens.indptr[:-1], tokens.indptr[1:], strict=True)
    parsed = [_by_idf(terms[begin:end], idf[begin:end]) for begin, end in borders]
    none = np.zeros(0, np.int64), np.zeros(0)
    joined = (np.concatenate(values) for values in zip(none, *parsed, strict=True))
    return ParsedQueries(tuple(texts), make_indptr(len(values[0]) for values in parsed), *joined)


def query_terms(tokens: Tokens, corpus: Corpus) -> Int64Array:
    """The stem of each token; distinct words that the corpus does not know have distinct negative numbers."""
    stems, hashes = corpus.vocabulary.lookup_stems(tokens)
    return np.where(stems >= 0, stems, -1 - hashes)


def _by_idf(terms: Int64Array, idf: Float64Array) -> tuple[Int64Array, Float64Array]:
    order = np.lexsort((terms, -idf))
    if len(order) > 1:
        terms_in_order = terms[order]  # equal terms have the same idf, so they are adjacent
        order = order[np.append(True, terms_in_order[1:] != terms_in_order[:-1])]
    order = order[:MAX_QUERY_TERMS]
    return terms[order], idf[order]
