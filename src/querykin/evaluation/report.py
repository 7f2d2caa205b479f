"""The HTML report of an evaluation: one self-contained page with tables, plots and examples."""

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlencode

from querykin.evaluation.failures import Example, GroupChange, bottom_relevant, top_irrelevant, worst_losses
from querykin.evaluation.markers import marker
from querykin.evaluation.outcome import EvaluationOutcome
from querykin.evaluation.report_plots import common_plots, legend, measure_plots
from querykin.evaluation.svg import Line, Plot, svg
from querykin.evaluation.tables import (
    MARKS,
    TextTable,
    against_baseline,
    format_number,
    main_columns,
    overview,
)
from querykin.evaluation.verdict import best_first, verdict
from querykin.version import __version__

MAX_OPEN = 4  # with more measures, their sections are collapsed at first


def write_report(outcome: EvaluationOutcome, title: str, path: Path) -> None:
    """Write the report of an evaluation to a file."""
    path.write_text(page(outcome, title), encoding="utf-8", errors="replace")


def page(outcome: EvaluationOutcome, title: str) -> str:
    """The report as an HTML page."""
    sheets = files("querykin.evaluation")
    style = "".join(sheets.joinpath(name).read_text("utf-8") for name in ("report.css", "plots.css"))
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}: evaluation</title>\n<style>{style}</style></head>\n<body>",
            f"<h1>{escape(title)}</h1>",
            content(outcome),
            f"<footer>querykin {__version__}</footer>\n</body></html>\n",
        ]
    )


def content(outcome: EvaluationOutcome, compare: str = "") -> str:
    """The report as an HTML fragment, styled by `plots.css`; the best measure is first.

    `compare` is the address of a page that compares two texts, to which examples are linked.
    """
    outcome = best_first(outcome)
    evaluation = outcome.evaluation
    tables = [_table(table) for table in (overview(evaluation), against_baseline(evaluation)) if table.rows]
    sections = [_measure(outcome, result.measure, compare) for result in evaluation.results]
    plots = _plots("All measures", common_plots(outcome), legend(outcome))
    parts = [
        f'<p class="verdict">{escape(verdict(evaluation))}</p>',
        _table(main_columns(evaluation)),
        f"<details><summary>All columns</summary>\n{''.join(tables)}</details>",
        plots,
        "<h2>Measure by measure</h2>",
        *sections,
    ]
    return '<div class="report">\n' + "\n".join(parts) + "\n</div>"


def _table(table: TextTable, kind: str = "", links: Sequence[str] = ()) -> str:
    """A table; with `links`, the second cell of each row is linked."""
    head = "".join(f'<th scope="col">{escape(heading)}</th>' for heading in table.headings)
    cells = [list(map(_cell, row)) for row in table.rows]
    for row, address, linked in zip(table.rows, links, cells, strict=False):
        linked[1] = f'<td><a href="{escape(address)}">{escape(row[1])}</a></td>'
    rows = "".join(f"<tr>{''.join(row)}</tr>\n" for row in cells)
    note = f"<p>{escape(table.note)}</p>" if table.note else ""
    element = f'<table class="{kind}"><thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody></table>'
    title = escape(table.title)
    scrolled = f'<div class="scroll" role="group" aria-label="{title}" tabindex="0">{element}</div>'
    return f"<p>{title}</p>\n{scrolled}{note}"


def _cell(text: str) -> str:
    kind = {MARKS[1]: ' class="better"', MARKS[-1]: ' class="worse"'}.get(text[-1:], "")
    return f"<td{kind}>{escape(text)}</td>"


def _plots(title: str, plots: Iterable[Plot], lines: Sequence[Line]) -> str:
    drawn = [(plot, picture) for plot in plots if (picture := svg(plot))]
    if not drawn:
        return ""
    figures = "\n".join(_figure(plot, picture) for plot, picture in drawn)
    return f'<h2>{escape(title)}</h2>\n{_legend(lines)}\n<div class="plots">{figures}</div>'


def _figure(plot: Plot, picture: str) -> str:
    key = _legend(plot.lines) if plot.legend else ""
    caption = f"<b>{escape(plot.title)}.</b> {escape(plot.caption)}"
    return f"<figure>{picture}{key}<figcaption>{caption}</figcaption></figure>"


def _legend(lines: Iterable[Line]) -> str:
    entries = (
        f'<li><svg viewBox="0 0 28 10" aria-hidden="true"><path class="line" stroke="{line.color}" '
        f'stroke-dasharray="{line.dash}" d="M0 5H28"/>{marker(line.marker, 14, 5, line.color)}</svg>'
        f"{escape(line.name)}</li>"
        for line in lines
    )
    return f'<ul class="legend">{"".join(entries)}</ul>'


def _measure(outcome: EvaluationOutcome, measure: str, compare: str) -> str:
    """The section of one measure, which can be collapsed."""
    evaluation, judged = outcome.evaluation, outcome.judged
    plots = "\n".join(
        _figure(plot, picture) for plot in measure_plots(outcome, measure) if (picture := svg(plot))
    )
    tables = []
    if measure != evaluation.baseline:
        losses = _losses_table(worst_losses(judged, evaluation, measure), evaluation.baseline)
        tables += [_table(losses, "text")] if losses.rows else []
    if measure in outcome.scores:
        arguments = judged, outcome.scores[measure], evaluation.relevant
        tables.append(_examples("High scores for irrelevant pairs", top_irrelevant(*arguments), compare))
        tables.append(_examples("Low scores for relevant pairs", bottom_relevant(*arguments), compare))
    shown = "\n".join(tables)
    opened = " open" if len(evaluation.results) <= MAX_OPEN and measure != evaluation.baseline else ""
    content = f'<div class="plots">{plots}</div>\n{shown}'
    return f"<details{opened}><summary>{escape(measure)}</summary>\n{content}</details>"


def _losses_table(changes: Iterable[GroupChange], baseline: str) -> TextTable:
    rows = [
        [
            each.group,
            f"{each.relevant:,} of {each.pairs:,}",
            format_number(each.baseline),
            format_number(each.measure),
            f"{each.difference:+.3f}",
        ]
        for each in changes
    ]
    heads = ["group", "relevant", f"AP of {baseline}", "AP", "difference"]
    return TextTable(f"The worst losses against {baseline}", heads, rows)


def _examples(title: str, examples: Sequence[Example], compare: str) -> str:
    """A table of judged pairs, each linked to the page that explains its score."""
    rows = [
        [
            each.query,
            each.candidate,
            f"{each.grade:g}",
            format_number(each.score),
            f"{each.rank:,} of {each.group_size:,}",
        ]
        for each in examples
    ]
    links = [
        f"{compare}?{urlencode({'a': each.query, 'b': each.candidate}, errors='replace')}"
        for each in examples
    ]
    table = TextTable(f"{title}, one per group", ["query", "candidate", "grade", "score", "rank"], rows)
    return _table(table, "text", links if compare else ()) if rows else ""
