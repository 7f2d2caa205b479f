"""`querykin check`: verify the files of a workspace."""

import typer

from querykin.cli.options import (
    DEFAULT_WORKSPACE,
    ConfigOption,
    QuietOption,
    TerminalProgress,
    WorkspaceOption,
    open_workspace,
)
from querykin.errors import WorkspaceError


def check(
    workspace: WorkspaceOption = DEFAULT_WORKSPACE, config: ConfigOption = None, quiet: QuietOption = False
) -> None:
    """Compare every file of the workspace with its recorded size and checksum."""
    from querykin.integrity import corrupted_files

    progress = TerminalProgress(quiet)
    corrupted = corrupted_files(open_workspace(workspace, config, progress))
    for line in corrupted:
        typer.echo(line)
    if corrupted:
        raise WorkspaceError(f"damaged files: {len(corrupted)}; restore them or rebuild the workspace")
    progress.message(f"{workspace} is intact")
