"""`querykin filter`: keep or drop landing pages of queries."""

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
from querykin.counted_nouns import counted
from querykin.errors import InputError

_BATCH_ROWS = 256  # small, since pages may be large


def filter(
    file: Annotated[
        str,
        typer.Argument(
            help="TSV, CSV or JSONL with query and a page: html, file (an HTML file in the folder of FILE), "
            "or url, title, text, description, keywords; '-' is stdin."
        ),
    ],
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold", help="Minimum score of a kept page. Default: the threshold of the model."
        ),
    ] = None,
    model: Annotated[
        str, typer.Option("--model", help="Term weights: a model of querykin train tweak --pages.")
    ] = "landing-pages",
    folder: Annotated[
        Path | None,
        typer.Option("--folder", help="Folder of the HTML files of the column file. Default: that of FILE."),
    ] = None,
    only_kept: Annotated[bool, typer.Option("--only-kept", help="Omit dropped rows.")] = False,
    columns: Annotated[
        str, typer.Option("--columns", help="Column names of the file, as in query=keyword,html=page.")
    ] = "",
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: TableFormatOption = None,
    quiet: QuietOption = False,
) -> None:
    """Keep or drop query / landing-page pairs: writes the rows with two more columns, kept and score."""
    from querykin.io.tables import FORMS, TableWriter, chunks
    from querykin.learning.landing_pages.pages import PageScorer, open_pages
    from querykin.learning.landing_pages.threshold_check import ThresholdCheck

    if format is not None:
        check_format(format, *FORMS)
    progress = TerminalProgress(quiet)
    scorer = PageScorer.of(open_workspace(workspace, config, progress), model)
    min_score = scorer.threshold(threshold)
    if folder and not folder.is_dir():
        raise InputError(f"--folder must name an existing folder, got {folder}")
    pairs = open_pages(file, columns, folder or Path(file).parent)
    table = pairs.table
    writer = TableWriter(sys.stdout, format or table.form, [*table.columns, "kept"], ["score"], table.dialect)
    skipped_records, check = SkippedRecords(progress), ThresholdCheck()
    kept = done = unscored = 0
    with progress.task("scoring", None) as advance:
        for rows in chunks(pairs.table.rows, _BATCH_ROWS):
            scores, mismatched = scorer.score_with_mismatched(*pairs.sides(rows, skipped_records))
            check.add(scores, mismatched)
            good = scores >= min_score
            labeled = [{**row, "kept": bool(is_good)} for row, is_good in zip(rows, good, strict=True)]
            shown = [row for row in labeled if row["kept"] or not only_kept]
            writer.write(shown, {"score": scores[good] if only_kept else scores})
            kept += int(good.sum())
            done += len(rows)
            unscored += int((scores != scores).sum())
            advance(len(rows))
    remark = (
        f"; {counted(unscored, 'page')} dropped without a score: the query is not covered, or no word of "
        "the page has a weight"
        if unscored
        else ""
    )
    progress.message(f"kept {kept:,} of {counted(done, 'page')} at {min_score:.3g}{remark}")
    if threshold is None and (doubt := check.remark(min_score)):
        progress.message(doubt)
