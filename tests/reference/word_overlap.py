"""Overlap coefficients as printed in Yih & Meek (2007): the reference for `measures.word_overlap`."""

from collections import Counter
from math import sqrt

from reference.tokenizer import stem, words

Bag = dict[str, int]


def bag(text: str, stems: bool = False, frequencies: bool = False) -> Bag:
    """The words of a text, or their stems, each with 1 or with its term frequency."""
    counts = Counter(stem(word) if stems else word for word in words(text))
    return {word: tf if frequencies else 1 for word, tf in counts.items()}


def inner(q: Bag, s: Bag) -> int:
    return sum(q[word] * s[word] for word in q if word in s)


def matching(q: Bag, s: Bag) -> float:
    """|Q & S|."""
    return float(inner(q, s))


def dice(q: Bag, s: Bag) -> float:
    """2 |Q & S| / (|Q| + |S|)."""
    return 2 * inner(q, s) / (inner(q, q) + inner(s, s)) if q and s else 0.0


def jaccard(q: Bag, s: Bag) -> float:
    """|Q & S| / |Q or S|."""
    return inner(q, s) / (inner(q, q) + inner(s, s) - inner(q, s)) if q and s else 0.0


def overlap(q: Bag, s: Bag) -> float:
    """|Q & S| / min(|Q|, |S|)."""
    return inner(q, s) / min(inner(q, q), inner(s, s)) if q and s else 0.0


def cosine(q: Bag, s: Bag) -> float:
    """|Q & S| / sqrt(|Q| |S|)."""
    return inner(q, s) / sqrt(inner(q, q) * inner(s, s)) if q and s else 0.0


COEFFICIENTS = {"matching": matching, "dice": dice, "jaccard": jaccard, "overlap": overlap, "cosine": cosine}
