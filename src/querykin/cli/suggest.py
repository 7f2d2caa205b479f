"""`querykin suggest` and `querykin match`: related queries."""

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from querykin.cli.options import (
    DEFAULT_WORKSPACE,
    ConfigOption,
    ExactOption,
    FormatOption,
    MaxRequestsOption,
    OfflineOption,
    OnOption,
    QuietOption,
    SkippedRecords,
    TerminalProgress,
    WorkspaceOption,
    check_format,
    open_workspace,
    report_correction,
    warn_of_small_corpus,
)
from querykin.counted_nouns import counted
from querykin.defaults import DEFAULT_MEASURE, MIN_PROBABILITY
from querykin.errors import InputError

if TYPE_CHECKING:
    from querykin.querylog.repository import Repository
    from querykin.retrieval.suggester import Suggestions

MeasureOption = Annotated[str, typer.Option("--measure", help="The measure to search by.")]


def suggest(
    queries: Annotated[
        list[str], typer.Argument(help="Queries; '-' reads one per line from standard input.")
    ],
    k: Annotated[
        int,
        typer.Option("-k", min=1, max=1000, help="Maximum number of suggestions; for more use match."),
    ] = 5,
    measure: MeasureOption = DEFAULT_MEASURE,
    threshold: Annotated[
        float | None, typer.Option("--threshold", help="Minimum score of a suggestion.")
    ] = None,
    filter: Annotated[str, typer.Option("--filter", help="diverse, paper or none.")] = "diverse",
    min_count: Annotated[int, typer.Option("--min-count", min=0, help="Minimum count of a suggestion.")] = 1,
    min_probability: Annotated[
        float,
        typer.Option(
            "--min-probability",
            min=0,
            max=1,
            help="Minimum probability of being a good suggestion, for hybrid and hybrid-static.",
        ),
    ] = MIN_PROBABILITY,
    block: Annotated[
        Path | None,
        typer.Option(
            "--block", help="File of words and queries to block besides the block list of the workspace."
        ),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show shared terms and passages of each suggestion.")
    ] = False,
    exact: ExactOption = False,
    offline: OfflineOption = False,
    max_requests: MaxRequestsOption = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: FormatOption = "text",
    quiet: QuietOption = False,
) -> None:
    """Suggest related queries of the repository, for any query."""
    from querykin.retrieval.block_list import read_entries

    check_format(format, "text", "json", "jsonl", "tsv")
    progress = TerminalProgress(quiet)
    opened = open_workspace(
        workspace, config, progress, offline=offline, max_requests=max_requests, command="suggest"
    )
    texts = _input_queries(queries)
    if opened.asks_elsewhere:
        texts = iter(known := list(texts))
        opened.ask(known, [measure], count=False)
    suggester = opened.suggester(
        measure,
        filter=filter,
        threshold=threshold,
        min_count=min_count,
        min_probability=min_probability,
        block=read_entries(str(block), SkippedRecords(progress)) if block else (),
        exact=exact,
    )
    warn_of_small_corpus(opened, [measure])
    results = (suggester.suggest([query], k, explain=explain)[0] for query in texts)
    _write(results, opened.repository, format, explain, progress)


def match(
    queries: Annotated[
        str | None, typer.Argument(help="A file of queries, as for repository add; '-' is stdin.")
    ] = None,
    measure: MeasureOption = DEFAULT_MEASURE,
    k: Annotated[
        int | None,
        typer.Option(
            "-k",
            min=1,
            help="Maximum number of matches per query. Default: 10; unlimited with --all-pairs --threshold.",
            show_default=False,
        ),
    ] = None,
    all_pairs: Annotated[
        bool, typer.Option("--all-pairs", help="Match every query of the repository against the others.")
    ] = False,
    threshold: Annotated[
        float | None,
        typer.Option("--threshold", help="Minimum score of a match."),
    ] = None,
    on: OnOption = None,
    offline: OfflineOption = False,
    max_requests: MaxRequestsOption = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: Annotated[str, typer.Option("--format", help="tsv, trec, json or jsonl.")] = "tsv",
    quiet: QuietOption = False,
) -> None:
    """Find the nearest k queries of the repository for every query of a file or of the repository."""
    from querykin.io.query_files import read_queries
    from querykin.matching import MatchOptions, match_texts

    check_format(format, "tsv", "trec", "json", "jsonl")
    if all_pairs == (queries is not None):
        raise InputError("match needs a file of queries, or --all-pairs without one")
    progress = TerminalProgress(quiet)
    records = read_queries(queries, SkippedRecords(progress)) if queries is not None else None
    opened = open_workspace(
        workspace, config, progress, on=on, offline=offline, max_requests=max_requests, command="suggest"
    )
    if records is not None and opened.asks_elsewhere:
        records = iter(known := list(records))
        opened.ask([query for query, *_ in known], [measure], count=False)
    uncovered = 0
    for text, not_covered in match_texts(opened, records, MatchOptions(measure, threshold, k, format)):
        sys.stdout.write(text)
        uncovered += not_covered
    if uncovered:
        progress.message(f"not covered by the corpus: {counted(uncovered, 'query')}")


def _input_queries(queries: list[str]) -> Iterator[str]:
    from querykin.text.normalization import normalize_query

    for query in queries:
        if query == "-":
            yield from filter(None, map(normalize_query, _stdin_lines()))
        else:
            yield normalize_query(query)


def _stdin_lines() -> Iterator[str]:
    """Lines of standard input, as they arrive."""
    for number, line in enumerate(sys.stdin.buffer, start=1):
        try:
            yield line.decode()
        except UnicodeDecodeError:
            raise InputError(f"standard input, line {number}: not UTF-8") from None


def _write(
    results: Iterable["Suggestions"],
    repository: "Repository",
    form: str,
    explain: bool,
    progress: TerminalProgress,
) -> None:
    from querykin.cli import render
    from querykin.retrieval.suggester import TSV_COLUMNS, suggestions_json

    entries = []
    if form == "tsv":
        typer.echo("\t".join([*TSV_COLUMNS, "because"] if explain else TSV_COLUMNS))
    for suggestions in results:
        report_correction(suggestions.correction, progress)
        if not suggestions.covered:
            progress.message(f"not covered by the corpus: {suggestions.query!r}")
        if form == "json":
            entries.append(suggestions_json(suggestions))
        elif form == "jsonl":
            typer.echo(json.dumps(suggestions_json(suggestions), ensure_ascii=False))
        elif form == "tsv":
            for line in _suggestion_lines(suggestions):
                typer.echo(line)
        else:
            render.suggestions(suggestions, repository)
    if form == "json":
        typer.echo(json.dumps(entries, ensure_ascii=False))


def _suggestion_lines(suggestions: "Suggestions") -> Iterator[str]:
    from querykin.cli.records import because
    from querykin.retrieval.suggester import suggestion_rows

    for row, suggestion in zip(suggestion_rows(suggestions), suggestions.suggestions, strict=True):
        yield row + (f"\t{because(suggestion.explanation)}" if suggestion.explanation else "")
