"""`querykin backup`: a consistent copy of a workspace in one file."""

from pathlib import Path
from typing import Annotated

import typer

from querykin.cli.options import (
    DEFAULT_WORKSPACE,
    ConfigOption,
    QuietOption,
    TerminalProgress,
    WorkspaceOption,
    open_workspace,
)
from querykin.counted_nouns import counted


def backup(
    dest: Annotated[Path, typer.Argument(metavar="FILE", help="The backup, as in shop.tar.zst.")],
    replace: Annotated[bool, typer.Option("--replace", help="Replace a backup of this name.")] = False,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> None:
    """Copy the workspace to one file, verified, while others may write to it."""
    from querykin.backup import back_up

    progress = TerminalProgress(quiet)
    made = back_up(open_workspace(workspace, config, progress), dest, replace=replace, progress=progress)
    progress.message(
        f"{dest}: {counted(made.files, 'file')}, {made.bytes:,} bytes, compressed to {made.compressed:,}"
    )
