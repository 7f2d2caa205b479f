"""Diversity filters: which candidates may be suggested beside each other."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

from rapidfuzz.distance import Levenshtein

from querykin.io.documents import open_text
from querykin.registry import Registry
from querykin.text.stemming import stem
from querykin.text.stopwords import QUERY_STOP_WORDS
from querykin.text.tokenizer import tokenize

TokenTuple = tuple[str, ...]  # the words of a query
Accept = Callable[[TokenTuple, TokenTuple], bool]
filters: Registry[Accept] = Registry("filter")


@filters.register("none")
def anything(candidate: TokenTuple, chosen: TokenTuple) -> bool:
    """Every candidate may stand beside every other."""
    return True


@filters.register("paper")
def paper(candidate: TokenTuple, chosen: TokenTuple) -> bool:
    """The rule of Sahami & Heilman (2006): |q| - |q & z| > |z| / 2, over sets of words.

    >>> paper(*token_tuples(["california lotto home", "california lottery"]))
    True
    >>> paper(*token_tuples(["nasa", "space exploration"]))
    False
    """
    mine, theirs = set(candidate), set(chosen)
    return len(mine) - len(mine & theirs) > 0.5 * len(theirs)


@filters.register("diverse")
def diverse(candidate: TokenTuple, chosen: TokenTuple) -> bool:
    """Not the same query again in other forms, another order, with small words or with a typing error.

    >>> diverse(*token_tuples(["the seattle mariner", "Mariners Seattle"]))
    False
    >>> diverse(*token_tuples(["seatle mariners", "seattle mariners"]))
    False
    >>> diverse(*token_tuples(["seattle mariners tickets", "seattle mariners"]))
    True
    """
    if QUERY_STOP_WORDS.issuperset(candidate):
        return False  # "the" is no query
    mine, theirs = _content(candidate), _content(chosen)
    if mine == theirs or "".join(candidate) == "".join(chosen):
        return False
    only_mine, only_theirs = mine - theirs, theirs - mine
    return not (len(only_mine) == len(only_theirs) == 1 and _is_misspelling(*only_mine, *only_theirs))


def token_tuples(queries: Sequence[str]) -> list[TokenTuple]:
    """The words of queries, as filters see them."""
    return [tuple(spaced.split(" ")) if spaced else () for spaced in tokenize(queries).joined()]


@lru_cache(maxsize=10_000)  # a suggestion is compared with every other one of its list
def _content(found: TokenTuple) -> frozenset[str]:
    return frozenset(stem(word) for word in found if word not in QUERY_STOP_WORDS) or frozenset(found)


def _is_misspelling(a: str, b: str) -> bool:
    """One letter more, less, changed or swapped in a long word; figures are never typing errors."""
    if min(len(a), len(b)) < 5 or any(c.isdigit() for c in a + b):
        return False
    swapped = len(a) == len(b) and sorted(a) == sorted(b) and Levenshtein.distance(a, b) == 2
    return swapped or Levenshtein.distance(a, b) == 1


def read_block_list(path: Path | None) -> frozenset[str]:
    """Words and queries, one a line, that are never to be offered."""
    lines = open_text(str(path)) if path else []
    return frozenset(" ".join(wording) for wording in token_tuples(list(lines)) if wording)
