"""Results for people: tables, bars and passages in the terminal."""

import math
from collections.abc import Mapping

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from querykin.measures.passages import marked
from querykin.retrieval.suggester import Suggestions
from querykin.types import Explanation, Passage

BAR = 28  # characters of the longest bar
SHOWN_TERMS = 12
_SIDES = {"a": "cyan", "b": "magenta"}


def _console() -> Console:
    console = Console(highlight=False)
    # A pipe has no width: 100 columns keep passages readable in files and pages.
    return console if console.is_terminal else Console(highlight=False, width=100)


def bar(share: float) -> str:
    """A share from 0 to 1 as a bar.

    >>> bar(0.25)
    '███████'
    """
    eighths = round(max(0.0, min(1.0, share)) * BAR * 8)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


def number(score: float) -> str:
    """A score as people see it; '-' where the measure has no opinion."""
    return "-" if math.isnan(score) else f"{score:.3f}"


def scores(a: str, b: str, found: Mapping[str, float]) -> None:
    """One line and one bar per measure."""
    console = _console()
    console.print(Text.assemble((a, _SIDES["a"]), "  ~  ", (b, _SIDES["b"])))
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, score in found.items():
        # Bars are for scores from 0 to 1; counts, tiers and logarithms speak for themselves.
        shown = bar(score) if 0 <= score <= 1 else ""
        table.add_row(name, number(score), "not covered" if math.isnan(score) else shown)
    console.print(table)


def explanation(found: Explanation) -> None:
    """The shared terms with their shares, then the passages that hold them."""
    console = _console()
    head = Text.assemble((found.a, _SIDES["a"]), "  ~  ", (found.b, _SIDES["b"]), f"   {found.measure} ")
    console.print(head.append(number(found.score), "bold"))
    for note in found.notes:
        console.print(Padding(Text(note, "dim"), (0, 0, 0, 2), expand=False))
    if math.isnan(found.score):
        console.print("  not covered: the corpus says too little about one of the texts")
        return
    if not found.contributions:
        console.print("  nothing in common")
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 2))
    largest = max((abs(part.share) for part in found.contributions), default=0.0) or 1.0
    for part in found.contributions[:SHOWN_TERMS]:
        table.add_row(escape(part.term), f"{part.share:.4f}", bar(abs(part.share) / largest))
    rest = found.contributions[SHOWN_TERMS:]
    if rest:
        table.add_row(f"{len(rest)} more", f"{sum(part.share for part in rest):.4f}", style="dim")
    console.print(table)
    for passage in found.passages:
        style = _SIDES[passage.side]
        side = found.a if passage.side == "a" else found.b
        title = Text.assemble((f"{side}: ", style), (passage.title or passage.document, "bold"))
        console.print(Padding(title.append(f"  {passage.url}", "dim"), (1, 0, 0, 2), expand=False))
        console.print(Padding(_highlighted(passage, found), (0, 0, 0, 4), expand=False))


def _highlighted(passage: Passage, found: Explanation) -> Text:
    """The passage with the words of the shared terms in bold."""
    pieces = marked(passage.text, found.contributions[: 2 * SHOWN_TERMS])
    return Text.assemble(*((piece, "bold underline" if mark else "") for piece, mark in pieces))


def suggestions(found: Suggestions) -> None:
    """One line per suggestion: score, bar, query; under it the terms that explain it, if asked for."""
    console = _console()
    console.print(Text(found.query, "bold"))
    if not found.suggestions:
        console.print("  no suggestions" if found.covered else "  not covered")
    best = max((offer.score for offer in found.suggestions), default=1.0)
    for offer in found.suggestions:
        length = math.exp(offer.score) if offer.score < 0 else offer.score / max(best, 1.0)
        line = Text.assemble(f"  {number(offer.score)}  ", (f"{bar(length):{BAR}} ", "cyan"), offer.query)
        console.print(line.append(f"  {offer.count:,}x", "dim") if offer.count > 1 else line)
        if offer.explanation:
            parts = offer.explanation.contributions[:6]
            terms = ", ".join(f"{part.term} {part.share:.3f}" for part in parts)
            console.print(Text(f"         because of {terms}", "dim"))
            for passage in {p.document: p for p in offer.explanation.passages}.values():
                text = Text(f"{passage.title}: {passage.text}", "dim")
                console.print(Padding(text, (0, 0, 0, 11), expand=False))
