"""The `querykin` program: its commands, and what its exit codes mean (0 done, 1 wrong input, 2 usage)."""

import os
import sys

import typer
from rich.console import Console

from querykin.cli import compare, corpus, demo, upkeep
from querykin.errors import QuerykinError
from querykin.version import __version__

app = typer.Typer(
    name="querykin",
    help="How alike are two short texts? Similarity and related queries from what a corpus says about them.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.add_typer(corpus.app, name="corpus")
app.command()(demo.demo)
app.command()(compare.similarity)
app.command()(compare.score)
app.command()(upkeep.check)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"querykin {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Show the version."
    ),
) -> None:
    """Options of the program itself."""


def main() -> None:
    """Run the program; errors that the user can mend are one line on stderr."""
    try:
        app()
    except QuerykinError as error:
        Console(stderr=True, soft_wrap=True).print(
            f"querykin: {error}", style="red", markup=False, highlight=False
        )
        sys.exit(1)
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except KeyboardInterrupt:
        sys.exit(130)
