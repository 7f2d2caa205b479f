"""Options shared by several commands, opening of the workspace, and progress output."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from querykin.errors import InputError
from querykin.types import Correction, SkippedFile, SkippedRecord

if TYPE_CHECKING:
    from rich.console import Console

    from querykin.io.keyword_tables import KeywordTable
    from querykin.workspace import Workspace

WorkspaceOption = Annotated[
    str,
    typer.Option(
        "--workspace",
        envvar="QUERYKIN_WORKSPACE",
        metavar="DIR",
        help="Folder of the workspace, or its address: s3://, gs://, az://.",
        show_default=True,
    ),
]
ConfigOption = Annotated[Path | None, typer.Option("--config", help="Settings, a TOML file.")]
FormatOption = Annotated[str, typer.Option("--format", help="text, json, jsonl or tsv.")]
TableFormatOption = Annotated[
    str | None, typer.Option("--format", help="tsv, csv or jsonl. Default: as the input.")
]
InfoFormatOption = Annotated[str, typer.Option("--format", help="text or json.")]
QuietOption = Annotated[bool, typer.Option("--quiet", help="Print only results and errors.")]
ExactOption = Annotated[
    bool, typer.Option("--exact", help="Search as typed: words without evidence are not corrected.")
]
OnOption = Annotated[
    str | None,
    typer.Option(
        "--on",
        metavar="MASTER",
        help="Run the work in tasks: processes[N], or a Spark master: local[*], spark://HOST:PORT, yarn.",
    ),
]
OfflineOption = Annotated[
    bool, typer.Option("--offline", help="Ask a search engine elsewhere nothing: use stored replies.")
]
MaxRequestsOption = Annotated[
    int | None,
    typer.Option("--max-requests", min=0, metavar="N", help="Requests to a search engine elsewhere."),
]
MAX_SHOWN_RECORDS = 20
MAX_SHOWN_FILES = 5
DEFAULT_WORKSPACE = "querykin-workspace"


def open_workspace(
    path: str,
    config: Path | None,
    progress: "TerminalProgress",
    language: str = "",
    on: str | None = None,
    offline: bool = False,
    max_requests: int | None = None,
    command: str = "",
) -> "Workspace":
    """Open a workspace with its settings and those of a file; what is given here precedes them.

    `on` is the master whose task runner does its batch work; `command` is the one whose kernels are compiled
    together if the first of them is not compiled yet.

    The imports are local since numba is slow to import.
    """
    from querykin.compute.compilation import compile_when_missing
    from querykin.distributed.masters import task_runner
    from querykin.settings import read_storage_settings, workspace_settings
    from querykin.settings_sections import StorageSettings, TextSettings
    from querykin.storage.locations import local_folder
    from querykin.workspace import Workspace

    compile_when_missing(command, progress)
    runner = task_runner(on, progress)
    storage = read_storage_settings(config) if config else StorageSettings()
    folder = local_folder(path, storage.cache_dir, storage.cache_bytes, progress)
    settings = workspace_settings(folder, config)
    for warning in settings.warnings:
        progress.message(f"warning: {warning}")
    if language:
        settings = replace(settings, text=TextSettings(language=language))
    requests = {"offline": offline or None, "max_requests": max_requests}
    given = {name: value for name, value in requests.items() if value is not None}
    settings = replace(settings, engine=settings.engine.model_copy(update=given))
    return Workspace.open(path, settings, progress=progress, runner=runner)


def warn_of_small_corpus(opened: "Workspace", names: Iterable[str]) -> None:
    """Print one line if any of the measures needs a corpus, and this one is too small to say much.

    A search engine elsewhere has other documents.
    """
    from querykin.corpus.small_corpus import small_corpus_warning

    if not opened.asks_elsewhere and any(opened.requirements(name).corpus for name in names):
        warning = small_corpus_warning(opened.corpus.statistics)
        if warning:
            opened.progress.message(warning)


def report_correction(correction: Correction | None, progress: "TerminalProgress") -> None:
    """Print which words of a query were replaced, and how to search as typed."""
    if correction:
        progress.message(f"{correction}; --exact searches as typed")


def measure_names(given: str, command: str) -> list[str]:
    """Parse a comma-separated list of measures; removes duplicates, requires at least one."""
    names = list(dict.fromkeys(name.strip() for name in given.split(",") if name.strip()))
    if not names:
        raise InputError(
            f"--measures needs at least one name, as in querykin {command} --measures web-kernel"
        )
    return names


def check_format(given: str, *allowed: str) -> str:
    """Raise an error if the command cannot write the format."""
    if given not in allowed:
        raise InputError(f"--format must be one of {', '.join(allowed)}, got {given!r}")
    return given


class TerminalProgress:
    """Progress and messages on stderr; stdout is for data."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet

    @cached_property
    def _console(self) -> "Console":
        from rich.console import Console  # slow to import, and not needed by --help

        return Console(stderr=True, soft_wrap=True)

    def message(self, text: str) -> None:
        """Print one line, unless --quiet is given."""
        if not self._quiet:
            self._console.print(text, markup=False, highlight=False)

    @contextmanager
    def task(self, title: str, total: int | None) -> Iterator[Callable[[int], None]]:
        """Show a progress bar with the remaining time; yields a function that advances it."""
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        visible = not self._quiet and self._console.is_terminal
        columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f}%")
        with Progress(*columns, TimeRemainingColumn(), console=self._console, disable=not visible) as bar:
            task = bar.add_task(title, total=total)
            yield lambda steps: bar.advance(task, steps)


class SkippedRecords:
    """Counts skipped records and prints the first ones; skipped files are listed when all were read."""

    def __init__(self, progress: TerminalProgress) -> None:
        self.count, self._progress = 0, progress
        self._files: list[SkippedFile] = []

    def list_files(self) -> None:
        """Print how many files of folders and archives were not read, and the first of them with reasons."""
        if self._files:
            self._progress.message(f"files that were not read, or not to their end: {len(self._files):,}")
        for file in self._files[:MAX_SHOWN_FILES]:
            self._progress.message(f"  {file}")
        if len(self._files) > MAX_SHOWN_FILES:
            self._progress.message(f"  and {len(self._files) - MAX_SHOWN_FILES:,} more")

    def __call__(self, record: SkippedRecord) -> None:
        """Count a skipped record, or remember a skipped file."""
        if isinstance(record, SkippedFile):
            self._files.append(record)
            return
        self.count += 1
        if self.count <= MAX_SHOWN_RECORDS:
            self._progress.message(f"skipped {record}")


def read_keywords(file: str, columns: str, progress: TerminalProgress) -> "KeywordTable":
    """Read a list of keywords, and print how it was read and what was skipped."""
    from querykin.io.columns import ColumnsRead
    from querykin.io.keyword_tables import read_keyword_table

    skipped, columns_read = SkippedRecords(progress), list[ColumnsRead]()
    table = read_keyword_table(file, skipped, columns=columns, noted=columns_read.append)
    for read in columns_read:
        progress.message(str(read))
    skipped.list_files()
    return table
