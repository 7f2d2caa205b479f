"""`querykin repository`: add, mine, remove and list past queries."""

import json
from collections.abc import Iterator
from typing import Annotated

import typer

from querykin.cli import repository_listing
from querykin.cli.changes import DryRunOption, ReplaceOption, SourceOption, describe, show_sources
from querykin.cli.options import (
    DEFAULT_WORKSPACE,
    ConfigOption,
    InfoFormatOption,
    OnOption,
    QuietOption,
    SkippedRecords,
    TerminalProgress,
    WorkspaceOption,
    check_format,
    open_workspace,
)
from querykin.counted_nouns import counted
from querykin.errors import InputError

app = typer.Typer(
    help="Add, mine, remove and list past queries, the candidates for suggestions.", no_args_is_help=True
)
app.command("list")(repository_listing.list_queries)
app.command()(repository_listing.export)


@app.command()
def add(
    files: Annotated[
        list[str],
        typer.Argument(
            help="One query per line, query<TAB>count, or a query or keyword column in .csv .tsv .xlsx "
            ".jsonl .json .parquet .arrow; each also .gz .xz .bz2 .zst, or in a .zip; '-' is standard input."
        ),
    ],
    columns: Annotated[
        str,
        typer.Option(
            "--columns",
            help="Columns of the files, as in query=Suchanfrage,count=Klicks. "
            "Default: recognized by their headers.",
        ),
    ] = "",
    source: SourceOption = None,
    replace: ReplaceOption = False,
    dry_run: DryRunOption = False,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> None:
    """Add past queries; the counts of known queries are summed. All or nothing.

    A file that was added before, under the same source, is recognized by its content and changes nothing.
    """
    from querykin.io.columns import ColumnsRead
    from querykin.io.query_files import read_queries
    from querykin.querylog.query_sources import collect_queries

    progress = TerminalProgress(quiet)
    skipped_records = SkippedRecords(progress)
    columns_read: list[ColumnsRead] = []

    def read(file: str) -> Iterator[tuple[str, int, str]]:
        return read_queries(file, skipped_records, columns=columns, noted=columns_read.append)

    contents = collect_queries(files, read, source)
    repository = open_workspace(workspace, config, progress, command="repository add").repository
    change = repository.add_contents(contents, replace=replace, dry_run=dry_run)
    repeated = f", {change.repeated:,} repeated in the input" if change.repeated else ""
    for file_read in columns_read:
        progress.message(str(file_read))
    skipped_records.list_files()
    skipped = f", {counted(skipped_records.count, 'line')} skipped" if skipped_records.count else ""
    result = "nothing was written" if dry_run else f"the repository now has {len(repository):,}"
    progress.message(f"{describe(change, 'query', dry_run)}{repeated}{skipped}; {result}")


@app.command()
def remove(
    queries: Annotated[list[str] | None, typer.Argument(help="Queries to remove.")] = None,
    source: Annotated[str | None, typer.Option("--source", help="Remove the counts of a source.")] = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> None:
    """Remove queries, or the share of a source in the counts. All or nothing: an unknown one is an error."""
    if bool(queries) == (source is not None):
        raise InputError("repository remove needs queries, or --source NAME without them")
    progress = TerminalProgress(quiet)
    repository = open_workspace(workspace, config, progress).repository
    change = repository.remove_source(source) if source is not None else repository.remove(queries or [])
    counts = f", changed {counted(change.replaced, 'count')}" if change.replaced else ""
    progress.message(
        f"removed {counted(change.removed, 'query')}{counts}; the repository now has {len(repository):,}"
    )


@app.command()
def info(
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: InfoFormatOption = "text",
    quiet: QuietOption = False,
) -> None:
    """Show the number of queries, their sources and the indexes built."""
    check_format(format, "text", "json")
    opened = open_workspace(workspace, config, TerminalProgress(quiet))
    facts = {"queries": len(opened.repository), "asked": opened.repository.totals().asked}
    rows = {name: index.live_rows(opened.repository) for name, index in opened.indexes.built().items()}
    indexed = {name: sum(int(mask.sum()) for mask in masks) for name, masks in rows.items()}
    if format == "json":
        typer.echo(json.dumps({**facts, "indexed": indexed, "sources": opened.repository.sources()}))
    else:
        for name, value in {**facts, **{f"in {name}": count for name, count in indexed.items()}}.items():
            typer.echo(f"{name:25} {value:>10,}")
        show_sources(opened.repository.sources())


@app.command()
def mine(
    limit: Annotated[int, typer.Option("--limit", min=1, help="Maximum number of queries.")] = 100_000,
    on: OnOption = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> None:
    """Take titles and salient phrases of the corpus as queries, in place of a query log.

    They are the source "mined", and replace what was mined before.
    """
    progress = TerminalProgress(quiet)
    opened = open_workspace(workspace, config, progress, on=on)
    change = opened.mine(limit)
    progress.message(
        f"mined {counted(len(opened.corpus), 'document')}: {describe(change, 'query')}; "
        f"the repository now has {len(opened.repository):,}"
    )
