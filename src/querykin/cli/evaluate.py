"""`querykin evaluate` and `querykin agreement`: metrics of measures and agreement of raters."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from querykin.cli.options import (
    DEFAULT_WORKSPACE,
    ConfigOption,
    InfoFormatOption,
    MaxRequestsOption,
    OfflineOption,
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
    typer.Option(
        "--columns", help="Column names of the file, as in query=anchor,candidate=target,grade=score."
    ),
]
WhereOption = Annotated[
    list[str] | None, typer.Option("--where", help="Keep rows with COLUMN=VALUE; may be repeated.")
]
RelevantOption = Annotated[
    float | None,
    typer.Option(
        "--relevant", help="Minimum grade of a relevant pair. Default: above the middle of the scale."
    ),
]


def evaluate(
    file: Annotated[
        str,
        typer.Argument(
            help="Judged pairs: TSV, CSV or JSONL with query, candidate, grade, optionally group and rater; "
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
        str | None, typer.Option("--baseline", help="Measure to compare the others with. Default: the first.")
    ] = None,
    run: Annotated[
        list[str] | None, typer.Option("--run", help="A ranking in TREC format; may be repeated.")
    ] = None,
    folds: Annotated[
        int | None,
        typer.Option("--folds", min=2, help="Cross-validate trained measures in N folds over the groups."),
    ] = None,
    pool: Annotated[
        str | None,
        typer.Option("--pool", help="Search the queries of this file and all judged candidates as one pool."),
    ] = None,
    against: Annotated[
        Path | None, typer.Option("--against", help="Compare with a previous evaluation, a JSON file.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write a report with plots and examples.")
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Random seed for the order of ties and significance tests.")
    ] = 0,
    offline: OfflineOption = False,
    max_requests: MaxRequestsOption = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: Annotated[str, typer.Option("--format", help="text, json, jsonl, tsv or markdown.")] = "text",
    quiet: QuietOption = False,
) -> None:
    """Compare measures on judged pairs: metrics, significance tests, confidence intervals, HTML report."""
    from querykin.evaluation.previous_run import compare_with_previous_run, read_previous_run
    from querykin.evaluation.report import write_report
    from querykin.experiments.evaluation import EvaluationTask, evaluate_file
    from querykin.io.query_files import read_queries

    check_format(format, "text", "json", "jsonl", "tsv", "markdown")
    if html and (html.is_dir() or not html.absolute().parent.is_dir()):
        raise InputError(f"--html must name a file in an existing folder, got {html}")
    progress = TerminalProgress(quiet)
    previous = read_previous_run(against) if against else None
    names = list(dict.fromkeys(name.strip() for name in measures.split(",") if name.strip()))
    pool_texts = (query for query, _, _ in read_queries(pool, SkippedRecords(progress))) if pool else None
    if folds and (run or pool):
        raise InputError("--folds needs --measures on judged pairs: omit --run and --pool")
    opened = open_workspace(workspace, config, progress, offline=offline, max_requests=max_requests)
    task = EvaluationTask(
        file, names, columns, where or (), run or (), pool_texts, relevant, baseline, folds, seed, progress
    )
    outcome = evaluate_file(opened, task)
    compared = compare_with_previous_run(previous, outcome.evaluation, seed) if previous else None
    if html:
        write_report(outcome, Path(file).name, html)
    _remarks(outcome, progress)
    if previous and not previous.comparable(outcome.evaluation):
        progress.message(
            f"{previous.name} has other judgements: differences are without confidence intervals"
        )
    _write(outcome.evaluation, compared, previous.name if previous else "", format)
    _store(opened.path, outcome, Path(file).name, progress)


def _store(workspace: Path, outcome: "EvaluationOutcome", name: str, progress: TerminalProgress) -> None:
    """Store the evaluation for the reports page of the service, if the workspace is writable."""
    from querykin.evaluation.history import store_run
    from querykin.storage.store import is_writable

    if workspace.is_dir() and is_writable(workspace):
        try:
            store_run(workspace / "evaluations", outcome, name)
        except OSError as error:
            progress.message(f"the evaluation was not stored in {workspace}: {error.strerror}")


def _remarks(outcome: "EvaluationOutcome", progress: TerminalProgress) -> None:
    from querykin.evaluation.tables import remark
    from querykin.measures import measures

    from_columns = [name for name in outcome.judged.scores if name in list(measures)]
    if from_columns:
        progress.message(f"read from columns of the file, not computed: {', '.join(from_columns)}")
    if outcome.seen:
        progress.message(
            f"trained on these judgements, so the results do not generalize to other queries: "
            f"{', '.join(outcome.seen)}; next: --folds 10"
        )
    if missing := remark(outcome.evaluation):
        progress.message(missing)


def _write(evaluation: "Evaluation", compared: "Differences | None", previous: str, form: str) -> None:
    from querykin.evaluation import tables

    if form == "json":
        typer.echo(json.dumps(tables.as_json(evaluation, compared), ensure_ascii=False))
    elif form == "jsonl":
        for result in tables.results_json(evaluation, compared):
            typer.echo(json.dumps(result, ensure_ascii=False))
    elif form == "tsv":
        typer.echo(tables.as_tsv(evaluation))
    else:
        grids = [tables.overview(evaluation), tables.against_baseline(evaluation)]
        grids += [tables.against_previous_run(previous, compared)] if compared else []
        layout = tables.markdown if form == "markdown" else tables.text
        typer.echo("\n\n".join(layout(grid) for grid in grids if grid.rows))


def agreement(
    file: Annotated[
        str,
        typer.Argument(
            help="TSV, CSV or JSONL with query, candidate, grade, rater, optionally group; '-' is stdin."
        ),
    ],
    relevant: RelevantOption = None,
    columns: ColumnsOption = "",
    where: WhereOption = None,
    format: InfoFormatOption = "text",
    quiet: QuietOption = False,
) -> None:
    """Show the agreement of raters: kappas of grades, relevance and preferences, and the confusion matrix."""
    from querykin.evaluation.inter_rater import agreement_json, agreement_tables, rater_agreement
    from querykin.evaluation.tables import text
    from querykin.io.judgement_files import open_judged_pairs

    check_format(format, "text", "json")
    with TerminalProgress(quiet).task("reading", None) as done:
        judged = open_judged_pairs(file, columns, where or (), raters=True).read(done=done)
    result = rater_agreement(judged, relevant)
    if format == "json":
        typer.echo(json.dumps(agreement_json(result), ensure_ascii=False))
    else:
        typer.echo("\n\n".join(map(text, agreement_tables(result))))
