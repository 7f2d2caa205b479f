"""Opening of tantivy indexes, also in folders that cannot be written to.

tantivy creates a lock file in the folder of an index before it opens it, lest a writer delete files at this
moment. Ours are never modified once they are written, and the lock protects nothing.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import tantivy

from querykin.errors import DamagedFile, WorkspaceError

_LOCK_ERROR = "Failed to acquire Lockfile"  # tantivy::error::TantivyError::LockFailure


def open_searcher(folder: Path) -> tantivy.Searcher:
    """A searcher over the index in a folder; it keeps the files mapped."""
    try:
        with tantivy_errors(folder):
            return tantivy.Index.open(str(folder)).searcher()
    except DamagedFile as error:
        if _LOCK_ERROR not in str(error):
            raise
    return _open_links(folder.resolve())


@contextmanager
def tantivy_errors(folder: Path) -> Iterator[None]:
    """Turn errors of tantivy over an index, and its panics, into those of a damaged file."""
    try:
        yield
    except (ValueError, OSError) as error:
        raise DamagedFile(folder, str(error)) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # of PyO3, which has no module to import it from
            raise
        raise DamagedFile(folder, str(error)) from error


def _open_links(folder: Path) -> tantivy.Searcher:
    """Open the index through links to its files in a temporary folder, where the lock file can be created."""
    try:
        # A thread of tantivy may still create a file while the folder is deleted.
        with TemporaryDirectory(prefix="querykin-index-", ignore_cleanup_errors=True) as links:
            for file in folder.iterdir():
                if file.suffix != ".lock":
                    Path(links, file.name).symlink_to(file)
            with tantivy_errors(folder):
                return tantivy.Index.open(links).searcher()
    except OSError as error:
        raise WorkspaceError(
            f"{folder} is not writable, and the search engine finds no temporary folder for its lock file "
            f"either ({error}); next: set TMPDIR to a writable folder"
        ) from error
