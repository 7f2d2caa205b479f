"""Documents, tokens and statistics of a corpus as Python values."""

import numpy as np

from querykin import Document
from querykin.corpus.corpus import Corpus


def live_documents(corpus: Corpus) -> dict[int, Document]:
    """The live documents, by doc_id."""
    found = {}
    for segment in corpus.segments:
        for ordinal in np.flatnonzero(segment.live(corpus.tombstones)):
            found[int(segment.doc_ids[ordinal])] = segment.document(int(ordinal))
    return found


def streams(corpus: Corpus) -> dict[int, list[tuple[str, int, int]]]:
    """The stored tokens of live documents (word, flags, character offset), by doc_id."""
    found, word = {}, corpus.vocabulary.word
    for segment in corpus.segments:
        for ordinal in np.flatnonzero(segment.live(corpus.tombstones)):
            part = slice(segment.indptr[ordinal], segment.indptr[ordinal + 1])
            tokens = zip(segment.tokens[part].tolist(), segment.starts[part].tolist(), strict=True)
            found[int(segment.doc_ids[ordinal])] = [(word(t >> 2), t & 3, start) for t, start in tokens]
    return found


def counts(corpus: Corpus) -> dict[str, object]:
    """The statistics by word, without zeros."""
    statistics, word = corpus.statistics, corpus.vocabulary.word

    def table(values):
        return {word(int(number)): int(values[number]) for number in np.flatnonzero(values)}

    return {
        "documents": statistics.documents,
        "tokens": statistics.tokens,
        "cf": table(statistics.cf),
        "df": table(statistics.df),
        "stem_df": table(statistics.stem_df),
    }
