"""The expansion kernel over embeddings on plain lists: quantized leads, contexts, mixtures."""

from collections.abc import Sequence
from math import sqrt

Vector = list[float]


def unit(vector: Sequence[float]) -> Vector:
    norm = sqrt(sum(weight * weight for weight in vector))
    return [weight / norm if norm else 0.0 for weight in vector]


def add(vectors: Sequence[Vector], weights: Sequence[float], width: int) -> Vector:
    total = [0.0] * width
    for vector, weight in zip(vectors, weights, strict=True):
        for dimension, value in enumerate(vector):
            total[dimension] += weight * value
    return total


def dot(a: Vector, b: Vector) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def lead(title: str, text: str, words: int) -> str:
    begin = " ".join(text.split()[:words])
    return f"{title}. {begin}" if title else begin


def in_8_bits(vector: Vector) -> Vector:
    """The unit vector of whole numbers from -127 to 127 with about the same direction."""
    largest = max(abs(weight) for weight in vector)
    return unit([round(weight / largest * 127) for weight in vector]) if largest else vector


def near_rounding_tie(vector: Vector, margin: float = 1e-3) -> bool:
    """Whether a level lies so close to the middle of two that the order of a sum decides between them."""
    largest = max(abs(weight) for weight in vector)
    steps = [abs(weight) / largest * 127 for weight in vector] if largest else []
    return any(abs(step % 1 - 0.5) < margin for step in steps)


def mixing_weights(
    trust: float, matched: float, own_weight: float, context_weight: float
) -> tuple[float, float]:
    """The weights of a covered text's own embedding and of its context."""
    return own_weight * trust, context_weight * matched + (1 - context_weight) * (1 - trust)


def mixture(
    own: Vector,
    leads: Sequence[Vector],
    scores: Sequence[float],
    power: float,
    own_weight: float,
    context_weight: float,
) -> Vector:
    """A text's row before it is quantized; a text that is not covered has no leads."""
    weights = [(score / scores[0]) ** power for score in scores]
    context = unit(add([in_8_bits(vector) for vector in leads], weights, len(own)))
    return unit(add([own, context], [own_weight, context_weight], len(own)))
