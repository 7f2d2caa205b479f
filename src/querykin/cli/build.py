"""`querykin build`: bring indexes up to date."""

from typing import TYPE_CHECKING, Annotated

import typer

from querykin.cli.options import (
    DEFAULT_WORKSPACE,
    ConfigOption,
    MaxRequestsOption,
    OfflineOption,
    OnOption,
    QuietOption,
    TerminalProgress,
    WorkspaceOption,
    measure_names,
    open_workspace,
    warn_of_small_corpus,
)
from querykin.defaults import DEFAULT_MEASURE

if TYPE_CHECKING:
    from querykin.workspace import Workspace


def build(
    measures: Annotated[
        str, typer.Option("--measures", help="Names of measures, separated by commas.")
    ] = DEFAULT_MEASURE,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Encode every row again, with current statistics.")
    ] = False,
    on: OnOption = None,
    offline: OfflineOption = False,
    max_requests: MaxRequestsOption = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> None:
    """Expand and index new and stale queries. Interruptible and resumable."""
    opened = open_workspace(
        workspace,
        config,
        TerminalProgress(quiet),
        on=on,
        offline=offline,
        max_requests=max_requests,
        command="build",
    )
    names = measure_names(measures, "build")
    opened.ask_for_queries(names)
    for name in names:
        opened.check_ready(name)
    warn_of_small_corpus(opened, names)
    opened.build_all(names, rebuild)
    for name in names:
        _warm_up(opened, name)


def _warm_up(opened: "Workspace", name: str) -> None:
    """Search once, so that the search kernels are compiled before the first user request."""
    from querykin.index.catalog import indexed_parts

    opened.spelling.warm_up()
    if indexed_parts(opened.measure(name)):
        opened.suggest(opened.repository.query(int(opened.repository.live_ids()[0])), 1, name)
