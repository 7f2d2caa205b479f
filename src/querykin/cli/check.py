"""`querykin check`: verify the files of a workspace."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from querykin.cli.options import (
    DEFAULT_WORKSPACE,
    ConfigOption,
    InfoFormatOption,
    QuietOption,
    TerminalProgress,
    WorkspaceOption,
    check_format,
    open_workspace,
)
from querykin.counted_nouns import counted
from querykin.errors import WorkspaceError

if TYPE_CHECKING:
    from querykin.integrity import Damage

_MAX_SHOWN = 10  # files that do not belong to the workspace


def check(
    repair: Annotated[
        bool,
        typer.Option(
            "--repair",
            help="Delete damaged data that can be built again, what interrupted writers left, and damaged "
            "parts of the local copy of a workspace in object storage. Original data is never deleted.",
        ),
    ] = False,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    format: InfoFormatOption = "text",
    quiet: QuietOption = False,
) -> None:
    """Compare every file of the workspace with its checksum; say what to do about damage."""
    import json

    from querykin import integrity

    check_format(format, "text", "json")
    progress = TerminalProgress(quiet)
    opened = open_workspace(workspace, config, progress)
    deleted = integrity.repair(opened) if repair else []
    for line in deleted:
        progress.message(f"deleted {line}")
    damage, unknown = integrity.find_damage(opened), integrity.unknown_files(opened.path)
    if format == "json":
        listed = [_as_json(each) for each in damage]
        typer.echo(
            json.dumps({"damage": listed, "deleted": deleted, "unknown": [str(each) for each in unknown]})
        )
    else:
        for each in damage:
            typer.echo(str(each))
    for path in unknown[:_MAX_SHOWN]:
        progress.message(f"not part of the workspace, and left alone: {path}")
    if len(unknown) > _MAX_SHOWN:
        progress.message(f"and {len(unknown) - _MAX_SHOWN:,} more")
    if found := [each for each in damage if not each.is_unread]:
        raise WorkspaceError(f"{workspace} is damaged: {counted(len(found), 'problem')}, listed above")
    if damage:
        raise WorkspaceError(f"{workspace} is intact as far as this user may read it")
    progress.message(f"{workspace} is intact")


def _as_json(damage: "Damage") -> dict[str, Any]:
    data = "original" if damage.entry.is_original else "derived"
    return {"problem": damage.problem, "data": data, "of": damage.entry.name, "next": damage.remedy}
