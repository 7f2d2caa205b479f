"""Cosines of learnt term weights as the formulas say: proves `learning.term_pairs`."""

import math


def weights(text, w):
    """Of each term: max(0, w . phi); `text` maps terms to their features."""
    return {term: max(0.0, sum(a * b for a, b in zip(w, phi, strict=True))) for term, phi in text.items()}


def cosine(a, b, w):
    u, v = weights(a, w), weights(b, w)
    lengths = [math.sqrt(sum(weight**2 for weight in side.values())) for side in (u, v)]
    if not all(lengths):
        return math.nan
    return sum(weight * v[term] for term, weight in u.items() if term in v) / (lengths[0] * lengths[1])


def loss(name, scores, targets):
    """The sum of squares or the log loss."""
    if name == "sse":
        return sum((y - f) ** 2 / 2 for y, f in zip(targets, scores, strict=True))
    kept = [min(max(f, 1e-6), 1 - 1e-6) for f in scores]
    return -sum(y * math.log(f) + (1 - y) * math.log(1 - f) for y, f in zip(targets, kept, strict=True))


def preference(scores, preferred):
    """Over places of the better and the worse of two."""
    return sum(math.log(1 + math.exp(-10 * (scores[a] - scores[b]))) for a, b in preferred)
