"""The `querykin` program and its commands; exit codes: 0 success, 1 invalid input or state, 2 wrong usage."""

import io
import os
import sys
from typing import Any, NoReturn, cast

import typer
from typer.core import TyperGroup

from querykin.build_policy import NotBuilt
from querykin.cli import (
    backup,
    block,
    build,
    check,
    cluster,
    corpus,
    dedupe,
    demo,
    evaluate,
    filter,
    init,
    keywords,
    log,
    publish,
    repository,
    restore,
    search,
    serve,
    similarity,
    suggest,
    train,
    upgrade,
    warm,
)
from querykin.compute.cpus import set_library_threads
from querykin.compute.interpreter import run_short
from querykin.errors import QuerykinError
from querykin.version import __version__


class _Program(TyperGroup):
    """The command group; a closed output pipe (`| head`) ends a command with exit code 0."""

    def invoke(self, ctx: Any) -> Any:
        """Run the selected command."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            _discard_output()
            raise typer.Exit from None
        return result


app = typer.Typer(
    cls=_Program,
    name="querykin",
    help="Similarity of short texts and related-query suggestions, computed from a corpus.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: importing rich takes twice as long as all other imports
)
app.add_typer(corpus.app, name="corpus")
app.add_typer(repository.app, name="repository")
app.add_typer(log.app, name="log")
app.add_typer(block.app, name="block")
app.add_typer(train.app, name="train")
app.command()(init.init)
app.command()(demo.demo)
app.command()(build.build)
app.command()(publish.publish)
app.command()(suggest.suggest)
app.command()(suggest.match)
app.command()(search.search)
app.command()(similarity.similarity)
app.command()(similarity.score)
app.command()(keywords.keywords)
app.command()(cluster.cluster)
app.command()(dedupe.dedupe)
app.command()(evaluate.evaluate)
app.command()(evaluate.agreement)
app.command()(filter.filter)
app.command()(check.check)
app.command()(backup.backup)
app.command()(restore.restore)
app.command()(serve.serve)
app.command()(warm.warm)
app.command()(upgrade.upgrade)


def _print_version(requested: bool) -> None:
    if requested:
        typer.echo(f"querykin {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Show the version."
    ),
) -> None:
    """Options common to all commands."""


def main() -> None:
    """Run the program; errors the user can correct are printed as one line on stderr."""
    # Data is UTF-8 in every locale; an unpaired surrogate is written as its escape sequence.
    cast(io.TextIOWrapper, sys.stdout).reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        set_library_threads()
        run_short(app)
    except NotBuilt as error:  # commands build what they need, unless the workspace is not writable
        _fail(f"{error}, as a user who may write to the workspace")
    except QuerykinError as error:
        _fail(str(error))
    except OSError as error:
        _discard_output()
        _fail(f"{error.filename or 'cannot write the output'}: {error.strerror or error}")


def _fail(message: str) -> NoReturn:
    from rich.console import Console

    console = Console(stderr=True, soft_wrap=True)
    console.print(f"querykin: {message}", style="red", markup=False, highlight=False)
    sys.exit(1)


def _discard_output() -> None:
    """Redirect stdout to the null device, so that flushing it at interpreter exit cannot fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
