"""Which landing pages fit their queries: `querykin filter`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from querykin.cli.options import (
    DEFAULT_WORKSPACE,
    ConfigOption,
    QuietOption,
    SkippedRecords,
    TableFormatOption,
    TerminalProgress,
    WorkspaceOption,
    check_format,
    open_workspace,
)
from querykin.errors import InputError

_ROWS = 256  # at once: pages may be large


def filter(
    file: Annotated[
        str,
        typer.Argument(
            help="TSV, CSV or JSONL with query and a page: html, file (an HTML file beside FILE), or url, "
            "title, text, description, keywords; '-' is stdin."
        ),
    ],
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold", help="Pages from this score on are kept. Default: what the model learnt."
        ),
    ] = None,
    model: Annotated[
        str, typer.Option("--model", help="Term weights: a model of querykin train tweak.")
    ] = "landing-pages",
    folder: Annotated[
        Path | None,
        typer.Option("--folder", help="Where the HTML files of the column file are. Default: beside FILE."),
    ] = None,
    only_kept: Annotated[bool, typer.Option("--only-kept", help="Leave dropped rows out.")] = False,
    columns: Annotated[
        str, typer.Option("--columns", help="The file's own names, as in query=keyword,html=page.")
    ] = "",
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: TableFormatOption = None,
    quiet: QuietOption = False,
) -> None:
    """Keep or drop query / landing-page pairs: the same rows with two more columns, kept and score."""
    from querykin.io.tables import FORMS, TableWriter, chunks
    from querykin.learning.landing_pages.pages import PageScorer, open_pages

    if format is not None:
        check_format(format, *FORMS)
    progress = TerminalProgress(quiet)
    scorer = PageScorer.of(open_workspace(workspace, config, quiet), model)
    least = scorer.threshold(threshold)
    if folder and not folder.is_dir():
        raise InputError(f"--folder must name a folder that is there, got {folder}")
    pairs = open_pages(file, columns, folder or Path(file).parent)
    writer = TableWriter(sys.stdout, format or pairs.table.form, [*pairs.table.columns, "kept"], ["score"])
    skipped_records = SkippedRecords(progress)
    kept = done = silent = 0
    with progress.task("scoring", None) as advance:
        for rows in chunks(pairs.table.rows, _ROWS):
            scores = scorer.score(*pairs.sides(rows, skipped_records))
            good = scores >= least
            marked = [{**row, "kept": bool(fits)} for row, fits in zip(rows, good, strict=True)]
            shown = [row for row in marked if row["kept"] or not only_kept]
            writer.write(shown, {"score": scores[good] if only_kept else scores})
            kept, done, silent = (
                kept + int(good.sum()),
                done + len(rows),
                silent + int((scores != scores).sum()),
            )
            advance(len(rows))
    unknown = (
        f"; {silent:,} were dropped without a score: too little is known of the query, or no word of the "
        "page weighs anything"
        if silent
        else ""
    )
    progress.message(f"kept {kept:,} of {done:,} pages at {least:g}{unknown}")
