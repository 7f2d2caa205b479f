"""`querykin cluster`: keywords grouped around heads."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from querykin.cli.options import (
    DEFAULT_WORKSPACE,
    ConfigOption,
    OnOption,
    QuietOption,
    TerminalProgress,
    WorkspaceOption,
    check_format,
    open_workspace,
    read_keywords,
)
from querykin.counted_nouns import counted

if TYPE_CHECKING:
    from querykin.clustering.clusters import Clustering
    from querykin.io.keyword_tables import KeywordTable
    from querykin.workspace import Workspace

FORMATS = ("text", "tsv", "csv", "json", "jsonl", "google-ads", "rows", "synonyms")


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
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the shared terms of each member with its head.")
    ] = False,
    campaign: Annotated[
        str, typer.Option("--campaign", help="Campaign of the ad groups, for google-ads.")
    ] = "",
    match_type: Annotated[
        str, typer.Option("--match-type", help="Broad, Phrase or Exact, for google-ads.")
    ] = "Broad",
    one_way: Annotated[
        bool,
        typer.Option("--one-way", help="Members are replaced by their head (member => head), for synonyms."),
    ] = False,
    min_score: Annotated[
        float | None,
        typer.Option(
            "--min-score",
            help="Minimum score of a member that becomes a synonym. Default: the threshold.",
            show_default=False,
        ),
    ] = None,
    on: OnOption = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: Annotated[
        str,
        typer.Option(
            "--format",
            help="text, tsv, csv, json, jsonl; google-ads (Google Ads Editor), rows (of the file, with a "
            "column group), synonyms (OpenSearch, Elasticsearch, Solr).",
        ),
    ] = "text",
    quiet: QuietOption = False,
) -> None:
    """Group keywords around heads: each joins one head that it is similar to."""
    from querykin.cli.cluster_output import ExportOptions, write_clusters
    from querykin.clustering.exports.ads_editor import check_campaign
    from querykin.clustering.thresholds import default_threshold
    from querykin.clustering.variants.keyword_deduplication import keyword_table

    check_format(format, *FORMATS)
    check_campaign(campaign, match_type)
    progress = TerminalProgress(quiet)
    opened = open_workspace(workspace, config, progress, on=on)
    name = opened.clustering_measure(measure).name
    threshold = default_threshold(name) if threshold is None else threshold
    if measure is None and not len(opened.corpus):
        progress.message(
            f"the workspace has no documents: keywords are compared by {name}, general language alone; "
            "querykin corpus add FILE lets documents of your own decide"
        )
    table = None if file is None else read_keywords(file, columns, progress)
    if file is not None and table is not None:
        opened = _keyword_list(opened, table, file, columns)
    found = opened.cluster(name, threshold=threshold)
    write_clusters(
        found,
        format,
        table or keyword_table(opened.repository),
        ExportOptions(campaign, match_type, one_way, min_score),
        opened.retriever(name).measure.explain if explain else None,
        progress,
    )
    if changes := opened.hand_changes.all():
        progress.message(f"with {counted(len(changes), 'change')} by hand, made on the page Clusters")
    progress.message(_summary(found, opened.percentile(threshold, name)))


def _keyword_list(opened: "Workspace", table: "KeywordTable", file: str, columns: str) -> "Workspace":
    """The keywords of a file as the past queries of a workspace over the same corpus."""
    from querykin.clustering.keyword_lists import SourceFile
    from querykin.querylog.counted_queries import CountedQueries

    queries = CountedQueries.collect(zip(table.queries, table.counts, strict=True))
    if file == "-":
        return opened.keyword_list("standard input", queries)
    return opened.keyword_list(Path(file).name, queries, SourceFile(Path(file), columns))


def _summary(found: "Clustering", percentile: float | None) -> str:
    from querykin.retrieval.score_distribution import closer_than

    sizes = [1 + len(each.members) for each in found.clusters]
    grouped = [size for size in sizes if size > 1]
    rank = "" if percentile is None else f", {closer_than(percentile)}"
    return (
        f"{counted(len(grouped), 'cluster')} with {counted(sum(grouped), 'keyword')}, "
        f"{len(sizes) - len(grouped):,} alone, by {found.measure} at {found.threshold:g} or more{rank}"
    )
