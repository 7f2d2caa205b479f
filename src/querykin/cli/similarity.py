"""`querykin similarity` and `querykin score`: scores and explanations of pairs of texts."""

import json
import sys
from typing import Annotated, Any

import typer

from querykin.cli.options import (
    DEFAULT_WORKSPACE,
    ConfigOption,
    FormatOption,
    MaxRequestsOption,
    OfflineOption,
    QuietOption,
    TableFormatOption,
    TerminalProgress,
    WorkspaceOption,
    check_format,
    measure_names,
    open_workspace,
    warn_of_small_corpus,
)
from querykin.counted_nouns import counted
from querykin.defaults import DEFAULT_MEASURE
from querykin.types import explanation_json


def similarity(
    a: Annotated[str, typer.Argument(help="The first text.")],
    b: Annotated[str, typer.Argument(help="The second text.")],
    measure: Annotated[
        list[str] | None,
        typer.Option("--measure", help="Name of a measure; may be repeated. Default: all that are ready."),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain", help=f"Show shared terms and passages (default measure: {DEFAULT_MEASURE})."
        ),
    ] = False,
    offline: OfflineOption = False,
    max_requests: MaxRequestsOption = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: FormatOption = "text",
    quiet: QuietOption = False,
) -> None:
    """Show the similarity of two texts under all measures, or under those named."""
    from querykin.cli import render
    from querykin.measures.batch_scorer import similarity_json

    check_format(format, "text", "json", "jsonl", "tsv")
    opened = open_workspace(
        workspace,
        config,
        TerminalProgress(quiet),
        offline=offline,
        max_requests=max_requests,
        command="similarity",
    )
    opened.ask([a, b], measure or [DEFAULT_MEASURE])
    names = measure or ([DEFAULT_MEASURE] if explain else opened.measures())
    warn_of_small_corpus(opened, names)
    if explain:
        explanations = [opened.explain(a, b, name) for name in names]
        if format == "text":
            for explanation in explanations:
                render.explanation(explanation, opened.analyzer)
        else:
            _write_explanations([explanation_json(explanation) for explanation in explanations], format)
        return
    scores = {name: opened.similarity(a, b, name) for name in names}
    percentiles = {name: opened.percentile(score, name) for name, score in scores.items()}
    if format == "text":
        render.scores(a, b, scores, percentiles)
    elif format == "tsv":
        typer.echo("measure\tscore\tpercentile")
        for name, score in scores.items():
            percentile = percentiles[name]
            typer.echo(f"{name}\t{score:.9g}\t{'' if percentile is None else f'{percentile:.3f}'}")
    else:
        typer.echo(json.dumps(similarity_json(a, b, scores, percentiles), ensure_ascii=False))


def _write_explanations(explanations: list[dict[str, Any]], form: str) -> None:
    if form == "tsv":
        typer.echo("measure\tterm\tshare")
        for explanation in explanations:
            for part in explanation["contributions"]:
                typer.echo(f"{explanation['measure']}\t{part['term']}\t{part['share']:.9g}")
    elif form == "jsonl" or len(explanations) == 1:
        for explanation in explanations:
            typer.echo(json.dumps(explanation, ensure_ascii=False))
    else:
        typer.echo(json.dumps(explanations, ensure_ascii=False))


def score(
    pairs: Annotated[
        str, typer.Argument(help="TSV, CSV or JSONL with columns query and candidate; '-' is stdin.")
    ],
    measures: Annotated[str, typer.Option("--measures", help="Names of measures, separated by commas.")],
    columns: Annotated[
        str, typer.Option("--columns", help="Column names of the file, as in query=anchor,candidate=target.")
    ] = "",
    offline: OfflineOption = False,
    max_requests: MaxRequestsOption = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: TableFormatOption = None,
    quiet: QuietOption = False,
) -> None:
    """Write the rows of a file with one more column per measure, in the same order."""
    from querykin.io.tables import FORMS, TableWriter, as_text, chunks, column_names, read_table
    from querykin.measures.batch_scorer import ROWS, BatchScorer

    if format is not None:
        check_format(format, *FORMS)
    query, candidate = column_names(columns, ("query", "candidate"))
    names = measure_names(measures, "score PAIRS")
    progress = TerminalProgress(quiet)
    opened = open_workspace(
        workspace, config, progress, offline=offline, max_requests=max_requests, command="similarity"
    )
    table = read_table(pairs, (query, candidate))
    rows_read = table.rows
    if opened.asks_elsewhere:
        rows_read = iter(known := list(table.rows))
        opened.ask([as_text(row.get(column)) for row in known for column in (query, candidate)], names)
    scorer = BatchScorer({name: opened.measure(name) for name in names})
    writer = TableWriter(sys.stdout, format or table.form, table.columns, names, table.dialect)
    done = 0
    with progress.task("scoring", None) as advance:
        for rows in [list(rows_read)] if scorer.listwise else chunks(rows_read, ROWS):
            sides = [[as_text(row.get(column)) for row in rows] for column in (query, candidate)]
            writer.write(rows, scorer.score(*sides))
            done += len(rows)
            advance(len(rows))
    progress.message(f"scored {counted(done, 'pair')}")
