"""`querykin log`: add, remove and show the search log."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from querykin.cli.changes import DryRunOption, ReplaceOption, SourceOption, show_sources
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
from querykin.counted_nouns import counted

if TYPE_CHECKING:
    from querykin.logs.log_counter import LogTotals

app = typer.Typer(
    help="Add, remove and show the search log: sessions, clicks and reformulations.", no_args_is_help=True
)


@app.command()
def add(
    files: Annotated[
        list[str],
        typer.Argument(
            help="Tables: session, time, query (and url); query, url, count; or query, reformulation, count; "
            ".csv .tsv .xlsx .jsonl .json .parquet .arrow, also .gz .xz .bz2 .zst; archives of them (.zip); "
            "'-' is standard input."
        ),
    ],
    columns: Annotated[
        str,
        typer.Option(
            "--columns",
            help="Columns of the files, as in session=visit,query=q,url=page. "
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
    """Count sessions, clicks and reformulations. All or nothing.

    Sessions are dropped when they are counted; one that goes on in another file is recognized if both files
    are given together. Queries that enough sessions asked become candidates, the source "search-log"
    of the repository. Content that the log has already changes nothing.
    """
    from querykin.io.log_files import read_logs
    from querykin.storage.source_names import LOG_SOURCE, default_source

    progress = TerminalProgress(quiet)
    skipped = SkippedRecords(progress)
    records = read_logs(files, skipped, columns, lambda read: progress.message(str(read)))
    opened = open_workspace(workspace, config, progress)
    change = opened.add_log(records, source or default_source(files[0]), replace=replace, dry_run=dry_run)
    skipped.list_files()
    rows = f", {counted(skipped.count, 'row')} skipped" if skipped.count else ""
    if change.is_known:
        progress.message(f"nothing changed: the log has this content already{rows}")
        return
    offered = counted(opened.repository.sources().get(LOG_SOURCE, 0), "query")
    result = "nothing was written" if dry_run else f"{offered} of enough sessions can be offered"
    verb = "dry run: would add" if dry_run else "added"
    progress.message(f"{verb} {_described(change.totals)}{rows}; {result}")


def _described(totals: "LogTotals") -> str:
    parts = (
        counted(totals.sessions, "session"),
        counted(totals.queries, "query"),
        counted(totals.pages, "clicked page"),
        counted(totals.reformulations, "reformulation"),
    )
    left_out = f", without {counted(totals.left_out, 'session')} of too many queries or rows"
    return ", ".join(part for part in parts if not part.startswith("0 ")) + left_out * bool(totals.left_out)


@app.command()
def remove(
    source: Annotated[str, typer.Option("--source", help="Remove what this source has added.")],
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> None:
    """Remove what a source has added to the log."""
    progress = TerminalProgress(quiet)
    opened = open_workspace(workspace, config, progress)
    removed = opened.remove_log(source)
    progress.message(f"removed {counted(removed, 'addition')}; the log now has {len(opened.log):,}")


@app.command()
def info(
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: InfoFormatOption = "text",
    quiet: QuietOption = False,
) -> None:
    """Show the number of sessions and queries, those that may be offered, and the sources."""
    check_format(format, "text", "json")
    opened = open_workspace(workspace, config, TerminalProgress(quiet))
    facts = opened.log_info()
    if format == "json":
        typer.echo(json.dumps({**facts, "sources": opened.log.sources()}))
    else:
        for name, value in facts.items():
            typer.echo(f"{name:25} {value:>10,}")
        show_sources(opened.log.sources())
