"""`querykin upgrade`: convert a workspace of an older format."""

from querykin.cli.options import DEFAULT_WORKSPACE, QuietOption, TerminalProgress, WorkspaceOption


def upgrade(workspace: WorkspaceOption = DEFAULT_WORKSPACE, quiet: QuietOption = False) -> None:
    """Convert a workspace of querykin 0.1 in place. Interruptible and resumable."""
    from querykin.storage.upgrade import upgrade_workspace

    progress = TerminalProgress(quiet)
    converted = upgrade_workspace(workspace, lambda store: progress.message(f"converting {store}"))
    done = f"{len(converted):,} stores converted" if converted else "already up to date"
    progress.message(f"{workspace}: {done}")
