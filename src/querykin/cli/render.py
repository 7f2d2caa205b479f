"""Human-readable terminal output: tables, bars and passages."""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from querykin.measures.contribution_bars import ContributionBars
from querykin.measures.passages import marked
from querykin.querylog.repository import Repository
from querykin.retrieval.score_distribution import closer_than, percentile_text
from querykin.retrieval.suggester import Suggestion, Suggestions
from querykin.search.document_search import DocumentHits
from querykin.text.analyzer import Analyzer
from querykin.types import Explanation, Passage

if TYPE_CHECKING:
    from querykin.clustering.clusters import Cluster
    from querykin.clustering.variants.deduplicated_keywords import CanonicalForm

BAR_WIDTH = 28  # characters of the longest bar
MAX_SHOWN_TERMS = 12
_SIDE_COLORS = {"a": "cyan", "b": "magenta"}


def _console() -> Console:
    console = Console(highlight=False)
    # A pipe has no width: 100 columns keep passages readable in files and pages.
    return console if console.is_terminal else Console(highlight=False, width=100)


def bar(share: float, width: int = BAR_WIDTH) -> str:
    """A share from 0 to 1, drawn as a bar.

    >>> bar(0.25)
    '███████'
    """
    eighths = round(max(0.0, min(1.0, share)) * width * 8)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


def contribution_bar(bars: ContributionBars, share: float) -> str:
    """A share on the axis of the bars: to the left of 0 and shaded where it is negative.

    >>> bars = ContributionBars((), None, begin=-0.5, end=0.5)
    >>> contribution_bar(bars, -0.25), contribution_bar(bars, 0.25)
    ('       ░░░░░░░│', '              │███████')
    """
    if bars.begin == 0:
        return bar(bars.position(share))
    zero = math.ceil(bars.position(0) * BAR_WIDTH)
    length = abs(share) / (bars.end - bars.begin)
    shaded = "░" * math.ceil(length * BAR_WIDTH) if share < 0 else ""  # a character at least
    return f"{shaded:>{zero}}│{bar(length) if share > 0 else ''}"


def axis(bars: ContributionBars) -> str:
    """The numbers at the ends of the axis.

    >>> axis(ContributionBars((), None, begin=0.0, end=1.0))
    '0                          1'
    """
    begin, end = bars.ends
    return f"{begin}{end:>{BAR_WIDTH - len(begin)}}"


def number(score: float) -> str:
    """A score with three decimals; '-' for a missing score."""
    return "-" if math.isnan(score) else f"{score:.3f}"


def scores(a: str, b: str, by_measure: Mapping[str, float], percentiles: Mapping[str, float | None]) -> None:
    """Print one line per measure: score, how it stands among random pairs, and a bar."""
    console = _console()
    console.print(Text.assemble((a, _SIDE_COLORS["a"]), "  ~  ", (b, _SIDE_COLORS["b"])))
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, score in by_measure.items():
        # Only scores from 0 to 1 have a bar, not counts, tiers or log probabilities.
        shown = bar(score) if 0 <= score <= 1 else ""
        percentile = percentiles[name]
        rank = "" if percentile is None else closer_than(percentile)
        table.add_row(name, number(score), "not covered" if math.isnan(score) else shown, rank)
    console.print(table)


def explanation(result: Explanation, analyzer: Analyzer) -> None:
    """Print the shared terms with their shares, then the passages that contain them."""
    console = _console()
    head = Text.assemble(
        (result.a, _SIDE_COLORS["a"]), "  ~  ", (result.b, _SIDE_COLORS["b"]), f"   {result.measure} "
    )
    head.append(number(result.score), "bold")
    if result.percentile is not None:
        head.append(f"  {closer_than(result.percentile)}", "dim")
    console.print(head)
    for note in result.notes:
        console.print(Padding(Text(note, "dim"), (0, 0, 0, 2), expand=False))
    if math.isnan(result.score):
        console.print("  one of the texts is not covered by the corpus")
        return
    if not result.contributions:
        console.print("  nothing in common")
    if result.contributions:
        console.print(_contributions(ContributionBars.of(result, MAX_SHOWN_TERMS)))
    for passage in result.passages:
        style = _SIDE_COLORS[passage.side]
        side = result.a if passage.side == "a" else result.b
        title = Text.assemble((f"{side}: ", style), (passage.title or passage.document, "bold"))
        console.print(Padding(title.append(f"  {passage.url}", "dim"), (1, 0, 0, 2), expand=False))
        console.print(Padding(_highlighted(passage, result, analyzer), (0, 0, 0, 4), expand=False))


