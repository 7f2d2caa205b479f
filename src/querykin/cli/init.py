"""`querykin init`: a workspace on another search engine."""

from pathlib import Path
from typing import Annotated, Any

import typer

from querykin.cli.options import (
    DEFAULT_WORKSPACE,
    MaxRequestsOption,
    OfflineOption,
    QuietOption,
    TerminalProgress,
    WorkspaceOption,
)


def init(
    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            metavar="KIND",
            help="mediawiki, searxng, solr, brave, opensearch or recorded.",
        ),
    ],
    url: Annotated[
        str, typer.Option("--url", help="Address: of api.php, an instance, a collection or a cluster.")
    ] = "",
    path: Annotated[str, typer.Option("--path", help="File of stored results, for recorded.")] = "",
    index: Annotated[
        str, typer.Option("--index", help="Index that is searched as it is, for opensearch.")
    ] = "",
    fields: Annotated[
        str,
        typer.Option("--fields", help="Fields of solr and opensearch, as in title=name,text=body,url=link."),
    ] = "",
    private_host: Annotated[
        list[str] | None,
        typer.Option("--private-host", help="Host that may have a private address; may be repeated."),
    ] = None,
    frequencies: Annotated[
        str | None,
        typer.Option(
            "--frequencies",
            help="Where document frequencies come from: corpus, snippets or engine. Default: snippets, "
            "unless there are documents.",
            show_default=False,
        ),
    ] = None,
    language: Annotated[
        str, typer.Option(help="Language of the results: ISO 639-1 code or English name; else recognized.")
    ] = "",
    offline: OfflineOption = False,
    max_requests: MaxRequestsOption = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    quiet: QuietOption = False,
) -> None:
    """Write the settings of a workspace whose search engine is elsewhere; it needs no documents."""
    from querykin.engine_setup import engine_sections, initialize
    from querykin.settings import WORKSPACE_SETTINGS

    progress = TerminalProgress(quiet)
    given: dict[str, Any] = {
        "url": url,
        "path": str(Path(path).absolute()) if path else "",
        "index": index,
        "private_hosts": private_host or [],
        "frequencies": frequencies or "",
        "offline": offline,
        "max_requests": max_requests,
    }
    sections = engine_sections(engine, given, fields, language)
    opened = initialize(workspace, sections, progress)
    facts = opened.engine_info()
    progress.message(
        f"{opened.path} searches {facts['engine']}; document frequencies: {facts['frequencies']}; more "
        f"settings: {opened.path / WORKSPACE_SETTINGS}"
    )
