"""What does the text ask for? Its distinct stems, the rarest first."""

from collections.abc import Sequence

import numpy as np

from querykin.compiled import Longs, Reals, ragged
from querykin.corpus.corpus import Corpus
from querykin.corpus.statistics import Statistics
from querykin.engines.base import QUERY_TERMS, Queries
from querykin.text import tokenise


def parse(texts: Sequence[str], corpus: Corpus) -> Queries:
    """The distinct stems of each text with their idf, the heaviest first."""
    tokens = tokenise(texts)
    stems, hashes = corpus.vocabulary.lookup_stems(tokens)
    terms = np.where(stems >= 0, stems, -1 - hashes)  # every unknown word keeps a number of its own
    borders = zip(tokens.first[:-1], tokens.first[1:], strict=True)
    found = [_weighed(terms[begin:end], corpus.statistics) for begin, end in borders]
    none = np.zeros(0, np.int64), np.zeros(0)
    joined = (np.concatenate(values) for values in zip(none, *found, strict=True))
    return Queries(tuple(texts), ragged(len(values[0]) for values in found), *joined)


def _weighed(terms: Longs, statistics: Statistics) -> tuple[Longs, Reals]:
    distinct = np.unique(terms)
    idf = statistics.stem_idf_of(distinct)
    heaviest = np.argsort(-idf, kind="stable")[:QUERY_TERMS]
    return distinct[heaviest], idf[heaviest]
