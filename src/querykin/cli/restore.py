"""`querykin restore`: a workspace, or a part of it, from a backup."""

from pathlib import Path
from typing import Annotated

import typer

from querykin.cli.options import DEFAULT_WORKSPACE, QuietOption, TerminalProgress, WorkspaceOption
from querykin.counted_nouns import counted


def restore(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="A file of querykin backup.")],
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="NAME",
            help="Restore only this: corpus, repository, block-list, models, judgements, hand-changes, "
            "keyword-lists, evaluations, replies or settings. Repeatable.",
        ),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace what is there and not damaged.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Verify the backup, and write nothing.")] = False,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    quiet: QuietOption = False,
) -> None:
    """Restore a workspace, or some of its data, from a backup: all or nothing."""
    from querykin import backup

    progress = TerminalProgress(quiet)
    found = backup.restore(
        source, workspace, only=only or (), replace=replace, dry_run=dry_run, progress=progress
    )
    content = f"{counted(found.files, 'file')}, {found.bytes:,} bytes, of {found.created}"
    progress.message(f"{source} is intact: {content}" if dry_run else f"{workspace}: restored {content}")
    if only and not dry_run:
        progress.message("next: querykin build, if documents or queries have changed since the backup")
