"""A report that can be sent around: one page with tables, plots and examples, which loads nothing."""

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path

from querykin.evaluation.failures import Example, GroupChange, best_wrong, worst_losses, worst_right
from querykin.evaluation.outcome import EvaluationOutcome
from querykin.evaluation.report_plots import common_plots, legend, measure_plots
from querykin.evaluation.svg import Line, Plot, svg
from querykin.evaluation.tables import MARKS, TextTable, against_baseline, format_number, overview
from querykin.version import __version__

UNFOLDED = 4  # with more measures than that, each one's section is opened by the reader


def write_report(outcome: EvaluationOutcome, title: str, path: Path) -> None:
    """Write the report of an evaluation into a file."""
    path.write_text(page(outcome, title), encoding="utf-8", errors="replace")


def page(outcome: EvaluationOutcome, title: str) -> str:
    """The whole page."""
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


def content(outcome: EvaluationOutcome) -> str:
    """What a page shows of an evaluation; `plots.css` is its style."""
    found = outcome.evaluation
    tables = [_table(grid) for grid in (overview(found), against_baseline(found)) if grid.rows]
    sections = [_measure(outcome, result.measure) for result in found.results]
    plots = _plots("All measures", common_plots(outcome), legend(outcome))
    parts = [*tables, plots, "<h2>Measure by measure</h2>", *sections]
    return '<div class="report">\n' + "\n".join(parts) + "\n</div>"


def _table(grid: TextTable, kind: str = "") -> str:
    head = "".join(f"<th>{escape(heading)}</th>" for heading in grid.headings)
    rows = "".join(f"<tr>{''.join(map(_cell, row))}</tr>\n" for row in grid.rows)
    note = f"<p>{escape(grid.note)}</p>" if grid.note else ""
    table = f'<table class="{kind}"><thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody></table>'
    return f'<p>{escape(grid.title)}</p>\n<div class="scroll">{table}</div>{note}'


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
        f'<li><svg viewBox="0 0 28 10" aria-hidden="true"><path class="line" stroke="{line.colour}" '
        f'stroke-dasharray="{line.dash}" d="M0 5H28"/></svg>{escape(line.name)}</li>'
        for line in lines
    )
    return f'<ul class="legend">{"".join(entries)}</ul>'


def _measure(outcome: EvaluationOutcome, measure: str) -> str:
    """What there is to see of one measure, folded up."""
    found, judged = outcome.evaluation, outcome.judged
    plots = "\n".join(
        _figure(plot, picture) for plot in measure_plots(outcome, measure) if (picture := svg(plot))
    )
    grids = (
        [] if measure == found.baseline else [_losses(worst_losses(judged, found, measure), found.baseline)]
    )
    if measure in outcome.scores:
        scores = outcome.scores[measure]
        grids.append(
            _examples("High scores for irrelevant pairs", best_wrong(judged, scores, found.relevant))
        )
        grids.append(_examples("Low scores for relevant pairs", worst_right(judged, scores, found.relevant)))
    tables = "\n".join(_table(grid, "text") for grid in grids if grid.rows)
    opened = " open" if len(found.results) <= UNFOLDED and measure != found.baseline else ""
    content = f'<div class="plots">{plots}</div>\n{tables}'
    return f"<details{opened}><summary>{escape(measure)}</summary>\n{content}</details>"


def _losses(changes: Iterable[GroupChange], baseline: str) -> TextTable:
    rows = [
        [
            each.group,
            f"{each.relevant:,} of {each.pairs:,}",
            format_number(each.before),
            format_number(each.after),
            f"{each.after - each.before:+.3f}",
        ]
        for each in changes
    ]
    heads = ["group", "relevant", f"AP of {baseline}", "AP", "difference"]
    return TextTable(f"The worst losses against {baseline}", heads, rows)


def _examples(title: str, examples: Iterable[Example]) -> TextTable:
    rows = [
        [
            each.query,
            each.candidate,
            f"{each.grade:g}",
            format_number(each.score),
            f"{each.rank:,} of {each.of:,}",
        ]
        for each in examples
    ]
    return TextTable(f"{title}, one a group", ["query", "candidate", "grade", "score", "rank"], rows)
