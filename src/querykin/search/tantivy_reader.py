"""Opening of tantivy indexes, also in folders that cannot be written to.

tantivy creates a lock file in the folder of an index before it opens it, lest a writer delete files at this
moment. Ours are never modified once they are written, and the lock protects nothing.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import tantivy

from querykin.errors import WorkspaceError

_LOCK_ERROR = "Failed to acquire Lockfile"  # tantivy::error::TantivyError::LockFailure


def open_searcher(folder: Path) -> tantivy.Searcher:
    """A searcher over the index in a folder; it keeps the files mapped."""
    try:
        return tantivy.Index.open(str(folder)).searcher()
    except ValueError as error:
        if _LOCK_ERROR not in str(error):
            raise
    return _open_links(folder.resolve())


def _open_links(folder: Path) -> tantivy.Searcher:
    """Open the index through links to its files in a temporary folder, where the lock file can be created."""
    try:
        # A thread of tantivy may still create a file while the folder is deleted.
        with TemporaryDirectory(prefix="querykin-index-", ignore_cleanup_errors=True) as links:
            for file in folder.iterdir():
                if file.suffix != ".lock":
                    Path(links, file.name).symlink_to(file)
            return tantivy.Index.open(links).searcher()
    except OSError as error:
        raise WorkspaceError(
            f"{folder} is not writable, and the search engine finds no temporary folder for its lock file "
            f"either ({error}); next: set TMPDIR to a writable folder"
        ) from error
