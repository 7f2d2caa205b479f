"""The `querykin` program and its commands; exit codes: 0 success, 1 invalid input or state, 2 wrong usage."""

import io
import os
import sys
from collections.abc import Iterable
from importlib import import_module
from typing import Any, NoReturn, cast

import typer
from typer.core import TyperGroup

from querykin.build_policy import NotBuilt
from querykin.compute.cpus import set_library_threads
from querykin.compute.interpreter import run_short
from querykin.errors import QuerykinError
from querykin.version import __version__

# In the order of the help; a command is a function of the module of its name, or of another module.
_GROUPS = ("corpus", "repository", "log", "block", "train")
_COMMANDS = {
    "init": "init",
    "demo": "demo",
    "build": "build",
    "publish": "publish",
    "suggest": "suggest",
    "match": "suggest",
    "search": "search",
    "similarity": "similarity",
    "score": "similarity",
    "keywords": "keywords",
    "cluster": "cluster",
    "dedupe": "dedupe",
    "evaluate": "evaluate",
    "agreement": "evaluate",
    "filter": "filter",
    "check": "check",
    "backup": "backup",
    "restore": "restore",
    "serve": "serve",
    "warm": "warm",
    "upgrade": "upgrade",
}


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


def _print_version(requested: bool) -> None:
    if requested:
        typer.echo(f"querykin {__version__}")
        raise typer.Exit


def _common(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Show the version."
    ),
) -> None:
    """Options common to all commands."""


def program(commands: Iterable[str] = (*_GROUPS, *_COMMANDS)) -> typer.Typer:
    """The program with some of its commands, by default all."""
    app = typer.Typer(
        cls=_Program,
        name="querykin",
        help="Similarity of short texts and related-query suggestions, computed from a corpus.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # plain help: importing rich takes twice as long as all other imports
        callback=_common,
    )
    for name in commands:
        module = import_module(f"querykin.cli.{_COMMANDS.get(name, name)}")
        if name in _GROUPS:
            app.add_typer(module.app, name=name)
        else:
            app.command()(getattr(module, name))
    return app


def _needed(arguments: list[str]) -> typer.Typer:
    """The program with the command that is called alone: the options of all take as long as Python itself."""
    first = arguments[0] if arguments else ""
    if first == "--version":
        return program([])
    return program([first]) if first in _GROUPS or first in _COMMANDS else program()


def main() -> None:
    """Run the program; errors the user can correct are printed as one line on stderr."""
    # Data is UTF-8 in every locale; an unpaired surrogate is written as its escape sequence.
    cast(io.TextIOWrapper, sys.stdout).reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        set_library_threads()
        run_short(lambda: _needed(sys.argv[1:])())
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
