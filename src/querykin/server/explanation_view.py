"""Why is a score what it is? An explanation laid out for a page: bars, passages, sources."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from querykin.measures.passages import marked
from querykin.types import Explanation

SHOWN_TERMS = 12


@dataclass(frozen=True)
class Bar:
    """One shared term: its share of the score, and how long its bar is in percent."""

    term: str
    share: float
    width: float


@dataclass(frozen=True)
class Quote:
    """A passage in pieces, some of them marked, with where it comes from."""

    title: str
    url: str
    pieces: Sequence[tuple[str, bool]]


@dataclass(frozen=True)
class ExplanationView:
    """An explanation as a page shows it."""

    explanation: Explanation
    bars: Sequence[Bar]
    hidden: int  # terms that are not shown
    rest: float  # what they add together
    quotes: Sequence[tuple[str, Sequence[Quote]]]  # by the text that they speak for


def make_view(found: Explanation, terms: int = SHOWN_TERMS) -> ExplanationView:
    """Lay out an explanation; only the heaviest terms are shown one by one."""
    largest = max((abs(part.share) for part in found.contributions), default=0.0) or 1.0
    bars = [
        Bar(part.term, part.share, round(100 * abs(part.share) / largest, 1))
        for part in found.contributions[:terms]
    ]
    rest = found.contributions[terms:]
    quotes = [
        (
            found.a if side == "a" else found.b,
            [
                Quote(each.title or each.document, each.url, marked(each.text, found.contributions[:terms]))
                for each in passages
            ],
        )
        for side, passages in groupby(found.passages, key=lambda each: each.side)
    ]
    return ExplanationView(found, bars, len(rest), sum(part.share for part in rest), quotes)
