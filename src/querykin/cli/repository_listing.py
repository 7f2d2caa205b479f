"""`querykin repository list` and `export`: the past queries as they are stored."""

from itertools import islice
from typing import Annotated

import typer

from querykin.cli.changes import ChosenSourceOption, LimitOption
from querykin.cli.options import (
    DEFAULT_WORKSPACE,
    ConfigOption,
    FormatOption,
    QuietOption,
    TerminalProgress,
    WorkspaceOption,
    check_format,
    open_workspace,
)


def list_queries(
    k: LimitOption = None,
    source: ChosenSourceOption = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: FormatOption = "text",
    quiet: QuietOption = False,
) -> None:
    """List queries by descending count, each with its count and its sources."""
    from querykin.cli.records import write_records

    check_format(format, "text", "tsv", "json", "jsonl")
    queries = islice(
        open_workspace(workspace, config, TerminalProgress(quiet)).repository.by_count(source), k
    )
    records = (
        {"query": each.query, "count": each.count, "source": ", ".join(each.sources)} for each in queries
    )
    write_records(records, ("query", "count", "source"), format)


def export(
    source: ChosenSourceOption = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: Annotated[str, typer.Option("--format", help="tsv, csv or jsonl.")] = "tsv",
    quiet: QuietOption = False,
) -> None:
    """Write every query with its count in each source, for repository add."""
    from querykin.cli.records import write_records
    from querykin.io.query_exports import COLUMNS

    check_format(format, "tsv", "csv", "jsonl")
    repository = open_workspace(workspace, config, TerminalProgress(quiet)).repository
    names = repository.sources() if source is None else [source]
    records = (
        {"query": each.query, "count": each.count, "source": name}
        for name in names
        for each in repository.by_count(name)
    )
    write_records(records, COLUMNS, format)
