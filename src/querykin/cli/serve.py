"""The HTTP API and the pages: `querykin serve`."""

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
        from querykin.server.runner import Address, listen, run
    except ImportError:
        raise MissingExtra("the service", "server") from None
    from querykin.build_policy import BuildPolicy
    from querykin.server.settings import with_environment_tokens
    from querykin.workspace import DEFAULT_MEASURE

    progress = TerminalProgress(quiet)
    opened = open_workspace(workspace, config, quiet)
    settings = with_environment_tokens(opened.settings.server)
    address = Address(host, port, workers)
    taken = listen(address)
    if not len(opened.corpus) or not len(opened.repository):
        progress.message(f"{workspace} has no documents or no past queries yet: there is nothing to suggest")
    else:
        opened.retriever(DEFAULT_MEASURE)  # builds the index if there is none
    shown = f"[{host}]" if ":" in host else host
    progress.message(f"serving {workspace} on http://{shown}:{taken.getsockname()[1]}/")
    run(opened.reopen(BuildPolicy.REFUSE), settings, address, taken)
