"""Association weights as printed: the reference for `cooccurrence.association` and its measures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import log, nan, prod, sqrt

from reference.cooccurrence import ReferenceCooccurrence, Unit, chunked
from reference.tokenizer import words

Row = Mapping[str, float]
TOLERANCE = 1e-9  # a smaller difference from chance is a rounding error


def geometric_mean(counts: Sequence[float]) -> float:
    return prod(counts) ** (1 / len(counts))


def means(rows: Sequence[Row], smoothing: float = 0.0) -> dict[str, float]:
    """The mean of every context of any of the rows, except those that are 0."""
    contexts = {context for row in rows for context in row}
    found = {c: geometric_mean([row.get(c, 0) + smoothing for row in rows]) for c in contexts}
    return {context: mean for context, mean in found.items() if mean > 0}


def total(rows: Sequence[Row]) -> dict[str, float]:
    """The sum of several rows."""
    return {c: sum(row.get(c, 0) for row in rows) for row in rows for c in row}


def chi_square(observed: float, row: float, column: float, total: float) -> float:
    """(O - E)^2 / E over the four cells of the table; negative where the first is below chance."""
    others, elsewhere = total - row, total - column
    expected = [marginal * other / total for marginal in (row, others) for other in (column, elsewhere)]
    if min(expected) <= 0:
        return 0.0  # undefined where one marginal is the total
    table = [observed, row - observed, column - observed, total - row - column + observed]
    value = sum((o - e) ** 2 / e for o, e in zip(table, expected, strict=True))
    return value if observed > expected[0] else -value


def npmi(observed: float, row: float, column: float, total: float) -> float:
    """log(p(x, y) / (p(x) p(y))) / -log p(x, y)."""
    if observed >= total:
        return 1.0
    return log(observed * total / (row * column)) / -log(observed / total)


def weights(means: Row, marginals: Row, total: float, weighting: str) -> dict[str, float]:
    """The association of a text with each context that is more frequent than by chance."""
    association = {"chi-square": chi_square, "root": lambda *table: sqrt(chi_square(*table)), "npmi": npmi}
    row = sum(means.values())
    return {
        context: association[weighting](mean, row, marginals[context], total)
        for context, mean in means.items()
        if mean * total > row * marginals[context] * (1 + TOLERANCE)
    }


def cosine(a: Row, b: Row) -> float:
    if not a or not b:
        return nan
    return sum(a[c] * b[c] for c in a if c in b) / sqrt(
        sum(weight**2 for weight in a.values()) * sum(weight**2 for weight in b.values())
    )


@dataclass(frozen=True, eq=False)
class ReferenceDistributional:
    """A text by the contexts of its words, or of its phrases and words (Alfonseca et al. 2009)."""

    counted: ReferenceCooccurrence
    phrases: bool
    weighting: str = "npmi"
    smoothing: float = 0.0

    def units(self, text: str) -> list[Unit]:
        """The units of a text, without words that have no context."""
        taken = chunked(words(text), self.counted.frequent_phrases if self.phrases else ())
        return [unit for unit in taken if len(unit) > 1 or self.counted.marginals.get(unit[0])]

    @cache  # noqa: B019 the object is short-lived
    def vector(self, text: str) -> dict[str, float]:
        rows = [self.counted.of(unit) for unit in self.units(text)]
        marginals = self.counted.marginals
        found = means(rows, self.smoothing)
        return weights(found, marginals, sum(marginals.values()), self.weighting)

    def score(self, a: str, b: str) -> float:
        return cosine(self.vector(a), self.vector(b))
