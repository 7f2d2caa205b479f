"""Matches of words and stacks of them as Metzler et al. (2007) describe them: proves `measures.lexical`."""

from collections.abc import Callable, Iterable
from math import exp, isnan

from reference.tokenizer import stem, words

Fraction = Callable[[str, str], float]  # of a query and a candidate: where it stands in its tier; 0: nowhere


def exact(query: str, candidate: str) -> bool:
    return bool(words(candidate)) and words(candidate) == words(query)


def phrase(query: str, candidate: str) -> bool:
    """Whether the candidate is a run of the query's words."""
    run, whole = words(candidate), words(query)
    return bool(run) and any(whole[i : i + len(run)] == run for i in range(len(whole)))


def subset(query: str, candidate: str) -> bool:
    return bool(words(candidate)) and set(words(candidate)) <= set(words(query))


def exact_stems(query: str, candidate: str) -> bool:
    return bool(words(candidate)) and list(map(stem, words(candidate))) == list(map(stem, words(query)))


CRITERIA = {"exact": exact, "phrase": phrase, "subset": subset, "exact-stems": exact_stems}


def by_words(criterion: Callable[[str, str], bool]) -> Fraction:
    """Inside a tier of matches those with more distinct words stand higher: m / (m + 1)."""

    def fraction(query: str, candidate: str) -> float:
        distinct = len(set(words(candidate)))
        return distinct / (distinct + 1) if criterion(query, candidate) else 0.0

    return fraction


def by_score(measure: Callable[[str, str], float]) -> Fraction:
    """Inside a tier of scores of any size the higher stand higher: the logistic function."""

    def fraction(query: str, candidate: str) -> float:
        score = measure(query, candidate)
        return 0.0 if isnan(score) else 1 / (1 + exp(-score))

    return fraction


LEXICAL = [by_words(exact), by_words(phrase), by_words(subset)]
STEMMING = [*LEXICAL, by_words(exact_stems)]


def backoff(dense_prob: Callable[[str, str], float]) -> list[Fraction]:
    return [by_words(exact), by_words(exact_stems), by_score(dense_prob)]


def stacked(tiers: list[Fraction], query: str, candidate: str) -> float:
    """The number of the highest tier that matches, the lowest being 1, plus the place in it; 0: none does."""
    for number, tier in enumerate(tiers):
        fraction = tier(query, candidate)
        if fraction > 0:
            return len(tiers) - number + fraction
    return 0.0


def ranked(scores: Iterable[tuple[str, int, float]]) -> list[str]:
    """Candidates with counts and scores: by falling score, then by falling count, then by text."""
    found = [(-round(score, 9), -count, candidate) for candidate, count, score in scores]
    return [candidate for _, _, candidate in sorted(found)]


def ranking(tiers: list[Fraction], query: str, repository: Iterable[tuple[str, int]]) -> list[str]:
    """The candidates that match at all."""
    scores = [(candidate, count, stacked(tiers, query, candidate)) for candidate, count in repository]
    return ranked(found for found in scores if found[2] > 0)


def distance(a: str, b: str) -> int:
    """Levenshtein: the fewest letters put in, taken out or changed that make one text the other."""
    table = [[i + j if i * j == 0 else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            changed = table[i - 1][j - 1] + (a[i - 1] != b[j - 1])
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, changed)
    return table[-1][-1]


def edit(a: str, b: str) -> float:
    """1 - distance / length of the longer, over the words with single spaces between them."""
    mine, theirs = " ".join(words(a)), " ".join(words(b))
    longer = max(len(mine), len(theirs))
    return 1 - distance(mine, theirs) / longer if longer else 0.0
