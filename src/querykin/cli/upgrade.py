"""`querykin upgrade`: convert a workspace of an older format."""

from querykin.cli.options import DEFAULT_WORKSPACE, QuietOption, TerminalProgress, WorkspaceOption
from querykin.counted_nouns import counted


def upgrade(workspace: WorkspaceOption = DEFAULT_WORKSPACE, quiet: QuietOption = False) -> None:
    """Convert a workspace of querykin 0.1 in place. Interruptible and resumable."""
    from querykin.storage.upgrade import upgrade_workspace

    progress = TerminalProgress(quiet)
    converted = upgrade_workspace(workspace, lambda store: progress.message(f"converting {store}"))
    done = f"{counted(len(converted), 'store')} converted" if converted else "already up to date"
    progress.message(f"{workspace}: {done}")
