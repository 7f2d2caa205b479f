"""A deduplicated list of keywords: its canonical forms with their variants, and all rows of the input."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from querykin.clustering.variants.comparison import Kind
from querykin.clustering.variants.deduplication import Deduplication
from querykin.io.keyword_tables import KeywordTable
from querykin.text.languages import Language

COLUMNS = ("query", "canonical", "reason", "count")  # of a row, before those of the input


@dataclass(frozen=True, slots=True)
class Variant:
    """A query that means the same as a canonical form, and in what it differs from it."""

    query: str
    count: int
    reason: str


@dataclass(frozen=True, slots=True)
class CanonicalForm:
    """A query with its variants, the most frequent first; counts and sums are those of all of them."""

    query: str
    count: int
    variants: tuple[Variant, ...] = ()
    sums: dict[str, float] = field(default_factory=dict)  # of the columns of the input that can be summed


@dataclass(frozen=True)
class DeduplicatedKeywords:
    """The keywords of a table and the canonical form of each."""

    table: KeywordTable
    deduplication: Deduplication
    languages: tuple[Language, ...]  # in which words were compared

    def __len__(self) -> int:
        return int((self.deduplication.canonical == np.arange(len(self.table))).sum())

    @property
    def variant_count(self) -> int:
        """The number of distinct keywords that are variants of others."""
        return len(self.table) - len(self)

    @cached_property
    def canonical_forms(self) -> list[CanonicalForm]:
        """All canonical forms by descending count, ties in the order of the list."""
        table, canonical, reasons = self.table, self.deduplication.canonical, self.deduplication.reasons
        variants: dict[int, list[Variant]] = {}
        for keyword in sorted(reasons, key=lambda each: (-table.counts[each], each)):
            variants.setdefault(int(canonical[keyword]), []).append(self._variant(keyword))
        totals = np.zeros(len(table), np.int64)
        np.add.at(totals, canonical, np.array(table.counts, np.int64))
        sums = {name: np.bincount(canonical, table.summed[name], len(table)) for name in self.summed_columns}
        heads = np.flatnonzero(canonical == np.arange(len(table)))
        return [
            CanonicalForm(
                table.queries[head],
                int(totals[head]),
                tuple(variants.get(head, ())),
                {name: float(values[head]) for name, values in sums.items()},
            )
            for head in heads[np.argsort(-totals[heads], kind="stable")].tolist()
        ]

    def _variant(self, keyword: int) -> Variant:
        table = self.table
        return Variant(table.queries[keyword], table.counts[keyword], self.deduplication.reasons[keyword])

    def rows(self) -> Iterator[dict[str, Any]]:
        """All rows of the input, with the canonical form and the reason; it is empty for that form itself.

        The other columns of the input follow.
        """
        table, seen = self.table, np.zeros(len(self.table), np.bool_)
        canonical = self.deduplication.canonical.tolist()
        others = self.other_columns
        for row, keyword in enumerate(table.row_keywords.tolist()):
            query, reason = table.row_queries[row], self.deduplication.reasons.get(keyword, "")
            if not reason and query != table.queries[keyword]:
                reason = Kind.CASE.value
            elif not reason and seen[keyword]:
                reason = Kind.REPEATED.value
            seen[keyword] = True
            cells = dict(zip(table.columns, table.row(row), strict=True))
            yield {
                "query": query,
                "canonical": table.queries[canonical[keyword]],
                "reason": reason,
                "count": int(table.row_counts[row]),
                **{name: cells[name] for name in others},
            }

    @property
    def other_columns(self) -> list[str]:
        """The columns of the input besides that of the query."""
        return [name for name in self.table.columns if name not in {self.table.roles.get("query"), *COLUMNS}]

    @property
    def summed_columns(self) -> list[str]:
        """The columns of the input that can be summed."""
        return [name for name in self.other_columns if name in self.table.summed]


def canonical_form_json(form: CanonicalForm) -> dict[str, Any]:
    """A canonical form with its variants as JSON."""
    return {
        "canonical": form.query,
        "count": form.count,
        "variants": [
            {"query": each.query, "count": each.count, "reason": each.reason} for each in form.variants
        ],
        **({"sums": {name: whole(value) for name, value in form.sums.items()}} if form.sums else {}),
    }


def whole(value: float) -> float | int:
    """A sum as it is written: without a fraction if it has none, otherwise with six decimals at most.

    >>> whole(12.0), whole(0.1 + 0.2)
    (12, 0.3)
    """
    return int(value) if value.is_integer() else round(value, 6)
