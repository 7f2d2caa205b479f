"""`querykin train combination`: a trained combination of measures."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from querykin.cli.evaluate import ColumnsOption, RelevantOption, WhereOption
from querykin.cli.options import (
    DEFAULT_WORKSPACE,
    ConfigOption,
    InfoFormatOption,
    QuietOption,
    TerminalProgress,
    WorkspaceOption,
    check_format,
    measure_names,
    open_workspace,
)
from querykin.counted_nouns import counted

if TYPE_CHECKING:
    from querykin.model_files import Model


def combination(
    file: Annotated[
        str,
        typer.Argument(
            help="Judged pairs: TSV, CSV or JSONL with query, candidate, grade and optionally group; "
            "'-' is stdin."
        ),
    ],
    measures: Annotated[str, typer.Option("--measures", help="Names of measures, separated by commas.")],
    name: Annotated[str, typer.Option("--name", help="Name of the combination, as a measure.")],
    learner: Annotated[str, typer.Option("--learner", help="logistic or trees.")] = "logistic",
    loss: Annotated[
        str,
        typer.Option(
            "--loss", help="preference: order of a query's candidates; metric: pairs independently."
        ),
    ] = "preference",
    relevant: RelevantOption = None,
    columns: ColumnsOption = "",
    where: WhereOption = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Random seed for folds and samples.")] = 0,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: InfoFormatOption = "text",
    quiet: QuietOption = False,
) -> None:
    """Train a combination of measures on judged pairs; the result is a new measure."""
    from querykin.learning.combination.training import CombinationTask, train_combination

    check_format(format, "text", "json")
    names = measure_names(measures, "train combination FILE")
    progress = TerminalProgress(quiet)
    task = CombinationTask(file, name, names, learner, loss, relevant, columns, where or (), seed, progress)
    model = train_combination(open_workspace(workspace, config, progress), task)
    typer.echo(_trained_text(model) if format == "text" else json.dumps(asdict(model), ensure_ascii=False))


def _trained_text(model: "Model") -> str:
    from querykin.evaluation.tables import text
    from querykin.learning.combination.report import report_tables, verdict

    facts = model.training
    lines = [
        f"{counted(facts['pairs'], 'pair')} in {counted(facts['groups'], 'group')}, "
        f"relevant from grade {facts['relevant']:g}"
    ]
    lines += [text(grid) for grid in report_tables(model.name, facts["report"], model.content) if grid.rows]
    lines += [remark] if (remark := verdict(facts["report"])) else []
    first_stage = " and ".join(model.content["first_stage"])
    retrieval = f"; candidates are retrieved by {first_stage}" if first_stage else ""
    lines.append(f"saved as {model.name!r}{retrieval}; next: querykin similarity A B --measure {model.name}")
    return "\n\n".join(lines)
