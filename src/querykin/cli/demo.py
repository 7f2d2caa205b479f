"""The whole path on a corpus that comes along: `querykin demo`."""

import typer

from querykin.cli.options import DEFAULT_WORKSPACE, Messages, QuietOption, WorkspaceOption, open_workspace

PAIRS = (
    ("space exploration", "NASA"),
    ("space exploration", "apple tree"),
    ("python programming", "source code"),
)


def demo(workspace: WorkspaceOption = DEFAULT_WORKSPACE, quiet: QuietOption = False) -> None:
    """Make a corpus of ten thousand encyclopedia leads and show similarity and its explanation."""
    from querykin.cli import show
    from querykin.demo import CREDIT, demo_documents

    messages = Messages(quiet)
    opened = open_workspace(workspace, None)
    if not len(opened.corpus):
        messages.say(f"corpus: {CREDIT}")
        with messages.progress("indexing", 10_033) as advance:
            opened.corpus.add(demo_documents(), advance)
        opened = opened.reopen()
    messages.say(f"{len(opened.corpus):,} documents in {workspace}\n")
    for a, b in PAIRS:
        show.scores(a, b, {name: opened.similarity(a, b, name) for name in opened.measures()})
        typer.echo()
    show.explanation(opened.explain(*PAIRS[0]))
    typer.echo(f"\nNext: querykin similarity 'solar system' 'planet' --explain --workspace {workspace}")
    typer.echo("Your own documents: querykin corpus add FILE...")
