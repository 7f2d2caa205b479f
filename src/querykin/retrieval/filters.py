"""Diversity filters: reject candidates too similar to the query or to suggestions already chosen."""

from collections.abc import Callable, Sequence
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from querykin.registry import Registry
from querykin.text.stemming import stem
from querykin.text.stopwords import QUERY_STOP_WORDS
from querykin.text.tokenizer import tokenize

TokenTuple = tuple[str, ...]  # the tokens of a query
Accept = Callable[[TokenTuple, TokenTuple], bool]
filters: Registry[Accept] = Registry("filter")


@filters.register("none")
def anything(candidate: TokenTuple, chosen: TokenTuple) -> bool:
    """Accept every candidate."""
    return True


@filters.register("paper")
def paper(candidate: TokenTuple, chosen: TokenTuple) -> bool:
    """The rule of Sahami & Heilman (2006): |q| - |q & z| > |z| / 2, over sets of tokens.

    >>> paper(*token_tuples(["california lotto home", "california lottery"]))
    True
    >>> paper(*token_tuples(["nasa", "space exploration"]))
    False
    """
    q, z = set(candidate), set(chosen)
    return len(q) - len(q & z) > 0.5 * len(z)


@filters.register("diverse")
def diverse(candidate: TokenTuple, chosen: TokenTuple) -> bool:
    """Reject variants: other inflections, word order or stop words, or one misspelled word.

    >>> diverse(*token_tuples(["the seattle mariner", "Mariners Seattle"]))
    False
    >>> diverse(*token_tuples(["seatle mariners", "seattle mariners"]))
    False
    >>> diverse(*token_tuples(["seattle mariners tickets", "seattle mariners"]))
    True
    """
    if QUERY_STOP_WORDS.issuperset(candidate):
        return False  # nothing but stop words
    candidate_stems, chosen_stems = _content_stems(candidate), _content_stems(chosen)
    if candidate_stems == chosen_stems or "".join(candidate) == "".join(chosen):
        return False
    added, removed = candidate_stems - chosen_stems, chosen_stems - candidate_stems
    return not (len(added) == len(removed) == 1 and _is_misspelling(*added, *removed))


def token_tuples(queries: Sequence[str]) -> list[TokenTuple]:
    """The tokens of each query."""
    return [tuple(spaced.split(" ")) if spaced else () for spaced in tokenize(queries).joined()]


@lru_cache(maxsize=10_000)  # each suggestion is compared with all others of its list
def _content_stems(tokens: TokenTuple) -> frozenset[str]:
    """The stems of the tokens that are not stop words; the tokens themselves if all are."""
    return frozenset(stem(token) for token in tokens if token not in QUERY_STOP_WORDS) or frozenset(tokens)


def _is_misspelling(a: str, b: str) -> bool:
    """Whether two words of five or more letters, without digits, differ by one edit or one swap."""
    if min(len(a), len(b)) < 5 or any(c.isdigit() for c in a + b):
        return False
    swapped = len(a) == len(b) and sorted(a) == sorted(b) and Levenshtein.distance(a, b) == 2
    return swapped or Levenshtein.distance(a, b) == 1
