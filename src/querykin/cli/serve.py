"""The HTTP API and the pages: `querykin serve`."""

from typing import Annotated

import typer

from querykin.cli.build import bring_up_to_date
from querykin.cli.options import (
    DEFAULT_WORKSPACE,
    ConfigOption,
    Messages,
    QuietOption,
    WorkspaceOption,
    open_workspace,
)
from querykin.errors import MissingExtra


def serve(
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Its port; 0 takes a free one.")
    ] = 8000,
    workers: Annotated[int, typer.Option("--workers", min=1, max=256, help="Processes that answer.")] = 1,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> None:
    """Serve suggestions, comparisons and judging over HTTP, as an API and as pages, until stopped.

    What is built while it runs is used at once. Bounds, tokens and other rights are in the section "server"
    of the settings; tokens may also come from the variable QUERYKIN_TOKENS, separated by commas.
    """
    try:
        from querykin.server.runner import ListenAddress, listen, run
    except ImportError:
        raise MissingExtra("the service", "server") from None
    from querykin.server.settings import Settings
    from querykin.workspace import DEFAULT_MEASURE

    messages = Messages(quiet)
    opened = open_workspace(workspace, config, quiet)
    settings = Settings.of(opened.config.server)
    address = ListenAddress(host, port, workers)
    taken = listen(address)
    if not len(opened.corpus) or not len(opened.repository):
        messages.say(f"{workspace} has no documents or no past queries yet: there is nothing to suggest")
    elif opened.index(DEFAULT_MEASURE).committed is None:
        messages.say(f"no index of {DEFAULT_MEASURE} yet; building it now")
        bring_up_to_date(opened, DEFAULT_MEASURE, False, messages)
    shown = f"[{host}]" if ":" in host else host
    messages.say(f"serving {workspace} on http://{shown}:{taken.getsockname()[1]}/")
    run(opened.reopen(), settings, address, taken)
