"""Mutual information of the words of two texts."""

from collections import Counter
from itertools import product
from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin import Document
from reference.tokenizer import tokenize
from topics import DOCUMENTS, WORDS

spoken = st.lists(st.sampled_from([*WORDS, "zzyzx"]), max_size=5).map(" ".join)


def cooccurrence(documents) -> Counter:
    """How often two words stand within three words, counted from both."""
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
    mine, theirs = ({t.word for t in tokenize(text) if marginals[t.word]} for text in (a, b))
    if not mine or not theirs:
        return float("nan")
    found = 0.0
    for w, v in product(mine, theirs):
        if w == v:
            found -= log(marginals[w] / total)
        elif pairs[w, v]:
            found += max(0.0, log(pairs[w, v] * total / (marginals[w] * marginals[v])))
    return found / (len(mine) * len(theirs))


PAIRS = cooccurrence(DOCUMENTS)


def test_worked_value(build):
    """Four words in a row: a has 3 neighbours, b 3, c 3, d 3, and every two words meet once each way."""
    workspace = build([Document("1", "", "a b c d")])
    assert workspace.similarity("a", "b", "pmi") == pytest.approx(log((1 / 12) / (3 / 12 * 3 / 12)))
    assert workspace.similarity("a", "a", "pmi") == pytest.approx(-log(3 / 12))
    assert workspace.similarity("a b", "b zzyzx", "pmi") == pytest.approx((log(12 / 9) + log(4)) / 2)


@given(spoken, spoken)
@settings(deadline=None, max_examples=80)
def test_it_is_the_mean_over_pairs_of_words(workspace, a, b):
    assert workspace.similarity(a, b, "pmi") == pytest.approx(pmi(PAIRS, a, b), nan_ok=True)


def test_contributions_are_the_candidates_words(workspace):
    found = workspace.explain("space exploration", "astronauts zzyzx", "pmi")
    assert [part.term for part in found.contributions] == ["astronauts"]
