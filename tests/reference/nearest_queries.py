"""The logged queries nearest to a text, query by query."""

from math import log, sqrt


def nearest(text: set[str], queries: list[set[str]], own: int, limit: int, min_similarity: float):
    """Ids and cosines of the most similar queries, by id; ties go to the smaller one."""
    stems = {stem for query in queries for stem in query}
    frequency = {stem: sum(stem in query for query in queries) for stem in stems | text}
    idf = {stem: log(1 + len(queries) / max(1, count)) for stem, count in frequency.items()}

    def norm(words: set[str]) -> float:
        return sqrt(sum(idf[stem] ** 2 for stem in words))

    found = []
    for number, query in enumerate(queries):
        shared = sum(idf[stem] ** 2 for stem in text & query)
        if number != own and shared > 0:
            similarity = min(1.0, shared / (norm(text) * norm(query)))
            if similarity >= min_similarity - 1e-12:
                found.append((-similarity, number))
    return sorted((number, -negative) for negative, number in sorted(found)[:limit])