def _contributions(bars: ContributionBars) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 2))
    for part in bars.shown:
        table.add_row(escape(part.label), f"{part.share:.4f}", contribution_bar(bars, part.share))
    if rest := bars.rest:
        table.add_row(rest.term, f"{rest.share:.4f}", contribution_bar(bars, rest.share), style="dim")
    table.add_row("", "", axis(bars), style="dim")
    return table


def _highlighted(passage: Passage, result: Explanation, analyzer: Analyzer) -> Text:
    """The passage with the words of the shared terms emphasized."""
    terms = [part.term for part in result.contributions[: 2 * MAX_SHOWN_TERMS]]
    return _emphasized(passage.text, terms, analyzer)


def _emphasized(passage: str, terms: Iterable[str], analyzer: Analyzer) -> Text:
    pieces = marked(passage, terms, analyzer)
    return Text.assemble(*((piece, "bold underline" if mark else "") for piece, mark in pieces))


def hits(found: DocumentHits, analyzer: Analyzer) -> None:
    """Print the documents: rank, title and URL, and below them the passages with the query's words marked."""
    console = _console()
    console.print(Text(found.query, "bold"))
    if not found.covered:
        console.print("  not covered")
    for rank, hit in enumerate(found.hits, start=1):
        console.print(Text.assemble(f"{rank:>3}  ", (hit.title or hit.id, "bold"), (f"  {hit.url}", "dim")))
        for passage in hit.passages:
            console.print(Padding(_emphasized(passage, found.terms, analyzer), (0, 0, 0, 5), expand=False))


def _heading(suggestion: Suggestion) -> str:
    """The heading of the columns, if there are others than the score."""
    probability = "" if suggestion.probability is None else "  good"
    percentile = "" if suggestion.percentile is None else "  closer than"
    return f"  score{probability}{percentile}" if probability or percentile else ""


def suggestions(result: Suggestions, repository: Repository) -> None:
    """Print one line per suggestion: score, probability, percentile, bar and query; then its explanation."""
    console = _console()
    console.print(Text(result.query, "bold"))
    if not result.suggestions:
        console.print("  no suggestions" if result.covered else "  not covered")
    elif heading := _heading(result.suggestions[0]):
        console.print(Text(heading, "dim"))
    best = max((suggestion.score for suggestion in result.suggestions), default=1.0)
    for suggestion in result.suggestions:
        length = math.exp(suggestion.score) if suggestion.score < 0 else suggestion.score / max(best, 1.0)
        line = Text.assemble(
            f"  {number(suggestion.score)}  ",
            "" if suggestion.probability is None else f"{suggestion.probability:>4.0%}  ",
            "" if suggestion.percentile is None else f"{percentile_text(suggestion.percentile):>7}  ",
            (f"{bar(length):{BAR_WIDTH}} ", "cyan"),
            suggestion.query,
        )
        if suggestion.count > 1:
            line.append(f"  {repository.frequency(suggestion.query_id)}", "dim")
        console.print(line)
        if suggestion.explanation:
            console.print(_because(suggestion.explanation))
            for passage in {p.document: p for p in suggestion.explanation.passages}.values():
                text = Text(f"{passage.title}: {passage.text}", "dim")
                console.print(Padding(text, (0, 0, 0, 11), expand=False))


def clusters(found: "Iterable[Cluster]", explain: Callable[[str, str], Explanation] | None = None) -> None:
    """Print each cluster: its head with the count of all, and below it the members with their scores."""
    console = _console()
    for cluster in found:
        size = f"  {1 + len(cluster.members):,} keywords" if cluster.members else ""
        console.print(Text.assemble((cluster.head, "bold"), (f"{size}  {cluster.count:,}x", "dim")))
        for member in cluster.members:
            line = Text(f"  {number(member.score)}  {member.query}")
            console.print(line.append(f"  {member.count:,}x", "dim") if member.count > 1 else line)
            if explain:
                console.print(_because(explain(member.query, cluster.head)))


def _because(explanation: Explanation) -> Padding:
    """The terms with the largest shares, in one line."""
    parts = explanation.contributions[:6]
    terms = ", ".join(f"{part.label} {part.share:.3f}" for part in parts)
    return Padding(Text(f"because of {terms}", "dim"), (0, 0, 0, 9), expand=False)


def canonical_forms(found: "Iterable[CanonicalForm]") -> None:
    """Print each canonical form with the count of all, and below it the variants with their reasons."""
    console = _console()
    for form in found:
        head = Text.assemble((form.query, "bold"), (f"  {form.count:,}x", "dim"))
        sums = "".join(f"  {name} {value:,.10g}" for name, value in form.sums.items())
        console.print(head.append(sums, "dim"))
        for variant in form.variants:
            count = f"  {variant.count:,}x" if variant.count > 1 else ""
            console.print(Text.assemble(f"  {variant.query}", (f"{count}  {variant.reason}", "dim")))
