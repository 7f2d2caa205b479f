"""Is everything whole: `querykin check`."""

import typer

from querykin.cli.options import (
    DEFAULT_WORKSPACE,
    ConfigOption,
    Messages,
    QuietOption,
    WorkspaceOption,
    open_workspace,
)
from querykin.errors import WorkspaceError


def check(
    workspace: WorkspaceOption = DEFAULT_WORKSPACE, config: ConfigOption = None, quiet: QuietOption = False
) -> None:
    """Compare every file of the workspace with its recorded size and checksum."""
    damaged = open_workspace(workspace, config).damaged()
    for line in damaged:
        typer.echo(line)
    if damaged:
        raise WorkspaceError(f"damaged files: {len(damaged)}; restore them or build the workspace anew")
    Messages(quiet).say(f"{workspace} is whole")
