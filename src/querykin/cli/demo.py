"""`querykin demo`: the whole workflow on the demo corpus."""

import os
import sys
from shutil import which

import typer

from querykin.cli.options import (
    DEFAULT_WORKSPACE,
    ConfigOption,
    QuietOption,
    TerminalProgress,
    WorkspaceOption,
    open_workspace,
)
from querykin.counted_nouns import counted

QUERIES: tuple[str, ...] = ("space exploration", "classical music", "world war", "solar energy")
PAIR = ("space exploration", "NASA")


def demo(
    workspace: WorkspaceOption = DEFAULT_WORKSPACE, config: ConfigOption = None, quiet: QuietOption = False
) -> None:
    """Index ten thousand encyclopedia leads, mine queries, print suggestions and an explained pair."""
    from querykin.cli import render
    from querykin.demo import CREDIT, demo_documents

    progress = TerminalProgress(quiet)
    opened = open_workspace(workspace, config, progress, command="demo")
    if not len(opened.corpus):
        progress.message(f"corpus: {CREDIT}")
        with progress.task("indexing", 10_033) as advance:
            opened.corpus.add(demo_documents(), advance, source="demo")
        opened = opened.reopen()
    progress.message(f"{counted(len(opened.corpus), 'document')} in {workspace}")
    if not len(opened.repository):
        opened.mine()
        progress.message(f"{counted(len(opened.repository), 'query')} mined from titles and phrases")
    opened.build()
    for suggestions in opened.suggester().suggest(QUERIES, 5):
        render.suggestions(suggestions, opened.repository)
    typer.echo()
    render.explanation(opened.explain(*PAIR), opened.analyzer)
    program = "querykin" if which("querykin") else os.path.relpath(sys.argv[0])
    option = "" if workspace == DEFAULT_WORKSPACE else f" --workspace {workspace}"
    typer.echo(f"\nNext:  {program} suggest 'ancient rome' --explain{option}")
    typer.echo(f"       {program} similarity 'solar system' 'planet'{option}")
    typer.echo("With your data: corpus add FILE..., then repository add FILE... (or mine), then build")
    typer.echo(f"In the browser: {program} serve{option}")
