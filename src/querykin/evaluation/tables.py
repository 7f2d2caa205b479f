"""What do people and programs read? Evaluations as tables of text and as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isnan
from typing import Any

from querykin.evaluation.previous_run import KEPT
from querykin.evaluation.results import Difference, Evaluation
from querykin.io.tables import plain

HEADINGS = {
    "coverage": "covered",
    "auc": "AUC",
    "mean_auc": "mean AUC",
    "map": "MAP",
    "ndcg": "nDCG",
    "p@1": "P@1",
    "p@3": "P@3",
    "p@5": "P@5",
    "spearman": "Spearman",
    "auc_pr": "AUC-PR",
    "tpr@0.1": "TPR@.1",
    "tpr@0.2": "TPR@.2",
    "recall@10": "R@10",
    "recall@100": "R@100",
    "recall@1000": "R@1000",
}
COMPARED = ("auc", "mean_auc", "map", "recall@100")  # differences that are shown with their intervals
MARKS = {1: "▲", -1: "▼", 0: ""}
Differences = Mapping[str, Mapping[str, Difference]]


@dataclass(frozen=True)
class TextTable:
    """A table of text: a line about it, headings, rows, and what its signs mean."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


def format_number(value: float) -> str:
    """A number as people see it; '-' where it is not defined."""
    return "-" if isnan(value) else f"{value:.3f}".replace("-0.000", "0.000")


def overview(found: Evaluation) -> TextTable:
    """One row a measure, with marks where it is significantly better or worse than the baseline."""
    metrics = list(found.results[0].metrics.values)
    rows = [
        [
            result.measure,
            *(
                format_number(result.metrics.values[name]) + _mark(result.differences.get(name))
                for name in metrics
            ),
        ]
        for result in found.results
    ]
    test = "permutation test over groups, p < .05 after Holm's correction"
    note = f"▲ better, ▼ worse than {found.baseline}: {test}" if len(rows) > 1 else ""
    return TextTable(_basis(found), ["measure", *(HEADINGS[name] for name in metrics)], rows, note)


def _basis(found: Evaluation) -> str:
    used = found.usable_groups
    both = "" if used == found.groups else f" ({used:,} of them count in means)"
    return (
        f"{found.pairs:,} pairs in {found.groups:,} groups{both}; relevant from grade {found.relevant:g} on"
    )


def remark(found: Evaluation) -> str | None:
    """What to know when figures are missing."""
    if found.usable_groups:
        return None
    return (
        f"no group holds both relevant pairs (grade {found.relevant:g} or more) and others: "
        "there is nothing to put in order, so means over groups are not defined; next: another --relevant"
    )


def _mark(difference: Difference | None) -> str:
    return MARKS[difference.direction] if difference else ""


def against_baseline(found: Evaluation) -> TextTable:
    """How much better or worse than the baseline, with the intervals."""
    others = {result.measure: result.differences for result in found.results if result.differences}
    return differences_table(f"Difference from {found.baseline} [95 % interval], p", others)


def against_previous_run(name: str, found: Differences) -> TextTable:
    """How much better or worse than in an earlier evaluation."""
    return differences_table(f"Difference from {name} [95 % interval], p", found)


def differences_table(title: str, found: Differences) -> TextTable:
    """One row a measure; no rows, no table."""
    present = next(iter(found.values()), {})
    metrics = [name for name in COMPARED if name in present]
    rows = [[measure, *(_difference(each[name]) for name in metrics)] for measure, each in found.items()]
    return TextTable(title, ["measure", *(HEADINGS[name] for name in metrics)], rows)


def _difference(found: Difference) -> str:
    difference, low, high = found.interval.difference, found.interval.low, found.interval.high
    if isnan(difference):
        return "-"
    interval = "" if isnan(low) else f" [{low:+.3f}, {high:+.3f}]"
    p_value = "" if isnan(found.permutation_holm) else f" {_p(found.permutation_holm)}"
    return f"{difference:+.3f}{interval}{p_value}{_mark(found)}"


def _p(value: float) -> str:
    return "<.001" if value < 0.001 else f"{value:.3f}".removeprefix("0")


def text(grid: TextTable) -> str:
    """A table for the terminal, in columns."""
    columns = [_aligned(list(column)) for column in zip(grid.headings, *grid.rows, strict=True)]
    lines = ["  ".join(cells).rstrip() for cells in zip(*columns, strict=True)]
    return "\n".join([grid.title, "", *lines, *(["", grid.note] if grid.note else [])])


def _aligned(cells: list[str]) -> list[str]:
    """Cells of one width; numbers stand to the right, unless marks hang behind them."""
    width = max(map(len, cells))
    figures = all(cell[:1] in "-+0123456789" and cell[-1:] not in MARKS.values() for cell in cells[1:])
    return [cell.rjust(width) if figures else cell.ljust(width) for cell in cells]


def markdown(grid: TextTable) -> str:
    """A table for a README or an issue."""
    lines = [
        _line(grid.headings),
        _line(["---", *["---:"] * (len(grid.headings) - 1)]),
        *map(_line, grid.rows),
    ]
    return "\n".join([grid.title, "", *lines, *(["", grid.note] if grid.note else [])])


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def as_tsv(found: Evaluation) -> str:
    """The metrics with all their digits, one line a measure."""
    lines = ["\t".join(["measure", *found.results[0].metrics.values])]
    for result in found.results:
        values = (f"{value:.9g}" for value in result.metrics.values.values())
        lines.append("\t".join([result.measure, *values]))
    return "\n".join(lines)


def as_json(found: Evaluation, earlier: Differences | None = None) -> dict[str, Any]:
    """An evaluation as the contract has it; `by_group` lets a later one be compared with it."""
    return {
        "pairs": found.pairs,
        "groups": found.groups,
        "relevant": found.relevant,
        "judgements": found.fingerprint,
        "results": results_json(found, earlier),
        "by_group": {
            result.measure: {
                name: [None if isnan(value) else value for value in result.metrics.by_group[name].tolist()]
                for name in KEPT
                if name in result.metrics.by_group
            }
            for result in found.results
        },
    }


def results_json(found: Evaluation, earlier: Differences | None = None) -> list[dict[str, Any]]:
    """One object a measure: its metrics, how sure the differences are, and how they were before."""
    listed = []
    for result in found.results:
        entry: dict[str, Any] = {"measure": result.measure}
        entry |= {name: plain(value) for name, value in result.metrics.values.items()}
        if len(result.metrics.eleven_points):
            entry["precision_at_recall"] = [plain(value) for value in result.metrics.eleven_points.tolist()]
        compared = {name: _difference_json(each) for name, each in result.differences.items()}
        entry["significance"] = {"baseline": found.baseline, **compared} if compared else {}
        if earlier is not None:
            before = earlier.get(result.measure, {})
            entry["against"] = {name: _difference_json(each) for name, each in before.items()}
        listed.append(entry)
    return listed


def _difference_json(found: Difference) -> dict[str, float]:
    """What is known of a difference; a test that was not made is left out."""
    known = {
        **asdict(found.interval),
        **{name: value for name, value in asdict(found).items() if name != "interval"},
    }
    return {name: round(value, 9) for name, value in known.items() if not isnan(value)}
