"""Search for documents: the best documents for a query, each with the passages that match it."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from querykin.compute.arrays import Float64Array, Int32Array, Int64Array
from querykin.compute.threads import zeroed_scratch
from querykin.corpus.segment import TokenizedDocuments
from querykin.errors import InputError
from querykin.search.bm25 import mark, unmark
from querykin.search.expansion import MAX_RESULTS, Expander
from querykin.search.kernel_arrays import segment_arrays
from querykin.search.snippets import snippet
from querykin.search.windows import window
from querykin.text.analyzer import Analyzer
from querykin.text.normalization import normalize_query
from querykin.types import Correction

PASSAGE = 240  # characters
MAX_PASSAGES = 3  # of a document
_MIN_SHARE = 0.1  # of the query's idf mass in a further passage: common words alone are no reason for one


@dataclass(frozen=True, slots=True)
class DocumentHit:
    """A document that matches a query, and the passages that do."""

    id: str
    title: str
    url: str
    score: float
    passages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DocumentHits:
    """The best documents for a query; `covered` is false if the corpus has too few of the query's words.

    `correction` says which words were replaced by known ones; the documents are those for its text.
    """

    query: str
    covered: bool
    hits: tuple[DocumentHit, ...]
    terms: tuple[str, ...] = ()  # the words to be marked in passages
    correction: Correction | None = None


def hits_json(found: DocumentHits) -> list[dict[str, Any]]:
    """Hits as JSON, for the command line and the HTTP API."""
    return [
        {**asdict(hit), "score": round(hit.score, 9), "passages": list(hit.passages)} for hit in found.hits
    ]


def search_documents(expander: Expander, query: str, k: int) -> DocumentHits:
    """The k best documents for a query, by the ranking of the engine; none for a query that is not covered.

    Whether a query is covered is decided as for the measures, by the idf mass that its results match.
    """
    if k > MAX_RESULTS:
        raise InputError(f"k must be at most {MAX_RESULTS}, the results of a search, got {k}")
    query = normalize_query(query)
    queries, results, (covered,) = expander.search([query], MAX_RESULTS)
    if not covered:
        return DocumentHits(query, False, ())
    results, stem = results.top(k), expander.corpus.vocabulary.stem
    hits = []
    for number, ordinal, score in zip(results.segment_ids, results.ordinals, results.scores, strict=True):
        segment = results.segments[number]
        document = segment.document(int(ordinal))
        spans = passage_spans(segment, int(ordinal), *queries.terms(0), stem)
        passages = tuple(filter(None, (snippet(segment, int(ordinal), *span) for span in spans)))
        hits.append(DocumentHit(document.id, document.title, document.url, float(score), passages))
    return DocumentHits(query, True, tuple(hits), _content_words(query, expander.corpus.analyzer))


def _content_words(query: str, analyzer: Analyzer) -> tuple[str, ...]:
    """The words of a query without stop words, unless it has no others."""
    found = analyzer.tokenize([query]).words()
    return tuple(word for word in found if word not in analyzer.query_stop_words) or tuple(found)


def passage_spans(
    documents: TokenizedDocuments, ordinal: int, terms: Int64Array, idf: Float64Array, stem: Int32Array
) -> Iterator[tuple[int, int]]:
    """The passages of a document that together hold the query's terms, as spans of tokens, best first.

    The first passage is the best window for all terms; each further one the best for the terms that are not
    in those before it. A document that matches in its title only is shown by its beginning.
    """
    min_mass = _MIN_SHARE * idf.sum()
    begin = int(documents.indptr[ordinal] + documents.title_lengths[ordinal])
    free = [(begin, int(documents.indptr[ordinal + 1]))]
    stems = stem[documents.tokens[slice(*free[0])] >> 2]
    arrays, missing = segment_arrays(documents, np.array([ordinal])), np.isin(terms, stems)
    for number in range(MAX_PASSAGES):
        wanted, weights = terms[missing], idf[missing]
        with zeroed_scratch(np.int8, len(stem)) as slots:
            mark(wanted, slots)
            spans = [window(arrays, *part, stem, weights, PASSAGE, slots) for part in free]
            unmark(wanted, slots)
        held = [np.isin(terms, stems[low - begin : high - begin]) & missing for low, high in spans]
        best = int(np.argmax([idf[each].sum() for each in held]))
        if number and (not missing.any() or idf[held[best]].sum() < min_mass):
            return
        low, high = spans[best]
        yield low, high
        missing &= ~held[best]
        free[best : best + 1] = [(free[best][0], low), (high, free[best][1])]
