"""Results that arrive as text: tokenised at the door, they take the same path as the corpus's own."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from querykin.compiled import Longs, Points, Words, ragged
from querykin.corpus.segment import key
from querykin.corpus.vocabulary import UNKNOWN, Vocabulary
from querykin.engines.base import Queries, Results
from querykin.engines.ranking import rank
from querykin.records import Document, Hit
from querykin.text import Tokens, clean, tokenise


@dataclass
class Arrived:
    """Hits of a foreign engine as tokens; words that the corpus has never seen are left out."""

    hits: Sequence[Hit]
    tokens: Points
    starts: Points
    first: Longs
    titles: Words

    def document(self, place: int) -> Document:
        """One hit as a document."""
        hit = self.hits[place]
        return Document(hit.document_id, hit.title, hit.snippet, hit.url)


def arrive(answers: Sequence[Sequence[Hit]], vocabulary: Vocabulary, queries: Queries) -> Results:
    """Turn the answers of an engine to several queries into results over token ids."""
    hits = [hit for answer in answers for hit in answer]
    found = tokenise([f"{hit.title}\n{hit.snippet}" for hit in hits])
    arrived = _arrived(hits, found, vocabulary.lookup(found))
    first = ragged(len(answer) for answer in answers)
    matched = [np.zeros(0, np.uint64)]
    for t in range(len(answers)):
        stems, idf = queries.terms(t)
        places = np.arange(first[t], first[t + 1])
        matched.append(rank(arrived, vocabulary, places, stems, idf, 1.0)[1])
    return Results(
        first=first,
        documents=np.array([key(hit.document_id) for hit in hits], np.int64),
        scores=np.array([hit.score for hit in hits], np.float64),
        matched=np.concatenate(matched),
        holders=np.zeros(len(hits), np.int64),
        places=np.arange(len(hits)),
        segments=[arrived],
    )


def _arrived(hits: Sequence[Hit], found: Tokens, ids: Words) -> Arrived:
    known = ids != UNKNOWN
    owner = np.repeat(np.arange(len(hits)), np.diff(found.first))
    starts = found.begin - found.borders[owner]
    in_title = starts < np.array([len(clean(hit.title)) for hit in hits], np.int64)[owner]
    sizes = np.bincount(owner[known], minlength=len(hits))
    titles = np.bincount(owner[known & in_title], minlength=len(hits)).astype(np.int32)
    tokens = (ids[known].astype(np.uint32) << 2) | found.flags[known]
    return Arrived(hits, tokens, starts[known].astype(np.uint32), ragged(sizes), titles)
