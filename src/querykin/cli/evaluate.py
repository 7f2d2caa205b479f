"""How good are measures, and do the raters agree: `querykin evaluate` and `querykin agreement`."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from querykin.cli.options import (
    DEFAULT_WORKSPACE,
    ConfigOption,
    InfoFormatOption,
    QuietOption,
    SkippedRecords,
    TerminalProgress,
    WorkspaceOption,
    check_format,
    open_workspace,
)
from querykin.errors import InputError

if TYPE_CHECKING:
    from querykin.evaluation.outcome import EvaluationOutcome
    from querykin.evaluation.results import Evaluation
    from querykin.evaluation.tables import Differences

ColumnsOption = Annotated[
    str,
    typer.Option("--columns", help="The file's own names, as in query=anchor,candidate=target,grade=score."),
]
WhereOption = Annotated[
    list[str] | None, typer.Option("--where", help="Keep rows by COLUMN=VALUE; may be repeated.")
]
RelevantOption = Annotated[
    float | None,
    typer.Option("--relevant", help="A pair is relevant from this grade on. Default: above the middle."),
]


def evaluate(
    file: Annotated[
        str,
        typer.Argument(
            help="Judged pairs: TSV, CSV or JSONL with query, candidate, grade and perhaps group and rater; "
            "with --run also TREC, BEIR or MS MARCO qrels; '-' is stdin."
        ),
    ],
    measures: Annotated[
        str,
        typer.Option("--measures", help="Names of measures or of columns of the file, separated by commas."),
    ] = "",
    relevant: RelevantOption = None,
    columns: ColumnsOption = "",
    where: WhereOption = None,
    baseline: Annotated[
        str | None, typer.Option("--baseline", help="What the others are compared with. Default: the first.")
    ] = None,
    run: Annotated[
        list[str] | None, typer.Option("--run", help="A ranking in TREC's form; may be repeated.")
    ] = None,
    folds: Annotated[
        int | None,
        typer.Option("--folds", min=2, help="Learn trained measures anew in so many folds over the groups."),
    ] = None,
    pool: Annotated[
        str | None,
        typer.Option("--pool", help="Search these queries and all judged candidates, as one pool."),
    ] = None,
    against: Annotated[
        Path | None, typer.Option("--against", help="Compare with an earlier evaluation, kept as JSON.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write a report with plots and examples.")
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="For the order of equal scores and for tests.")
    ] = 0,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: Annotated[str, typer.Option("--format", help="text, json, jsonl, tsv or markdown.")] = "text",
    quiet: QuietOption = False,
) -> None:
    """Compare measures on judged pairs: metrics, significance, intervals, and a report as a page."""
    from querykin.evaluation.previous_run import compare_with_previous_run, read_previous_run
    from querykin.evaluation.report import write_report
    from querykin.experiments.evaluation import EvaluationTask, evaluate_file
    from querykin.io.query_files import read_queries

    check_format(format, "text", "json", "jsonl", "tsv", "markdown")
    if html and (html.is_dir() or not html.absolute().parent.is_dir()):
        raise InputError(f"--html must name a file in a folder that is there, got {html}")
    progress = TerminalProgress(quiet)
    earlier = read_previous_run(against) if against else None
    names = list(dict.fromkeys(name.strip() for name in measures.split(",") if name.strip()))
    more = (query for query, _, _ in read_queries(pool, SkippedRecords(progress))) if pool else None
    if folds and (run or pool):
        raise InputError("--folds is for --measures on judged pairs: leave out --run and --pool")
    opened = open_workspace(workspace, config, quiet)

    task = EvaluationTask(
        file, names, columns, where or (), run or (), more, relevant, baseline, folds, seed, progress
    )
    outcome = evaluate_file(opened, task)
    compared = compare_with_previous_run(earlier, outcome.evaluation, seed) if earlier else None
    if html:
        write_report(outcome, Path(file).name, html)
    _remarks(outcome, progress)
    if earlier and not earlier.comparable(outcome.evaluation):
        progress.message(f"{earlier.name} stands on other judgements: differences come without intervals")
    _write(outcome.evaluation, compared, earlier.name if earlier else "", format)
    _keep(workspace, outcome, Path(file).name, progress)


def _keep(workspace: Path, outcome: "EvaluationOutcome", name: str, progress: TerminalProgress) -> None:
    """The page of reports shows what was measured lately; a workspace that cannot be written goes without."""
    from querykin.evaluation.history import keep

    if workspace.is_dir() and os.access(workspace, os.W_OK):
        try:
            keep(workspace / "evaluations", outcome, name)
        except OSError as error:
            progress.message(f"the evaluation was not kept in {workspace}: {error.strerror}")


def _remarks(outcome: "EvaluationOutcome", progress: TerminalProgress) -> None:
    from querykin.evaluation.tables import remark
    from querykin.measures import measures

    taken = [name for name in outcome.judged.scores if name in list(measures)]
    if taken:
        progress.message(f"taken from the file's columns, not computed: {', '.join(taken)}")
    if outcome.seen:
        progress.message(
            f"learnt from these very judgements, so this says nothing of other queries: "
            f"{', '.join(outcome.seen)}; next: --folds 10"
        )
    if missing := remark(outcome.evaluation):
        progress.message(missing)


def _write(found: "Evaluation", compared: "Differences | None", earlier: str, form: str) -> None:
    from querykin.evaluation import tables

    if form == "json":
        typer.echo(json.dumps(tables.as_json(found, compared), ensure_ascii=False))
    elif form == "jsonl":
        for result in tables.results_json(found, compared):
            typer.echo(json.dumps(result, ensure_ascii=False))
    elif form == "tsv":
        typer.echo(tables.as_tsv(found))
    else:
        grids = [tables.overview(found), tables.against_baseline(found)]
        grids += [tables.against_previous_run(earlier, compared)] if compared else []
        shown = tables.markdown if form == "markdown" else tables.text
        typer.echo("\n\n".join(shown(grid) for grid in grids if grid.rows))


def agreement(
    file: Annotated[
        str,
        typer.Argument(
            help="TSV, CSV or JSONL with query, candidate, grade, rater, and perhaps group; '-' is stdin."
        ),
    ],
    relevant: RelevantOption = None,
    columns: ColumnsOption = "",
    where: WhereOption = None,
    format: InfoFormatOption = "text",
    quiet: QuietOption = False,
) -> None:
    """Show how far raters agree: kappas of grades, relevance and preferences, and the confusion of grades."""
    from querykin.evaluation.rater_agreement import agreement_json, agreement_tables, rater_agreement
    from querykin.evaluation.tables import text
    from querykin.io.judgement_files import open_judged_pairs

    check_format(format, "text", "json")
    with TerminalProgress(quiet).task("reading", None) as done:
        judged = open_judged_pairs(file, columns, where or (), raters=True).read(done=done)
    found = rater_agreement(judged, relevant)
    if format == "json":
        typer.echo(json.dumps(agreement_json(found), ensure_ascii=False))
    else:
        typer.echo("\n\n".join(map(text, agreement_tables(found))))
