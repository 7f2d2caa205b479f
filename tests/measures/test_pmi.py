"""Mean pointwise mutual information (PMI) of the words of two texts."""

from collections import Counter
from itertools import product
from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin import Document
from reference.tokenizer import tokenize
from topics import DOCUMENTS, WORDS

word_texts = st.lists(st.sampled_from([*WORDS, "zzyzx"]), max_size=5).map(" ".join)


def cooccurrence(documents) -> Counter:
    """How often two words co-occur within a distance of three, counted from both sides."""
    pairs = Counter()
    for document in documents:
        words = [token.word for token in tokenize(f"{document.title}\n{document.text}")]
        for i, word in enumerate(words):
            pairs.update((word, other) for other in words[max(0, i - 3) : i] + words[i + 1 : i + 4])
    return pairs


def pmi(pairs: Counter, a: str, b: str) -> float:
    marginals, total = Counter(), sum(pairs.values())
    for (word, _), count in pairs.items():
        marginals[word] += count
    left, right = ({t.word for t in tokenize(text) if marginals[t.word]} for text in (a, b))
    if not left or not right:
        return float("nan")
    found = 0.0
    for w, v in product(left, right):
        if w == v:
            found -= log(marginals[w] / total)
        elif pairs[w, v]:
            found += max(0.0, log(pairs[w, v] * total / (marginals[w] * marginals[v])))
    return found / (len(left) * len(right))


PAIRS = cooccurrence(DOCUMENTS)


def test_worked_value(build):
    """Four words: each has 3 co-occurrences, and each pair co-occurs once in each direction."""
    workspace = build([Document("1", "", "a b c d")])
    assert workspace.similarity("a", "b", "pmi") == pytest.approx(log((1 / 12) / (3 / 12 * 3 / 12)))
    assert workspace.similarity("a", "a", "pmi") == pytest.approx(-log(3 / 12))
    assert workspace.similarity("a b", "b zzyzx", "pmi") == pytest.approx((log(12 / 9) + log(4)) / 2)


@given(word_texts, word_texts)
@settings(deadline=None, max_examples=80)
def test_the_score_is_the_mean_over_pairs_of_words(workspace, a, b):
    assert workspace.similarity(a, b, "pmi") == pytest.approx(pmi(PAIRS, a, b), nan_ok=True)


def test_contributions_are_words_of_the_candidate(workspace):
    found = workspace.explain("space exploration", "astronauts zzyzx", "pmi")
    assert [part.term for part in found.contributions] == ["astronauts"]
