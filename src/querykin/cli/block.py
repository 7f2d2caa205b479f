"""`querykin block`: words, queries and patterns that are never suggested."""

from typing import Annotated

import typer

from querykin.cli.options import (
    DEFAULT_WORKSPACE,
    ConfigOption,
    FormatOption,
    QuietOption,
    SkippedRecords,
    TerminalProgress,
    WorkspaceOption,
    check_format,
    open_workspace,
)
from querykin.errors import InputError

app = typer.Typer(
    help="Block words, queries and patterns: they are never suggested.",
    no_args_is_help=True,
)
EntryArguments = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="ENTRY...",
        help="A word blocks all queries with a word of its stem; several words block that query.",
        show_default=False,
    ),
]
PatternOption = Annotated[
    list[str] | None,
    typer.Option(
        "--pattern",
        help="A glob over whole queries, like 'cheap *'; may be repeated.",
        show_default=False,
    ),
]


@app.command()
def add(
    entries: EntryArguments = None,
    pattern: PatternOption = None,
    file: Annotated[
        str | None, typer.Option("--file", help="Words and queries, one per line; '-' is standard input.")
    ] = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> None:
    """Add entries to the block list: all, or none if one is invalid. Invalid lines of --file are skipped."""
    from querykin.retrieval.block_list import read_entries

    progress = TerminalProgress(quiet)
    skipped = SkippedRecords(progress)
    blocked = [*(entries or ()), *(read_entries(file, skipped) if file else ())]
    _check_given(blocked, pattern, "add")
    block_list = open_workspace(workspace, config, progress).block_list
    added = block_list.add(blocked, pattern or ())
    progress.message(f"blocked {added:,} more; the block list now has {len(block_list.current):,}")
    for entry in entries or ():
        if "*" in entry:
            progress.message(f"{entry!r} is blocked as words, without its *; for a glob: --pattern {entry!r}")


@app.command()
def remove(
    entries: EntryArguments = None,
    pattern: PatternOption = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> None:
    """Remove entries from the block list. All or nothing: an unknown entry is an error."""
    _check_given(entries, pattern, "remove")
    progress = TerminalProgress(quiet)
    block_list = open_workspace(workspace, config, progress).block_list
    removed = block_list.remove(entries or (), pattern or ())
    progress.message(f"unblocked {removed:,}; the block list now has {len(block_list.current):,}")


@app.command("list")
def list_entries(
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: FormatOption = "text",
    quiet: QuietOption = False,
) -> None:
    """Show the block list."""
    from querykin.cli.records import write_records

    check_format(format, "text", "json", "jsonl", "tsv")
    kinds = open_workspace(workspace, config, TerminalProgress(quiet)).block_list.current.kinds()
    if format == "text":
        for kind, entry in kinds:
            typer.echo(f"{kind:8} {entry}")
    else:
        write_records(({"kind": kind, "entry": entry} for kind, entry in kinds), ("kind", "entry"), format)


def _check_given(entries: list[str] | None, patterns: list[str] | None, command: str) -> None:
    if not entries and not patterns:
        raise InputError(
            f"nothing was given to {command}; next: querykin block {command} ENTRY..., or --pattern GLOB"
        )
