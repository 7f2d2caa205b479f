"""`querykin repository`: add, mine and remove past queries."""

import json
from itertools import chain
from typing import Annotated

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

app = typer.Typer(
    help="Add, mine and remove past queries, the candidates for suggestions.", no_args_is_help=True
)


@app.command()
def add(
    files: Annotated[
        list[str],
        typer.Argument(
            help="One query per line, query<TAB>count, .csv and .tsv with a query or keyword column, .jsonl; "
            "'-' is standard input."
        ),
    ],
    columns: Annotated[
        str,
        typer.Option(
            "--columns",
            help="Columns of the files, as in query=Suchanfrage,count=Klicks. "
            "Default: recognised by their headers.",
        ),
    ] = "",
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> None:
    """Add past queries; the counts of known queries are summed. All or nothing."""
    from querykin.io.query_files import read_queries

    progress = TerminalProgress(quiet)
    skipped_records = SkippedRecords(progress)
    lists = [
        read_queries(file, skipped_records, columns=columns, noted=lambda read: progress.message(str(read)))
        for file in files
    ]
    repository = open_workspace(workspace, config).repository
    change = repository.add((query, count) for query, count, _ in chain.from_iterable(lists))
    if not change.added and not change.merged:
        raise InputError(f"no queries in {', '.join(files)}; nothing was added")
    merged = f", {change.merged:,} merged with known ones" if change.merged else ""
    skipped = f", {skipped_records.count:,} lines skipped" if skipped_records.count else ""
    progress.message(
        f"added {change.added:,} queries{merged}{skipped}; the repository now has {len(repository):,}"
    )


@app.command()
def remove(
    queries: Annotated[list[str], typer.Argument(help="Queries to remove.")],
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> None:
    """Remove queries. All or nothing: an unknown query is an error."""
    repository = open_workspace(workspace, config).repository
    removed = repository.remove(queries)
    TerminalProgress(quiet).message(
        f"removed {removed:,} queries; the repository now has {len(repository):,}"
    )


@app.command()
def info(
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: InfoFormatOption = "text",
    quiet: QuietOption = False,
) -> None:
    """Show the number of queries and the indexes built."""
    check_format(format, "text", "json")
    opened = open_workspace(workspace, config)
    facts = {"queries": len(opened.repository), "asked": int(opened.repository.counts.sum())}
    rows = {name: index.live_rows(opened.repository) for name, index in opened.indexes.built().items()}
    indexed = {name: sum(int(mask.sum()) for mask in masks) for name, masks in rows.items()}
    if format == "json":
        typer.echo(json.dumps({**facts, "indexed": indexed}))
    else:
        for name, value in {**facts, **{f"in {name}": count for name, count in indexed.items()}}.items():
            typer.echo(f"{name:25} {value:>10,}")


@app.command()
def mine(
    limit: Annotated[int, typer.Option("--limit", min=1, help="Maximum number of queries.")] = 100_000,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> None:
    """Add titles and salient phrases of the corpus as queries, in place of a query log."""
    from querykin.querylog.query_mining import mine_queries

    opened = open_workspace(workspace, config)
    if not len(opened.corpus):
        raise InputError(f"the corpus in {workspace} is empty; next: querykin corpus add FILE")
    change = opened.repository.add(mine_queries(opened.corpus, limit))
    TerminalProgress(quiet).message(
        f"mined {change.added:,} new queries from {len(opened.corpus):,} documents "
        f"({change.merged:,} were known); the repository now has {len(opened.repository):,}"
    )
