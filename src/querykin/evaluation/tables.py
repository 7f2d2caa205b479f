"""Evaluations as text tables, Markdown, TSV and JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from math import isnan
from typing import Any

from querykin.counted_nouns import counted
from querykin.evaluation.previous_run import STORED_BY_GROUP
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
COMPARED = ("auc", "mean_auc", "map", "recall@100")  # metrics whose differences are shown with intervals
MAIN_METRICS = ("ndcg", "mean_auc", "map", "p@1")  # the first three that an evaluation has
MARKS = {1: "▲", -1: "▼", 0: ""}
Differences = Mapping[str, Mapping[str, Difference]]


@dataclass(frozen=True)
class TextTable:
    """A table of strings with a title, headings and a note that explains its marks."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


def format_number(value: float) -> str:
    """A number with three decimals; '-' for NaN."""
    return "-" if isnan(value) else f"{value:.3f}".replace("-0.000", "0.000")


def overview(evaluation: Evaluation) -> TextTable:
    """One row per measure, with marks where it differs significantly from the baseline."""
    metrics = list(evaluation.results[0].metrics.values)
    rows = [
        [
            result.measure,
            *(
                format_number(result.metrics.values[name]) + _mark(result.differences.get(name))
                for name in metrics
            ),
        ]
        for result in evaluation.results
    ]
    test = "permutation test over groups, p < .05 after Holm's correction"
    note = f"▲ better, ▼ worse than {evaluation.baseline}: {test}" if len(rows) > 1 else ""
    return TextTable(_title(evaluation), ["measure", *(HEADINGS[name] for name in metrics)], rows, note)


def main_columns(evaluation: Evaluation) -> TextTable:
    """One row per measure with the metrics that say most; an overview has all of them."""
    known = evaluation.results[0].metrics.values
    metrics = [name for name in MAIN_METRICS if name in known][:3]
    rows = [
        [result.measure, *(format_number(result.metrics.values[name]) for name in metrics)]
        for result in evaluation.results
    ]
    return TextTable(_title(evaluation), ["measure", *(HEADINGS[name] for name in metrics)], rows)


def _title(evaluation: Evaluation) -> str:
    used, groups = evaluation.usable_groups, evaluation.groups
    means = "" if used == groups else f" (means over {used:,} of them)"
    relevant = f"relevant from grade {evaluation.relevant:g} on"
    return f"{counted(evaluation.pairs, 'pair')} in {counted(groups, 'group')}{means}; {relevant}"


def remark(evaluation: Evaluation) -> str | None:
    """An explanation if means over groups are undefined, else None."""
    if evaluation.usable_groups:
        return None
    return (
        f"no group holds both relevant pairs (grade {evaluation.relevant:g} or more) and others: "
        "there is nothing to put in order, so means over groups are not defined; next: another --relevant"
    )


def _mark(difference: Difference | None) -> str:
    return MARKS[difference.direction] if difference else ""


def against_baseline(evaluation: Evaluation) -> TextTable:
    """Differences from the baseline, with intervals."""
    others = {result.measure: result.differences for result in evaluation.results if result.differences}
    return differences_table(f"Difference from {evaluation.baseline} [95 % interval], p", others)


def against_previous_run(name: str, differences: Differences) -> TextTable:
    """Differences from a previous evaluation."""
    return differences_table(f"Difference from {name} [95 % interval], p", differences)


def differences_table(title: str, differences: Differences) -> TextTable:
    """One row per measure; a table without rows is not meant to be shown."""
    present = next(iter(differences.values()), {})
    metrics = [name for name in COMPARED if name in present]
    rows = [
        [measure, *(_difference(each[name]) for name in metrics)] for measure, each in differences.items()
    ]
    return TextTable(title, ["measure", *(HEADINGS[name] for name in metrics)], rows)


def _difference(difference: Difference) -> str:
    mean, low, high = astuple(difference.interval)
    if isnan(mean):
        return "-"
    interval = "" if isnan(low) else f" [{low:+.3f}, {high:+.3f}]"
    p_value = "" if isnan(difference.permutation_holm) else f" {_p(difference.permutation_holm)}"
    return f"{mean:+.3f}{interval}{p_value}{_mark(difference)}"


def _p(value: float) -> str:
    return "<.001" if value < 0.001 else f"{value:.3f}".removeprefix("0")


def text(table: TextTable) -> str:
    """A table as aligned columns, for the terminal."""
    columns = [_aligned(list(column)) for column in zip(table.headings, *table.rows, strict=True)]
    lines = ["  ".join(cells).rstrip() for cells in zip(*columns, strict=True)]
    return "\n".join([table.title, "", *lines, *(["", table.note] if table.note else [])])


def _aligned(cells: list[str]) -> list[str]:
    """Cells padded to one width; numbers are aligned right unless marks follow them."""
    width = max(map(len, cells))
    numeric = all(cell[:1] in "-+0123456789" and cell[-1:] not in MARKS.values() for cell in cells[1:])
    return [cell.rjust(width) if numeric else cell.ljust(width) for cell in cells]


def markdown(table: TextTable) -> str:
    """A table as Markdown."""
    lines = [
        _line(table.headings),
        _line(["---", *["---:"] * (len(table.headings) - 1)]),
        *map(_line, table.rows),
    ]
    return "\n".join([table.title, "", *lines, *(["", table.note] if table.note else [])])


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def as_tsv(evaluation: Evaluation) -> str:
    """The metrics with nine significant digits, one line per measure."""
    lines = ["\t".join(["measure", *evaluation.results[0].metrics.values])]
    for result in evaluation.results:
        values = (f"{value:.9g}" for value in result.metrics.values.values())
        lines.append("\t".join([result.measure, *values]))
    return "\n".join(lines)


def as_json(evaluation: Evaluation, previous: Differences | None = None) -> dict[str, Any]:
    """An evaluation as JSON; `by_group` allows a later one to be compared with it."""
    return {
        "pairs": evaluation.pairs,
        "groups": evaluation.groups,
        "relevant": evaluation.relevant,
        "judgements": evaluation.fingerprint,
        "results": results_json(evaluation, previous),
        "by_group": {
            result.measure: {
                name: [None if isnan(value) else value for value in result.metrics.by_group[name].tolist()]
                for name in STORED_BY_GROUP
                if name in result.metrics.by_group
            }
            for result in evaluation.results
        },
    }


def results_json(evaluation: Evaluation, previous: Differences | None = None) -> list[dict[str, Any]]:
    """One object per measure: metrics, significance of the differences, differences from a previous run."""
    objects = []
    for result in evaluation.results:
        entry: dict[str, Any] = {"measure": result.measure}
        entry |= {name: plain(value) for name, value in result.metrics.values.items()}
        if len(result.metrics.eleven_points):
            entry["precision_at_recall"] = [plain(value) for value in result.metrics.eleven_points.tolist()]
        compared = {name: _difference_json(each) for name, each in result.differences.items()}
        entry["significance"] = {"baseline": evaluation.baseline, **compared} if compared else {}
        if previous is not None:
            before = previous.get(result.measure, {})
            entry["against"] = {name: _difference_json(each) for name, each in before.items()}
        objects.append(entry)
    return objects


def _difference_json(difference: Difference) -> dict[str, float]:
    """The defined values of a difference."""
    known = {
        **asdict(difference.interval),
        **{name: value for name, value in asdict(difference).items() if name != "interval"},
    }
    return {name: round(value, 9) for name, value in known.items() if not isnan(value)}
