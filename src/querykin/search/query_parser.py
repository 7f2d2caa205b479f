"""What does the text ask for? Its distinct stems, the rarest first."""

from collections.abc import Sequence

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array, make_indptr
from querykin.corpus.corpus import Corpus
from querykin.corpus.statistics import Statistics
from querykin.search.engine import QUERY_TERMS, Queries
from querykin.text.tokenizer import tokenize


def parse(texts: Sequence[str], corpus: Corpus) -> Queries:
    """The distinct stems of each text with their idf, the heaviest first."""
    tokens = tokenize(texts)
    stems, hashes = corpus.vocabulary.lookup_stems(tokens)
    terms = np.where(stems >= 0, stems, -1 - hashes)  # every unknown word keeps a number of its own
    borders = zip(tokens.indptr[:-1], tokens.indptr[1:], strict=True)
    found = [_weighed(terms[begin:end], corpus.statistics) for begin, end in borders]
    none = np.zeros(0, np.int64), np.zeros(0)
    joined = (np.concatenate(values) for values in zip(none, *found, strict=True))
    return Queries(tuple(texts), make_indptr(len(values[0]) for values in found), *joined)


def _weighed(terms: Int64Array, statistics: Statistics) -> tuple[Int64Array, Float64Array]:
    distinct = np.unique(terms)
    idf = statistics.stem_idf_of(distinct)
    heaviest = np.argsort(-idf, kind="stable")[:QUERY_TERMS]
    return distinct[heaviest], idf[heaviest]
