"""The `querykin` program: its commands, and what its exit codes mean (0 done, 1 wrong input, 2 usage)."""

import io
import os
import sys
from typing import Any, NoReturn, cast

import typer
from typer.core import TyperGroup

from querykin.cli import (
    build,
    check,
    corpus,
    demo,
    evaluate,
    filter,
    keywords,
    repository,
    serve,
    similarity,
    suggest,
    train,
    upgrade,
)
from querykin.errors import QuerykinError
from querykin.version import __version__


class _Program(TyperGroup):
    """The commands; when the reader of their output has seen enough (`| head`), they end quietly."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was named."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            _drop_output()
            raise typer.Exit from None
        return result


app = typer.Typer(
    cls=_Program,
    name="querykin",
    help="How alike are two short texts? Similarity and related queries from what a corpus says about them.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: rich would take twice as long to import as all the rest
)
app.add_typer(corpus.app, name="corpus")
app.add_typer(repository.app, name="repository")
app.add_typer(train.app, name="train")
app.command()(demo.demo)
app.command()(build.build)
app.command()(suggest.suggest)
app.command()(suggest.match)
app.command()(similarity.similarity)
app.command()(similarity.score)
app.command()(keywords.keywords)
app.command()(evaluate.evaluate)
app.command()(evaluate.agreement)
app.command()(filter.filter)
app.command()(check.check)
app.command()(serve.serve)
app.command()(upgrade.upgrade)


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
    # Data is UTF-8 whatever the terminal speaks; half a surrogate pair becomes its JSON escape.
    cast(io.TextIOWrapper, sys.stdout).reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        app()
    except QuerykinError as error:
        _fail(str(error))
    except OSError as error:
        _drop_output()
        _fail(f"{error.filename or 'cannot write the output'}: {error.strerror or error}")


def _fail(message: str) -> NoReturn:
    from rich.console import Console

    console = Console(stderr=True, soft_wrap=True)
    console.print(f"querykin: {message}", style="red", markup=False, highlight=False)
    sys.exit(1)


def _drop_output() -> None:
    """Send what is still buffered nowhere, so that the interpreter's exit cannot fail on it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
