"""`querykin cluster`: keywords grouped around heads."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
from querykin.cli.records import write_records
from querykin.counted_nouns import counted

if TYPE_CHECKING:
    from querykin.clustering.clusters import Clustering
    from querykin.workspace import Workspace


def cluster(
    file: Annotated[
        str | None,
        typer.Argument(
            help="A list of keywords, as for repository add; '-' is standard input. "
            "Default: the past queries of the workspace.",
            show_default=False,
        ),
    ] = None,
    measure: Annotated[
        str | None,
        typer.Option(
            "--measure",
            help="The measure to group by. Default: hybrid; embeddings alone without documents.",
            show_default=False,
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option("--threshold", help="Minimum score of a member against its head.", show_default=False),
    ] = None,
    columns: Annotated[
        str, typer.Option("--columns", help="Columns of the file, as in query=Suchanfrage,count=Klicks.")
    ] = "",
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: FormatOption = "text",
    quiet: QuietOption = False,
) -> None:
    """Group keywords around heads: each joins one head that it is similar to."""
    from querykin.clustering.thresholds import default_threshold

    check_format(format, "text", "json", "jsonl", "tsv")
    progress = TerminalProgress(quiet)
    opened = open_workspace(workspace, config, progress)
    name = opened.clustering_measure(measure).name
    threshold = default_threshold(name) if threshold is None else threshold
    if measure is None and not len(opened.corpus):
        progress.message(
            f"the workspace has no documents: keywords are compared by {name}, general language alone; "
            "querykin corpus add FILE lets documents of your own decide"
        )
    if file is not None:
        opened = _keyword_list(opened, file, columns, progress)
    found = opened.cluster(name, threshold=threshold)
    _write(found, format)
    if changes := opened.hand_changes.all():
        progress.message(f"with {counted(len(changes), 'change')} by hand, made on the page Clusters")
    progress.message(_summary(found))


def _keyword_list(opened: "Workspace", file: str, columns: str, progress: TerminalProgress) -> "Workspace":
    """The keywords of a file as the past queries of a workspace over the same corpus."""
    from querykin.io.columns import ColumnsRead
    from querykin.io.query_files import read_queries
    from querykin.querylog.counted_queries import CountedQueries

    skipped, columns_read = SkippedRecords(progress), list[ColumnsRead]()
    rows = read_queries(file, skipped, columns=columns, noted=columns_read.append)
    queries = CountedQueries.collect((query, count) for query, count, _ in rows)
    listed = opened.keyword_list("standard input" if file == "-" else Path(file).name, queries)
    for read in columns_read:
        progress.message(str(read))
    skipped.list_files()
    return listed


def _summary(found: "Clustering") -> str:
    sizes = [1 + len(each.members) for each in found.clusters]
    grouped = [size for size in sizes if size > 1]
    return (
        f"{counted(len(grouped), 'cluster')} with {counted(sum(grouped), 'keyword')}, "
        f"{len(sizes) - len(grouped):,} alone, by {found.measure} at {found.threshold:g} or more"
    )


def _write(found: "Clustering", form: str) -> None:
    from querykin.cli import render
    from querykin.clustering.clusters import TSV_COLUMNS, cluster_json, cluster_rows

    if form == "text":
        render.clusters(found.clusters)
    elif form == "tsv":
        write_records(cluster_rows(found.clusters), TSV_COLUMNS, form)
    else:
        write_records(map(cluster_json, found.clusters), ("head", "count", "members"), form)
