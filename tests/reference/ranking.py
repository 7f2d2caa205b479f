"""BM25 times idf coverage times the title bonus, as printed: the reference for `search.bm25`."""

from collections.abc import Hashable, Mapping, Sequence

K1, B, TITLE_BONUS = 0.9, 0.4, 3.0


def score(
    title: Sequence[Hashable], body: Sequence[Hashable], idf: Mapping[Hashable, float], mean_length: float
) -> float:
    """The score of a document, given as the stems of its title and body, for a query given as stem -> idf."""
    document = [*title, *body]
    mass = sum(idf.values())
    matched = [term for term in idf if term in document]
    bm25 = 0.0
    for term in matched:
        tf = document.count(term)
        bm25 += idf[term] * tf * (K1 + 1) / (tf + K1 * (1 - B + B * len(document) / mean_length))
    coverage = sum(idf[term] for term in matched) / mass
    query_in_title = sum(idf[term] for term in idf if term in title) / mass
    title_in_query = sum(stem in idf for stem in title) / max(1, len(title))
    return bm25 * coverage * (1 + TITLE_BONUS * query_in_title * title_in_query)


def idf_coverage(documents: Sequence[set[Hashable]], idf: Mapping[Hashable, float], cap: float) -> float:
    """The share of the query's idf mass that documents match together, with idf capped."""
    capped = {term: min(value, cap) for term, value in idf.items()}
    matched = sum(value for term, value in capped.items() if any(term in document for document in documents))
    return matched / sum(capped.values()) if capped else 0.0
