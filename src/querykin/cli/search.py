"""`querykin search`: documents with passages for a query."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from querykin.cli.options import (
    DEFAULT_WORKSPACE,
    ConfigOption,
    ExactOption,
    FormatOption,
    MaxRequestsOption,
    OfflineOption,
    QuietOption,
    TerminalProgress,
    WorkspaceOption,
    check_format,
    open_workspace,
    report_correction,
)

if TYPE_CHECKING:
    from querykin.search.document_search import DocumentHits

_COLUMNS = ("rank", "id", "title", "url", "score", "passage")


def search(
    query: Annotated[str, typer.Argument(help="The query; it need not be in the repository.")],
    k: Annotated[int, typer.Option("-k", min=1, max=200, help="Maximum number of documents.")] = 10,
    exact: ExactOption = False,
    offline: OfflineOption = False,
    max_requests: MaxRequestsOption = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: FormatOption = "text",
    quiet: QuietOption = False,
) -> None:
    """Find the documents that answer a query, with the passages that match it."""
    from querykin.cli.records import write_records
    from querykin.search.document_search import hits_json

    check_format(format, "text", "json", "jsonl", "tsv")
    progress = TerminalProgress(quiet)
    opened = open_workspace(
        workspace, config, progress, offline=offline, max_requests=max_requests, command="search"
    )
    found = opened.search(query, k, exact=exact)
    report_correction(found.correction, progress)
    if not found.covered:
        progress.message(f"not covered by the corpus: {found.query!r}")
    if format == "text":
        from querykin.cli import render

        render.hits(found, opened.analyzer)
    elif format == "tsv":
        write_records(_rows(found), _COLUMNS, format)
    else:
        write_records(hits_json(found), (), format)


def _rows(found: "DocumentHits") -> Iterator[dict[str, Any]]:
    for rank, hit in enumerate(found.hits, start=1):
        cells = (rank, hit.id, hit.title, hit.url, f"{hit.score:.9g}", " ".join(hit.passages))
        yield dict(zip(_COLUMNS, cells, strict=True))
