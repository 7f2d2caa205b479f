"""A corpus with too few documents to say much."""

from querykin.corpus.statistics import Statistics
from querykin.counted_nouns import counted

# Of random parts of an encyclopedia and of a catalogue, those of 100 documents cover less than half of the
# pairs of their queries (python -m reproduce.corpus_size).
MIN_DOCUMENTS = 100


def small_corpus_warning(statistics: Statistics) -> str | None:
    """A warning for a corpus that has documents, but too few to compare texts by them."""
    if not 0 < statistics.documents < MIN_DOCUMENTS:
        return None
    return (
        f"warning: the corpus has only {counted(statistics.documents, 'document')}; below {MIN_DOCUMENTS} "
        "most texts are not covered and scores depend on chance; next: querykin corpus add FILE"
    )
