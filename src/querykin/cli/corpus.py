"""`querykin corpus`: add and remove documents."""

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

app = typer.Typer(help="Add and remove documents.", no_args_is_help=True)


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
    """Add documents; a known id replaces the document. All or nothing."""
    from querykin.io.documents import DocumentSources

    progress = TerminalProgress(quiet)
    skipped_records = SkippedRecords(progress)
    sources = DocumentSources.discover(files)
    corpus = open_workspace(workspace, config).corpus
    with progress.task("reading", sources.size) as advance:
        change = corpus.add(sources.read(skipped_records, advance))
    skipped = f", {skipped_records.count:,} bad records skipped" if skipped_records.count else ""
    replaced = f", replaced {change.replaced:,}" if change.replaced else ""
    if change.repeated:
        progress.message(
            f"{change.repeated:,} documents had the id of an earlier one in the input: the last one was added"
        )
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
    """Remove documents. All or nothing: an unknown id is an error."""
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
    """Show the size of the corpus."""
    from querykin.corpus.small_corpus import small_corpus_warning

    check_format(format, "text", "json")
    corpus = open_workspace(workspace, config).corpus
    facts = corpus.info()
    if warning := small_corpus_warning(corpus.statistics):
        TerminalProgress(quiet).message(warning)
    if format == "json":
        typer.echo(json.dumps(facts))
    else:
        typer.echo("\n".join(f"{name:12} {value:>15,}" for name, value in facts.items()))
