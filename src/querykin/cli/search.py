"""`querykin search`: documents with passages for a query."""

import json
from typing import Annotated

import typer

from querykin.cli.options import (
    DEFAULT_WORKSPACE,
    ConfigOption,
    ExactOption,
    FormatOption,
    QuietOption,
    TerminalProgress,
    WorkspaceOption,
    check_format,
    open_workspace,
    report_correction,
)


def search(
    query: Annotated[str, typer.Argument(help="The query; it need not be in the repository.")],
    k: Annotated[int, typer.Option("-k", min=1, max=200, help="Maximum number of documents.")] = 10,
    exact: ExactOption = False,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: FormatOption = "text",
    quiet: QuietOption = False,
) -> None:
    """Find the documents that answer a query, with the passages that match it."""
    from querykin.search.document_search import hits_json

    check_format(format, "text", "json", "jsonl", "tsv")
    opened = open_workspace(workspace, config, quiet)
    found = opened.search(query, k, exact=exact)
    progress = TerminalProgress(quiet)
    report_correction(found.correction, progress)
    if not found.covered:
        progress.message(f"not covered by the corpus: {found.query!r}")
    if format == "text":
        from querykin.cli import render

        render.hits(found, opened.analyzer)
    elif format == "json":
        typer.echo(json.dumps(hits_json(found), ensure_ascii=False))
    elif format == "jsonl":
        for entry in hits_json(found):
            typer.echo(json.dumps(entry, ensure_ascii=False))
    else:
        typer.echo("rank\tid\ttitle\turl\tscore\tpassage")
        for rank, hit in enumerate(found.hits, start=1):
            cells = (hit.id, hit.title, hit.url, f"{hit.score:.9g}", " ".join(hit.passages))
            typer.echo("\t".join([str(rank), *(" ".join(cell.split()) for cell in cells)]))
