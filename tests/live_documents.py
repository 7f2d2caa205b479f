"""What a corpus shows its readers, as plain values."""

import numpy as np

from querykin import Document
from querykin.corpus.corpus import Corpus


def live_documents(corpus: Corpus) -> dict[int, Document]:
    """Serial -> document, of those that are not deleted."""
    found = {}
    for segment in corpus.segments:
        for place in np.flatnonzero(segment.live(corpus.tombstones)):
            found[int(segment.doc_ids[place])] = segment.document(int(place))
    return found


def streams(corpus: Corpus) -> dict[int, list[tuple[str, int, int]]]:
    """Serial -> the stored tokens of a living document: word, flags, character offset."""
    found, word = {}, corpus.vocabulary.word
    for segment in corpus.segments:
        for place in np.flatnonzero(segment.live(corpus.tombstones)):
            part = slice(segment.indptr[place], segment.indptr[place + 1])
            tokens = zip(segment.tokens[part].tolist(), segment.starts[part].tolist(), strict=True)
            found[int(segment.doc_ids[place])] = [(word(t >> 2), t & 3, start) for t, start in tokens]
    return found


def counts(corpus: Corpus) -> dict[str, object]:
    """The statistics by word, without those that no document holds."""
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
