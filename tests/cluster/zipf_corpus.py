"""Documents and past queries of made-up words: topics of their own, frequencies by Zipf's law."""

import numpy as np

from querykin import Document

TOPICS, WORDS, SHARED = 60, 40, 400  # topics, words of each, words of all


def _word(number):
    return f"w{number}"


def documents(count, seed=1, first=0):
    """Documents with titles of two or three words."""
    rng = np.random.default_rng(seed)
    weights = 1 / np.arange(1, WORDS + 1)
    shared = 1 / np.arange(1, SHARED + 1)
    for number in range(first, first + count):
        topic = int(rng.integers(TOPICS))
        own = SHARED + topic * WORDS + rng.choice(WORDS, 40, p=weights / weights.sum())
        common = rng.choice(SHARED, 40, p=shared / shared.sum())
        words = rng.permutation(np.concatenate([own, common]))
        title = " ".join(map(_word, rng.choice(own, int(rng.integers(2, 4)), replace=False)))
        yield Document(f"d{number}", title, " ".join(map(_word, words.tolist())))


def queries(count, seed=2):
    """Distinct past queries of two words of one topic, with counts."""
    rng = np.random.default_rng(seed)
    weights = 1 / np.arange(1, WORDS + 1)
    found = {}
    while len(found) < count:
        topic = int(rng.integers(TOPICS))
        words = SHARED + topic * WORDS + rng.choice(WORDS, 2, p=weights / weights.sum(), replace=False)
        found[" ".join(map(_word, words.tolist()))] = int(rng.integers(1, 20))
    return list(found.items())
