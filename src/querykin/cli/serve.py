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
    shard: Annotated[
        str,
        typer.Option("--shard", metavar="I/N", help="Search only shard I of N of the past queries: 2/4."),
    ] = "",
    shards: Annotated[
        str,
        typer.Option(
            "--shards",
            metavar="URL,URL,...",
            help="Be the router of these shards, given in their order; | separates replicas of a shard.",
        ),
    ] = "",
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> None:
    """Serve suggestions, comparisons and judging over HTTP, as an API and as web pages.

    Indexes built while the service runs are used immediately. Limits, tokens and permissions are in the
    section "server" of the settings; tokens can also be given in the environment variable QUERYKIN_TOKENS,
    separated by commas.

    With more past queries than one process should search: start one process for each shard and one router,
    all over the same workspace. The router answers as a single service would; where a shard does not answer,
    the answer is marked as partial.
    """
    if shard and shards:
        raise typer.BadParameter("a process is a shard or the router of shards", param_hint="--shards")
    try:
        from querykin.server.runner import ListenAddress, listen, run
    except ImportError:
        raise MissingExtra("the service", "server") from None
    from querykin.build_policy import BuildPolicy
    from querykin.compute.compilation import compile_kernels
    from querykin.compute.kernel_table import used_by
    from querykin.counted_nouns import counted
    from querykin.defaults import DEFAULT_MEASURE
    from querykin.index.shard import Shard
    from querykin.server.settings import with_environment_tokens
    from querykin.server.shard_router import parse_shard_urls

    part = Shard.parse(shard) if shard else None
    urls = parse_shard_urls(shards) if shards else ()
    progress = TerminalProgress(quiet)
    compile_kernels(used_by("serve"), progress)
    opened = open_workspace(workspace, config, progress)
    if part or urls:
        opened = opened.of_shard(part) if part else opened.reopen(BuildPolicy.REFUSE)
    settings = with_environment_tokens(opened.settings.server)
    address = ListenAddress(host, port, workers or available_cpus())
    sock = listen(address)
    if not len(opened.corpus) or not len(opened.repository):
        progress.message(f"{workspace} has no documents or no past queries yet: there is nothing to suggest")
    else:
        if opened.policy is not BuildPolicy.REFUSE and opened.missing_derived(DEFAULT_MEASURE):
            opened.update_derived(DEFAULT_MEASURE)
        if not (part or urls) or not opened.indexes.built():
            opened.retriever(DEFAULT_MEASURE)  # builds a missing index, or names the command that does
    url_host = f"[{host}]" if ":" in host else host
    role = f" (shard {part})" if part else f" (router of {counted(len(urls), 'shard')})" if urls else ""
    progress.message(f"serving {workspace}{role} on http://{url_host}:{sock.getsockname()[1]}/")
    run(opened.reopen(BuildPolicy.REFUSE), settings, address, sock, urls)
