"""`querykin publish`: rows of past queries to OpenSearch."""

from typing import Annotated

import typer

from querykin.cli.changes import DryRunOption
from querykin.cli.options import (
    DEFAULT_WORKSPACE,
    ConfigOption,
    QuietOption,
    TerminalProgress,
    WorkspaceOption,
    open_workspace,
)
from querykin.defaults import DEFAULT_MEASURE


def publish(
    to: Annotated[
        str,
        typer.Option(
            "--to", help="Addresses of the cluster, separated by commas. Default: hosts of [opensearch]."
        ),
    ] = "",
    measure: Annotated[
        str, typer.Option("--measure", help="The measure whose rows are published.")
    ] = DEFAULT_MEASURE,
    index: Annotated[
        str, typer.Option("--index", help="The alias of the rows. Default: index of [candidates].")
    ] = "",
    dry_run: DryRunOption = False,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> None:
    """Publish the rows of past queries to OpenSearch: what changed since the last time. Resumable."""
    progress = TerminalProgress(quiet)
    opened = open_workspace(workspace, config, progress)
    changed = opened.publish(measure, to=to, index=index, dry_run=dry_run)
    if not changed:
        progress.message("the published rows are up to date; nothing to do")
