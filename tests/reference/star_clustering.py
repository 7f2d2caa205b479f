"""Star clustering as the paper describes it: take the most central vertex, cover, repeat."""

from collections.abc import Collection, Mapping

Edges = Mapping[int, Mapping[int, float]]  # vertex -> neighbor -> score against it


def star_clusters(
    edges: Edges,
    threshold: float,
    counts: Mapping[int, int],
    texts: Mapping[int, str],
    excluded: Collection[int],
) -> dict[int, int]:
    """The head of each vertex."""
    reached = {
        vertex: {
            n: s for n, s in near.items() if s >= threshold and vertex not in excluded and n not in excluded
        }
        for vertex, near in edges.items()
    }
    scores = {head: [near[head] for near in reached.values() if head in near] for head in reached}
    above = {head: round(sum(score - threshold for score in near), 3) for head, near in scores.items()}
    uncovered, heads = set(reached), list[int]()
    while uncovered:
        head = min(uncovered, key=lambda v: (-above[v], -len(scores[v]), -counts[v], texts[v]))
        heads.append(head)
        uncovered -= {head, *(vertex for vertex in uncovered if head in reached[vertex])}
    assigned = {}
    for vertex, near in reached.items():
        best = [head for head in sorted(near, key=lambda head: -near[head]) if head in heads]
        assigned[vertex] = vertex if vertex in heads else best[0]
    return assigned
