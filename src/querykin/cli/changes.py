"""Options of the commands that add, and the line that says what has changed."""

from collections.abc import Mapping
from typing import Annotated

import typer

from querykin.counted_nouns import counted
from querykin.types import Change

SourceOption = Annotated[
    str | None,
    typer.Option(
        "--source",
        help="Name under which the files can be replaced and removed. Default: the file's or folder's name.",
    ),
]
ReplaceOption = Annotated[
    bool,
    typer.Option(
        "--replace", help="The files are the whole source: whatever else it has is removed, counts are set."
    ),
]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Read and report everything, but change nothing.")
]
ChosenSourceOption = Annotated[str | None, typer.Option("--source", help="Only this source.")]
LimitOption = Annotated[
    int | None, typer.Option("-k", min=1, help="Maximum number of lines. Default: all.", show_default=False)
]


def describe(change: Change, noun: str, dry_run: bool = False) -> str:
    """A change of documents or queries in words; `noun` is in the singular.

    >>> describe(Change(added=2, replaced=1, unchanged=3), "document")
    'added 2 documents, replaced 1, 3 unchanged'
    >>> describe(Change(added=1, replaced=1, removed=1), "query", dry_run=True)
    'dry run: would add 1 query, change 1 count, remove 1'
    >>> describe(Change(unchanged=3), "query")
    'nothing changed: 3 queries there already'
    """
    if not change and not dry_run:
        return f"nothing changed: {counted(change.unchanged, noun)} there already"
    add, replace, remove = ("would add", "replace", "remove") if dry_run else ("added", "replaced", "removed")
    parts = [f"{add} {counted(change.added, noun)}"]
    if change.replaced and noun == "query":
        parts.append(f"change{'' if dry_run else 'd'} {counted(change.replaced, 'count')}")
    elif change.replaced:
        parts.append(f"{replace} {change.replaced:,}")
    if change.removed:
        parts.append(f"{remove} {change.removed:,}")
    if change.unchanged:
        parts.append(f"{change.unchanged:,} unchanged")
    return ("dry run: " if dry_run else "") + ", ".join(parts)


def show_sources(sizes: Mapping[str, int]) -> None:
    """Print the names and sizes of sources."""
    for name, size in sizes.items():
        typer.echo(f"source       {size:>15,}  {name}")
