"""Reference formulas for `learning.tweak`: cosines of learned term weights, and losses."""

import math


def weights(text, w):
    """max(0, w . phi) of each term; `text` maps terms to features."""
    return {term: max(0.0, sum(a * b for a, b in zip(w, phi, strict=True))) for term, phi in text.items()}


def cosine(a, b, w):
    u, v = weights(a, w), weights(b, w)
    norms = [math.sqrt(sum(weight**2 for weight in side.values())) for side in (u, v)]
    if not all(norms):
        return math.nan
    return sum(weight * v[term] for term, weight in u.items() if term in v) / (norms[0] * norms[1])


def loss(name, scores, targets):
    """Half the sum of squares, or the log loss."""
    if name == "sse":
        return sum((y - f) ** 2 / 2 for y, f in zip(targets, scores, strict=True))
    clipped = [min(max(f, 1e-6), 1 - 1e-6) for f in scores]
    return -sum(y * math.log(f) + (1 - y) * math.log(1 - f) for y, f in zip(targets, clipped, strict=True))


def preference(scores, preferred):
    """The preference loss over rows of the better and the worse candidate."""
    return sum(math.log(1 + math.exp(-10 * (scores[a] - scores[b]))) for a, b in preferred)
