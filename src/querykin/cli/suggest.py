"""Related queries: `querykin suggest` and `querykin match`."""

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from querykin.cli.options import (
    DEFAULT_WORKSPACE,
    ConfigOption,
    FormatOption,
    QuietOption,
    SkippedRecords,
    TerminalProgress,
    WorkspaceOption,
    check_format,
    open_workspace,
)
from querykin.errors import InputError

if TYPE_CHECKING:
    from querykin.retrieval.suggester import Suggester, Suggestions
    from querykin.types import Explanation

MeasureOption = Annotated[str, typer.Option("--measure", help="The measure to search by.")]


def suggest(
    queries: Annotated[list[str], typer.Argument(help="Queries; '-' reads one a line from standard input.")],
    k: Annotated[
        int,
        typer.Option("-k", min=1, max=1000, help="At most this many suggestions; for more there is match."),
    ] = 5,
    measure: MeasureOption = "web-kernel",
    threshold: Annotated[
        float | None, typer.Option("--threshold", help="The least score of a suggestion.")
    ] = None,
    filter: Annotated[str, typer.Option("--filter", help="diverse, paper or none.")] = "diverse",
    min_count: Annotated[int, typer.Option("--min-count", help="The least count of a suggestion.")] = 1,
    block: Annotated[
        Path | None, typer.Option("--block", help="A file of words and queries never to offer.")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show why each one is offered.")] = False,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: FormatOption = "text",
    quiet: QuietOption = False,
) -> None:
    """Suggest related queries, also for queries never seen before."""
    from querykin.retrieval.filters import filters, read_block_list
    from querykin.retrieval.suggester import check_threshold

    check_format(format, "text", "json", "jsonl", "tsv")
    filters[filter]  # an unknown name is an error before any work
    progress = TerminalProgress(quiet)
    check_threshold(threshold)  # before any work
    opened = open_workspace(workspace, config, quiet)
    suggester = opened.suggester(
        measure,
        filter=filter,
        threshold=threshold,
        min_count=min_count,
        block=read_block_list(block),
    )
    found = (suggester.suggest([query], k, explain)[0] for query in _asked(queries))
    _write(found, format, explain, progress)


def match(
    queries: Annotated[
        str | None, typer.Argument(help="A file of queries, as for repository add; '-' is stdin.")
    ] = None,
    measure: MeasureOption = "web-kernel",
    k: Annotated[
        int | None,
        typer.Option(
            "-k",
            min=1,
            help="At most this many for each query. Default: 10; all with --all-pairs --threshold.",
            show_default=False,
        ),
    ] = None,
    all_pairs: Annotated[
        bool, typer.Option("--all-pairs", help="For every query of the repository itself.")
    ] = False,
    threshold: Annotated[
        float | None,
        typer.Option("--threshold", help="The least score; with --all-pairs every pair that reaches it."),
    ] = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: Annotated[str, typer.Option("--format", help="tsv, trec, json or jsonl.")] = "tsv",
    quiet: QuietOption = False,
) -> None:
    """Find the nearest k queries of the repository for every query of a file, or of the repository."""
    from querykin.io.query_files import read_queries
    from querykin.retrieval.suggester import check_threshold, suggestions_json

    check_format(format, "tsv", "trec", "json", "jsonl")
    if all_pairs == (queries is not None):
        raise InputError("match needs a file of queries, or --all-pairs without one")
    progress = TerminalProgress(quiet)
    asked = read_queries(queries, SkippedRecords(progress)) if queries is not None else None
    check_threshold(threshold)  # before any work
    suggester = open_workspace(workspace, config, quiet).suggester(
        measure, filter="none", threshold=threshold
    )
    if format == "tsv":
        typer.echo("query\trank\tcandidate\tscore")
    everything: list[dict[str, Any]] = []
    uncovered = 0
    for name, found in _matched(suggester, asked, k):
        uncovered += not found.covered
        if format == "json":
            everything.append(suggestions_json(found))
        else:
            sys.stdout.writelines(_match_lines(name, found, format))
    if format == "json":
        typer.echo(json.dumps(everything, ensure_ascii=False))
    if uncovered:
        progress.message(f"{uncovered:,} queries are not covered: the corpus says too little about them")


def _matched(
    suggester: "Suggester", asked: Iterator[tuple[str, int, str]] | None, k: int | None
) -> Iterator[tuple[str, "Suggestions"]]:
    """Names of queries and what is near them."""
    from querykin.io.tables import chunks
    from querykin.retrieval.suggester import NEAREST

    if asked is None:
        yield from ((str(number + 1), found) for number, found in suggester.all_pairs(k))
        return
    for group in chunks(asked, 1024):
        found = suggester.match([query for query, _, _ in group], k or NEAREST)
        yield from zip([name for _, _, name in group], found, strict=True)


def _asked(queries: list[str]) -> Iterator[str]:
    from querykin.querylog.repository import normalize_query

    for query in queries:
        if query == "-":
            yield from filter(None, map(normalize_query, _stdin_lines()))
        else:
            yield normalize_query(query)


def _stdin_lines() -> Iterator[str]:
    """Lines as they come: an answer does not wait for the end of the input."""
    for number, line in enumerate(sys.stdin.buffer, start=1):
        try:
            yield line.decode()
        except UnicodeDecodeError:
            raise InputError(f"standard input, line {number}: not UTF-8") from None


def _write(found: Iterable["Suggestions"], form: str, explain: bool, progress: TerminalProgress) -> None:
    from querykin.cli import render
    from querykin.retrieval.suggester import suggestions_json

    listed = []
    if form == "tsv":
        typer.echo("query\trank\tsuggestion\tscore\tcount" + ("\tbecause" if explain else ""))
    for suggestions in found:
        if not suggestions.covered:
            progress.message(f"not covered: the corpus says too little about {suggestions.query!r}")
        if form == "json":
            listed.append(suggestions_json(suggestions))
        elif form == "jsonl":
            typer.echo(json.dumps(suggestions_json(suggestions), ensure_ascii=False))
        elif form == "tsv":
            for rank, offer in enumerate(suggestions.suggestions, start=1):
                row = f"{suggestions.query}\t{rank}\t{offer.query}\t{offer.score:.9g}\t{offer.count}"
                typer.echo(row + (f"\t{_because(offer.explanation)}" if offer.explanation else ""))
        else:
            render.suggestions(suggestions)
    if form == "json":
        typer.echo(json.dumps(listed, ensure_ascii=False))


def _because(explanation: "Explanation") -> str:
    """The shared terms with their shares, in one cell."""
    return " ".join(f"{part.term}={part.share:.4f}" for part in explanation.contributions)


def _match_lines(name: str, found: "Suggestions", form: str) -> Iterator[str]:
    from querykin.retrieval.suggester import suggestions_json

    if form == "jsonl":
        yield json.dumps(suggestions_json(found), ensure_ascii=False) + "\n"
        return
    for rank, offer in enumerate(found.suggestions, start=1):
        if form == "tsv":
            yield f"{found.query}\t{rank}\t{offer.query}\t{offer.score:.9g}\n"
        else:
            # A run file is split at spaces, so an id has none.
            yield f"{'_'.join(name.split())} Q0 {offer.query_id + 1} {rank} {offer.score:.9g} querykin\n"
