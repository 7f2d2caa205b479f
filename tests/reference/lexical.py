"""Word matches and cascades (Metzler et al. 2007), edit distance: the reference for `measures.lexical`."""

from collections.abc import Callable, Iterable
from math import exp, isnan

from reference.tokenizer import stem, words, written

Fraction = Callable[[str, str], float]  # of a query and a candidate: its score within the tier; 0: no match


def exact(query: str, candidate: str) -> bool:
    return bool(words(candidate)) and words(candidate) == words(query)


def phrase(query: str, candidate: str) -> bool:
    """Whether the candidate is a contiguous sequence of words of the query."""
    sought, sequence = words(candidate), words(query)
    return bool(sought) and any(sequence[i : i + len(sought)] == sought for i in range(len(sequence)))


def subset(query: str, candidate: str) -> bool:
    return bool(words(candidate)) and set(words(candidate)) <= set(words(query))


def exact_stems(query: str, candidate: str) -> bool:
    return bool(words(candidate)) and list(map(stem, words(candidate))) == list(map(stem, words(query)))


CRITERIA = {"exact": exact, "phrase": phrase, "subset": subset, "exact-stems": exact_stems}


def by_words(criterion: Callable[[str, str], bool]) -> Fraction:
    """Score within a tier of matches, by the number m of distinct words: m / (m + 1)."""

    def fraction(query: str, candidate: str) -> float:
        distinct = len(set(words(candidate)))
        return distinct / (distinct + 1) if criterion(query, candidate) else 0.0

    return fraction


def by_score(measure: Callable[[str, str], float]) -> Fraction:
    """Score within a tier of unbounded scores: the logistic function."""

    def fraction(query: str, candidate: str) -> float:
        score = measure(query, candidate)
        return 0.0 if isnan(score) else 1 / (1 + exp(-score))

    return fraction


LEXICAL = [by_words(exact), by_words(phrase), by_words(subset)]
STEMMING = [*LEXICAL, by_words(exact_stems)]


def backoff(dense_prob: Callable[[str, str], float]) -> list[Fraction]:
    return [by_words(exact), by_words(exact_stems), by_score(dense_prob)]


def cascade_score(tiers: list[Fraction], query: str, candidate: str) -> float:
    """The number of the highest matching tier (the lowest is 1) plus the score within it; 0: no match."""
    for number, tier in enumerate(tiers):
        fraction = tier(query, candidate)
        if fraction > 0:
            return len(tiers) - number + fraction
    return 0.0


def ranked(scores: Iterable[tuple[str, int, float]]) -> list[str]:
    """Candidates by descending score, then by descending count, then by text."""
    keys = [(-round(score, 9), -count, candidate) for candidate, count, score in scores]
    return [candidate for _, _, candidate in sorted(keys)]


def ranking(tiers: list[Fraction], query: str, repository: Iterable[tuple[str, int]]) -> list[str]:
    """The matching candidates in order."""
    scores = [(candidate, count, cascade_score(tiers, query, candidate)) for candidate, count in repository]
    return ranked(entry for entry in scores if entry[2] > 0)


def distance(a: str, b: str) -> int:
    """Levenshtein distance: the minimum number of insertions, deletions and substitutions of characters."""
    table = [[i + j if i * j == 0 else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            changed = table[i - 1][j - 1] + (a[i - 1] != b[j - 1])
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, changed)
    return table[-1][-1]


def edit(a: str, b: str) -> float:
    """1 - distance / length of the longer text, over the words as written."""
    left, right = written(a), written(b)
    longer = max(len(left), len(right))
    return 1 - distance(left, right) / longer if longer else 0.0
