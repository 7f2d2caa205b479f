"""`querykin corpus`: add, remove and list documents."""

import json
from typing import Annotated

import typer

from querykin.cli import corpus_listing
from querykin.cli.changes import DryRunOption, ReplaceOption, SourceOption, describe, show_sources
from querykin.cli.options import (
    DEFAULT_WORKSPACE,
    ConfigOption,
    InfoFormatOption,
    OnOption,
    QuietOption,
    SkippedRecords,
    TerminalProgress,
    WorkspaceOption,
    check_format,
    open_workspace,
)
from querykin.counted_nouns import counted
from querykin.errors import InputError

app = typer.Typer(help="Add, remove and list documents.", no_args_is_help=True)
app.command("list")(corpus_listing.list_documents)
app.command()(corpus_listing.show)
app.command()(corpus_listing.export)


@app.command()
def add(
    files: Annotated[
        list[str],
        typer.Argument(
            help="Files, folders or .zip archives: .csv .tsv .xlsx .jsonl .json .parquet .arrow .txt .html, "
            "feeds and MediaWiki dumps (.xml), BEIR folders, each also .gz .xz .bz2 .zst; '-' is stdin."
        ),
    ],
    columns: Annotated[
        str,
        typer.Option(
            "--columns",
            help="Columns of the files' tables, as in title=Name,text=Body+Tags,id=SKU; + joins columns. "
            "Default: recognized by their headers.",
        ),
    ] = "",
    language: Annotated[
        str,
        typer.Option(
            help="Language of a new corpus: ISO 639-1 code or English name, several separated by commas; "
            "by default it is recognized from the first documents."
        ),
    ] = "",
    source: SourceOption = None,
    replace: ReplaceOption = False,
    dry_run: DryRunOption = False,
    on: OnOption = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> None:
    """Add documents; a known id replaces the document. All or nothing."""
    from querykin.io.columns import ColumnMapping, ColumnsRead
    from querykin.io.documents import DocumentSources

    progress = TerminalProgress(quiet)
    skipped_records = SkippedRecords(progress)
    mapping = ColumnMapping.parse(columns, "documents")
    read: list[ColumnsRead] = []
    sources = DocumentSources.discover(files)
    opened = open_workspace(workspace, config, progress, language, on, command="corpus add")
    corpus = opened.corpus
    change = corpus.add_files(
        sources,
        skipped_records,
        columns=mapping,
        noted=read.append,
        source=source,
        replace=replace,
        dry_run=dry_run,
        runner=opened.runner,
        progress=progress,
    )
    for columns_read in read:
        progress.message(str(columns_read))
    if corpus.recognition:
        progress.message(f"language: {corpus.recognition}; set another with --language")
    for note in corpus.analyzer.notes if corpus.recognition or language else ():
        progress.message(note)
    skipped_records.list_files()
    skipped = f", {counted(skipped_records.count, 'bad record')} skipped" if skipped_records.count else ""
    if change.repeated:
        progress.message(
            f"{counted(change.repeated, 'document')} with the id of an earlier one in the input: "
            "the last one counts"
        )
    result = "nothing was written" if dry_run else f"the corpus now has {len(corpus):,}"
    progress.message(f"{describe(change, 'document', dry_run)}{skipped}; {result}")


@app.command()
def remove(
    ids: Annotated[list[str] | None, typer.Argument(help="Ids of documents.")] = None,
    source: Annotated[str | None, typer.Option("--source", help="Remove all documents of a source.")] = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> None:
    """Remove documents by their ids or by their source. All or nothing: an unknown one is an error."""
    if bool(ids) == (source is not None):
        raise InputError("corpus remove needs ids of documents, or --source NAME without them")
    progress = TerminalProgress(quiet)
    corpus = open_workspace(workspace, config, progress).corpus
    change = corpus.remove_source(source) if source is not None else corpus.remove(ids or [])
    progress.message(f"removed {counted(change.removed, 'document')}; the corpus now has {len(corpus):,}")


@app.command()
def send(
    dry_run: DryRunOption = False,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> None:
    """Send documents that the search engine lacks, and delete those that it should not have."""
    progress = TerminalProgress(quiet)
    opened = open_workspace(workspace, config, progress)
    if not opened.send_documents(dry_run=dry_run):
        progress.message(
            f"the engine {opened.settings.engine.kind} is in step with the corpus; nothing to do"
        )


@app.command()
def info(
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: InfoFormatOption = "text",
    quiet: QuietOption = False,
) -> None:
    """Show the language and the size of the corpus, and its sources."""
    from querykin.corpus.small_corpus import small_corpus_warning

    check_format(format, "text", "json")
    progress = TerminalProgress(quiet)
    opened = open_workspace(workspace, config, progress)
    corpus, engine = opened.corpus, opened.engine_info()
    facts = {**corpus.info(), **engine}
    if not engine and (warning := small_corpus_warning(corpus.statistics)):
        progress.message(warning)
    if format == "json":
        typer.echo(json.dumps(facts))
    else:
        facts["language"] = corpus.analyzer.description
        sources = facts.pop("sources")
        for name in engine:
            facts.pop(name)
        rows = (f"{value:>15}" if isinstance(value, str) else f"{value:>15,}" for value in facts.values())
        typer.echo("\n".join(f"{name:12} {value}" for name, value in zip(facts, rows, strict=True)))
        for name, value in engine.items():
            typer.echo(f"{name:12} {value}")
        show_sources(sources)
