"""BM25 times the share of the query held times the title bonus, as printed: proves `ranking.rank`."""

from collections.abc import Hashable, Mapping, Sequence

K1, B, TITLE_BONUS = 0.9, 0.4, 3.0


def score(
    title: Sequence[Hashable], body: Sequence[Hashable], idf: Mapping[Hashable, float], mean_length: float
) -> float:
    """What a document, given as the stems of its title and body, scores for a query given as stem -> idf."""
    document = [*title, *body]
    mass = sum(idf.values())
    held = [term for term in idf if term in document]
    bm25 = 0.0
    for term in held:
        tf = document.count(term)
        bm25 += idf[term] * tf * (K1 + 1) / (tf + K1 * (1 - B + B * len(document) / mean_length))
    share_held = sum(idf[term] for term in held) / mass
    query_in_title = sum(idf[term] for term in idf if term in title) / mass
    title_in_query = sum(stem in idf for stem in title) / max(1, len(title))
    return bm25 * share_held * (1 + TITLE_BONUS * query_in_title * title_in_query)


def idf_coverage(documents: Sequence[set[Hashable]], idf: Mapping[Hashable, float], cap: float) -> float:
    """The share of the query's idf mass that documents hold together: proves `base._held_mass`."""
    capped = {term: min(value, cap) for term, value in idf.items()}
    held = sum(value for term, value in capped.items() if any(term in document for document in documents))
    return held / sum(capped.values()) if capped else 0.0
