"""Diversity filters: reject candidates too similar to the query or to suggestions already chosen."""

from collections.abc import Callable, Sequence
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from querykin.registry import Registry
from querykin.text.analyzer import DEFAULT, Analyzer

TokenTuple = tuple[str, ...]  # the tokens of a query
Accept = Callable[[TokenTuple, TokenTuple, Analyzer], bool]
filters: Registry[Accept] = Registry("filter")
DEFAULT_FILTER = "diverse"


@filters.register("none")
def anything(candidate: TokenTuple, chosen: TokenTuple, analyzer: Analyzer = DEFAULT) -> bool:
    """Accept every candidate."""
    return True


@filters.register("paper")
def paper(candidate: TokenTuple, chosen: TokenTuple, analyzer: Analyzer = DEFAULT) -> bool:
    """The rule of Sahami & Heilman (2006): |q| - |q & z| > |z| / 2, over sets of tokens.

    >>> paper(*token_tuples(["california lotto home", "california lottery"]))
    True
    >>> paper(*token_tuples(["nasa", "space exploration"]))
    False
    """
    q, z = set(candidate), set(chosen)
    return len(q) - len(q & z) > 0.5 * len(z)


@filters.register(DEFAULT_FILTER)
def diverse(candidate: TokenTuple, chosen: TokenTuple, analyzer: Analyzer = DEFAULT) -> bool:
    """Reject variants: other inflections, diacritics, word order or stop words, or one misspelled word.

    >>> diverse(*token_tuples(["the seattle mariner", "Mariners Seattle"]))
    False
    >>> diverse(*token_tuples(["seatle mariners", "seattle mariners"]))
    False
    >>> diverse(*token_tuples(["seattle mariners tickets", "seattle mariners"]))
    True
    """
    if analyzer.query_stop_words.issuperset(candidate) or "".join(candidate) == "".join(chosen):
        return False
    plain = all(map(str.isascii, candidate + chosen))
    return all(
        _differ(
            _content_stems(candidate, analyzer, language, folded),
            _content_stems(chosen, analyzer, language, folded),
        )
        for language in range(len(analyzer.languages))
        for folded in ((False,) if plain else (False, True))
    )


def _differ(candidate_stems: frozenset[str], chosen_stems: frozenset[str]) -> bool:
    """Whether two sets of stems are different, by more than one misspelled word."""
    if candidate_stems == chosen_stems:
        return False
    added, removed = candidate_stems - chosen_stems, chosen_stems - candidate_stems
    return not (len(added) == len(removed) == 1 and _is_misspelling(*added, *removed))


def token_tuples(queries: Sequence[str], analyzer: Analyzer = DEFAULT) -> list[TokenTuple]:
    """The tokens of each query."""
    return [tuple(spaced.split(" ")) if spaced else () for spaced in analyzer.tokenize(queries).spaced()]


@lru_cache(maxsize=10_000)  # each suggestion is compared with all others of its list
def _content_stems(tokens: TokenTuple, analyzer: Analyzer, language: int, folded: bool) -> frozenset[str]:
    """The stems of the tokens that are not stop words; the tokens themselves if all are.

    With `folded`, those of the tokens without diacritics: the stem of French "cafetiere" is another one than
    that of "cafetière".
    """
    content = [token for token in tokens if token not in analyzer.query_stop_words]
    content = [analyzer.fold(token) for token in content] if folded else content
    return frozenset(analyzer.stem(token, language) for token in content) or frozenset(tokens)


def _is_misspelling(a: str, b: str) -> bool:
    """Whether two words of five or more letters, without digits, differ by one edit or one swap."""
    if min(len(a), len(b)) < 5 or any(c.isdigit() for c in a + b):
        return False
    swapped = len(a) == len(b) and sorted(a) == sorted(b) and Levenshtein.distance(a, b) == 2
    return swapped or Levenshtein.distance(a, b) == 1
