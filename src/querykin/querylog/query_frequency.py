"""What the count of a query means: how often it was asked, or the number of documents a mined one is in."""

from dataclasses import dataclass

from querykin.counted_nouns import counted


@dataclass(frozen=True, slots=True)
class QueryFrequency:
    """The count of a query: `asked` according to a query log, `documents` for one mined from the corpus.

    >>> str(QueryFrequency(3, 0)), str(QueryFrequency(0, 1200)), str(QueryFrequency(1, 2))
    ('asked 3 times', 'in 1,200 documents', 'asked once, in 2 documents')
    """

    asked: int
    documents: int

    def __str__(self) -> str:
        parts = []
        if self.asked:
            parts.append("asked once" if self.asked == 1 else f"asked {self.asked:,} times")
        if self.documents:
            parts.append(f"in {counted(self.documents, 'document')}")
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class RepositoryTotals:
    """The number of queries by their origin, and how often all were asked.

    >>> str(RepositoryTotals(2, 0, 5)), str(RepositoryTotals(0, 1, 0))
    ('2 past queries', '1 query mined from the documents')
    >>> str(RepositoryTotals(2, 1, 5))
    '2 past queries, 1 query mined from the documents'
    """

    logged: int  # in a query log
    mined: int  # only mined from the corpus
    asked: int

    def __str__(self) -> str:
        parts = [f"{counted(self.mined, 'query')} mined from the documents"] if self.mined else []
        if self.logged or not parts:
            parts.insert(0, counted(self.logged, "past query"))
        return ", ".join(parts)
