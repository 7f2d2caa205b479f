"""View model of an explanation: bars of contributions, and passages with highlighted terms."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from querykin.measures.contribution_bars import ContributionBars
from querykin.measures.passages import marked
from querykin.text.analyzer import Analyzer
from querykin.types import Explanation

MAX_TERMS = 12


@dataclass(frozen=True)
class Quote:
    """A passage as (text, highlighted) fragments, with the title and URL of its document."""

    title: str
    url: str
    fragments: Sequence[tuple[str, bool]]


@dataclass(frozen=True)
class ExplanationView:
    """An explanation prepared for the templates."""

    explanation: Explanation
    bars: ContributionBars
    quotes: Sequence[tuple[str, Sequence[Quote]]]  # grouped by the text they support


def make_view(explanation: Explanation, analyzer: Analyzer, max_terms: int = MAX_TERMS) -> ExplanationView:
    """View of an explanation with its largest contributions; the rest is summed up."""
    bars = ContributionBars.of(explanation, max_terms)
    terms = [each.term for each in bars.shown]
    quotes = [
        (
            explanation.a if side == "a" else explanation.b,
            [
                Quote(each.title or each.document, each.url, marked(each.text, terms, analyzer))
                for each in passages
            ],
        )
        for side, passages in groupby(explanation.passages, key=lambda each: each.side)
    ]
    return ExplanationView(explanation, bars, quotes)
