"""Documents in and out: `querykin corpus`."""

import json
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

app = typer.Typer(help="Documents in and out: what querykin knows.", no_args_is_help=True)


@app.command()
def add(
    files: Annotated[
        list[str],
        typer.Argument(
            help="Files or folders: .jsonl .csv .tsv .txt .html, BEIR folders, MediaWiki dumps (.xml), "
            "each also .gz .xz .bz2 .zst; '-' is standard input."
        ),
    ],
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> None:
    """Add documents; one whose id is known replaces its predecessor. If a file fails, nothing changes."""
    from querykin.io.documents import read_documents, source_size

    progress = TerminalProgress(quiet)
    skipped_records = SkippedRecords(progress)
    size = source_size(files)
    corpus = open_workspace(workspace, config).corpus
    with progress.task("reading", size) as advance:
        change = corpus.add(read_documents(files, skipped_records, progress=advance))
    skipped = f", {skipped_records.count:,} bad records skipped" if skipped_records.count else ""
    replaced = f", replaced {change.replaced:,}" if change.replaced else ""
    if change.repeated:
        progress.message(f"{change.repeated:,} documents came again under the same id: the last one counts")
    progress.message(
        f"added {change.added:,} documents{replaced}{skipped}; the corpus now has {len(corpus):,}"
    )


@app.command()
def remove(
    ids: Annotated[list[str], typer.Argument(help="Ids of documents.")],
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> None:
    """Take documents out; if one of the ids is not there, nothing changes."""
    corpus = open_workspace(workspace, config).corpus
    change = corpus.remove(ids)
    TerminalProgress(quiet).message(
        f"removed {change.removed:,} documents; the corpus now has {len(corpus):,}"
    )


@app.command()
def info(
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: InfoFormatOption = "text",
    quiet: QuietOption = False,
) -> None:
    """Show what is there."""
    check_format(format, "text", "json")
    corpus = open_workspace(workspace, config).corpus
    facts = corpus.info()
    if format == "json":
        typer.echo(json.dumps(facts))
    else:
        typer.echo("\n".join(f"{name:12} {value:>15,}" for name, value in facts.items()))
