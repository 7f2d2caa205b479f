"""Means of counts weighed against chance, as printed: proves `association` and `measures.distributional`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import log, nan, prod, sqrt

from reference.cooccurrence import PlainNeighbours, Unit, chunked
from reference.tokenizer import words

Row = Mapping[str, float]
NOISE = 1e-9  # a smaller difference from chance is one of the arithmetic


def geometric_mean(counts: Sequence[float]) -> float:
    return prod(counts) ** (1 / len(counts))


def means(rows: Sequence[Row], smoothing: float = 0.0) -> dict[str, float]:
    """The mean for every context that any of the rows has; none that is 0."""
    contexts = {context for row in rows for context in row}
    found = {c: geometric_mean([row.get(c, 0) + smoothing for row in rows]) for c in contexts}
    return {context: mean for context, mean in found.items() if mean > 0}


def total(rows: Sequence[Row]) -> dict[str, float]:
    """The sum of several rows."""
    return {c: sum(row.get(c, 0) for row in rows) for row in rows for c in row}


def chi_square(observed: float, row: float, column: float, total: float) -> float:
    """(O - E)^2 / E over the four cells of the table; below 0 where the first has less than by chance."""
    others, elsewhere = total - row, total - column
    expected = [margin * other / total for margin in (row, others) for other in (column, elsewhere)]
    if min(expected) <= 0:
        return 0.0  # one margin is the whole: nothing can be told
    table = [observed, row - observed, column - observed, total - row - column + observed]
    value = sum((o - e) ** 2 / e for o, e in zip(table, expected, strict=True))
    return value if observed > expected[0] else -value


def npmi(observed: float, row: float, column: float, total: float) -> float:
    """log(p(x, y) / (p(x) p(y))) / -log p(x, y)."""
    if observed >= total:
        return 1.0
    return log(observed * total / (row * column)) / -log(observed / total)


def strengths(means: Row, marginals: Row, total: float, weighting: str) -> dict[str, float]:
    """How strongly a text belongs with each context, of those it meets more often than by chance."""
    measured = {"chi-square": chi_square, "root": lambda *table: sqrt(chi_square(*table)), "npmi": npmi}
    row = sum(means.values())
    return {
        context: measured[weighting](mean, row, marginals[context], total)
        for context, mean in means.items()
        if mean * total > row * marginals[context] * (1 + NOISE)
    }


def cosine(a: Row, b: Row) -> float:
    if not a or not b:
        return nan
    return sum(a[c] * b[c] for c in a if c in b) / sqrt(
        sum(weight**2 for weight in a.values()) * sum(weight**2 for weight in b.values())
    )


@dataclass(frozen=True, eq=False)
class PlainDistributional:
    """Section 9 of the methods: a text's words, or its phrases and words, by the company they keep."""

    counted: PlainNeighbours
    phrases: bool
    weighting: str = "npmi"
    smoothing: float = 0.0

    def units(self, text: str) -> list[Unit]:
        """What a text is taken as, without the words that meet no other."""
        taken = chunked(words(text), self.counted.usable if self.phrases else ())
        return [unit for unit in taken if len(unit) > 1 or self.counted.marginals.get(unit[0])]

    @cache  # noqa: B019 a twin lives as long as its test
    def vector(self, text: str) -> dict[str, float]:
        rows = [self.counted.of(unit) for unit in self.units(text)]
        marginals = self.counted.marginals
        found = means(rows, self.smoothing)
        return strengths(found, marginals, sum(marginals.values()), self.weighting)

    def score(self, a: str, b: str) -> float:
        return cosine(self.vector(a), self.vector(b))
