"""Options that many commands share, and what they open."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from querykin.errors import InputError
from querykin.types import SkippedRecord

if TYPE_CHECKING:
    from querykin.workspace import Workspace

WorkspaceOption = Annotated[
    Path,
    typer.Option(
        "--workspace", envvar="QUERYKIN_WORKSPACE", help="The workspace's folder.", show_default=True
    ),
]
ConfigOption = Annotated[Path | None, typer.Option("--config", help="Settings as a TOML file.")]
FormatOption = Annotated[str, typer.Option("--format", help="text, json, jsonl or tsv.")]
TableFormatOption = Annotated[
    str | None, typer.Option("--format", help="tsv, csv or jsonl. Default: as the input.")
]
InfoFormatOption = Annotated[str, typer.Option("--format", help="text or json.")]
QuietOption = Annotated[bool, typer.Option("--quiet", help="Say nothing but results and errors.")]
SHOWN_PROBLEMS = 20
DEFAULT_WORKSPACE = Path("querykin-workspace")


def open_workspace(path: Path, config: Path | None, quiet: bool = False) -> "Workspace":
    """Open the workspace with the settings of a file. Imports late: numba takes its time."""
    from querykin.learning.model_files import Models
    from querykin.settings import Config
    from querykin.workspace import Workspace

    opened = Workspace.open(path, Config.read(config, Models(path / "models")) if config else None)
    opened.tell = Messages(quiet).say
    return opened


def measure_names(given: str, command: str) -> list[str]:
    """Names of measures as a user lists them, each once; at least one."""
    names = list(dict.fromkeys(name.strip() for name in given.split(",") if name.strip()))
    if not names:
        raise InputError(
            f"--measures needs at least one name, as in querykin {command} --measures web-kernel"
        )
    return names


def check_format(given: str, *allowed: str) -> str:
    """Accept a format that the command can write."""
    if given not in allowed:
        raise InputError(f"--format must be one of {', '.join(allowed)}, got {given!r}")
    return given


class Messages:
    """Progress and remarks on stderr, so that stdout holds nothing but data."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._console = Console(stderr=True, soft_wrap=True)

    def say(self, message: str) -> None:
        """One line, unless told to be quiet."""
        if not self._quiet:
            self._console.print(message, markup=False, highlight=False)

    @contextmanager
    def progress(self, title: str, total: int | None) -> Iterator[Callable[[int], None]]:
        """A bar with the time left; the block receives a function that takes steps done."""
        shown = not self._quiet and self._console.is_terminal
        columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f}%")
        with Progress(*columns, TimeRemainingColumn(), console=self._console, disable=not shown) as bar:
            task = bar.add_task(title, total=total)
            yield lambda steps: bar.advance(task, steps)


class Problems:
    """Counts what was skipped and shows the first ones as they come."""

    def __init__(self, messages: Messages) -> None:
        self.count, self._messages = 0, messages

    def __call__(self, problem: SkippedRecord) -> None:
        """Take note of a problem."""
        self.count += 1
        if self.count <= SHOWN_PROBLEMS:
            self._messages.say(f"skipped {problem}")
