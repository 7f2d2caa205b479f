"""`querykin check`: verify the files of a workspace."""

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
from querykin.errors import WorkspaceError


def check(
    repair: Annotated[
        bool,
        typer.Option(
            "--repair",
            help="Delete what interrupted writers left, and damaged parts of the local copy of a "
            "workspace in object storage.",
        ),
    ] = False,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> None:
    """Compare every file of the workspace with its recorded size and checksum."""
    from querykin import integrity

    progress = TerminalProgress(quiet)
    opened = open_workspace(workspace, config, progress)
    if repair:
        progress.message(f"deleted: {integrity.repair(opened):,}")
    corrupted = integrity.corrupted_files(opened)
    for line in corrupted:
        typer.echo(line)
    if corrupted:
        raise WorkspaceError(f"damaged files: {len(corrupted)}; restore them or rebuild the workspace")
    progress.message(f"{workspace} is intact")
