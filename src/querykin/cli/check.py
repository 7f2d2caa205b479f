"""Is everything whole: `querykin check`."""

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

    damaged = corrupted_files(open_workspace(workspace, config))
    for line in damaged:
        typer.echo(line)
    if damaged:
        raise WorkspaceError(f"damaged files: {len(damaged)}; restore them or rebuild the workspace")
    TerminalProgress(quiet).message(f"{workspace} is whole")
