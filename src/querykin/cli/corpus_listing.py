"""`querykin corpus list`, `show` and `export`: the documents as they are stored."""

import json
from itertools import islice
from typing import Annotated

import typer

from querykin.cli.changes import ChosenSourceOption, LimitOption
from querykin.cli.options import (
    DEFAULT_WORKSPACE,
    ConfigOption,
    FormatOption,
    InfoFormatOption,
    QuietOption,
    TerminalProgress,
    WorkspaceOption,
    check_format,
    open_workspace,
)

_COLUMNS = ("id", "title", "url", "source")


def list_documents(
    k: LimitOption = None,
    source: ChosenSourceOption = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: FormatOption = "text",
    quiet: QuietOption = False,
) -> None:
    """List documents in the order in which they were added: id, title, URL and source."""
    from querykin.cli.records import write_records

    check_format(format, "text", "tsv", "json", "jsonl")
    documents = islice(open_workspace(workspace, config, TerminalProgress(quiet)).corpus.documents(source), k)
    write_records(({name: getattr(each, name) for name in _COLUMNS} for each in documents), _COLUMNS, format)


def show(
    document_id: Annotated[str, typer.Argument(metavar="ID", help="Id of a document.")],
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: InfoFormatOption = "text",
    quiet: QuietOption = False,
) -> None:
    """Show a document as it is stored."""
    from querykin.types import document_json

    check_format(format, "text", "json")
    document = open_workspace(workspace, config, TerminalProgress(quiet)).corpus.document(document_id)
    if format == "json":
        typer.echo(json.dumps(document_json(document), ensure_ascii=False))
        return
    for name in ("id", "title", "url", "source"):
        typer.echo(f"{name:10} {getattr(document, name)}")
    for name, value in document.fields.items():
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        typer.echo(f"field      {name} = {shown}")
    typer.echo(f"\n{document.text}")


def export(
    source: ChosenSourceOption = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> None:
    """Write all documents with their ids, fields and sources as JSON lines, for corpus add."""
    from querykin.cli.records import write_records
    from querykin.types import document_json

    documents = open_workspace(workspace, config, TerminalProgress(quiet)).corpus.documents(source)
    write_records(map(document_json, documents), (), "jsonl")
