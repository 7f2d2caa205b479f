"""`querykin upgrade`: convert a workspace of an older format."""

from pathlib import Path

from querykin.cli.options import DEFAULT_WORKSPACE, QuietOption, TerminalProgress, WorkspaceOption
from querykin.counted_nouns import counted
from querykin.errors import InputError


def upgrade(workspace: WorkspaceOption = DEFAULT_WORKSPACE, quiet: QuietOption = False) -> None:
    """Convert a workspace of querykin 0.1 in place. Interruptible and resumable."""
    from querykin.storage.object_storage import storage_url
    from querykin.storage.upgrade import upgrade_workspace

    progress = TerminalProgress(quiet)
    if storage_url(workspace):
        raise InputError(f"upgrade converts a folder, got {workspace}; next: copy it to a folder and back")
    converted = upgrade_workspace(Path(workspace), lambda store: progress.message(f"converting {store}"))
    done = f"{counted(len(converted), 'store')} converted" if converted else "already up to date"
    progress.message(f"{workspace}: {done}")
