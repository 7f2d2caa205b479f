"""`querykin serve`: the HTTP API and the web pages."""

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
from querykin.compute.cpus import available_cpus
from querykin.errors import MissingExtra


def serve(
    host: Annotated[str, typer.Option("--host", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port to listen on; 0 selects a free port.")
    ] = 8000,
    workers: Annotated[
        int,
        typer.Option(
            "--workers", min=0, max=256, help="Number of worker processes; 0: one for each available CPU."
        ),
    ] = 1,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> None:
    """Serve suggestions, comparisons and judging over HTTP, as an API and as web pages.

    Indexes built while the service runs are used immediately. Limits, tokens and permissions are in the
    section "server" of the settings; tokens can also be given in the environment variable QUERYKIN_TOKENS,
    separated by commas.
    """
    try:
        from querykin.server.runner import ListenAddress, listen, run
    except ImportError:
        raise MissingExtra("the service", "server") from None
    from querykin.build_policy import BuildPolicy
    from querykin.defaults import DEFAULT_MEASURE
    from querykin.server.settings import with_environment_tokens
    from querykin.storage.store import is_writable

    progress = TerminalProgress(quiet)
    opened = open_workspace(workspace, config, progress)
    settings = with_environment_tokens(opened.settings.server)
    address = ListenAddress(host, port, workers or available_cpus())
    sock = listen(address)
    if not len(opened.corpus) or not len(opened.repository):
        progress.message(f"{workspace} has no documents or no past queries yet: there is nothing to suggest")
    else:
        if is_writable(opened.path) and opened.missing_derived(DEFAULT_MEASURE):
            opened.update_derived(DEFAULT_MEASURE)
        opened.retriever(DEFAULT_MEASURE)  # builds a missing index
    url_host = f"[{host}]" if ":" in host else host
    progress.message(f"serving {workspace} on http://{url_host}:{sock.getsockname()[1]}/")
    run(opened.reopen(BuildPolicy.REFUSE), settings, address, sock)
