"""The folder of compiled code, where numba finds none that it can write to.

numba caches in NUMBA_CACHE_DIR, beside the source or in the home directory. In a container with a read-only
file system none of them may be writable, and numba then refuses to compile functions that are to be cached.
"""

import os
import shutil
import warnings
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile, gettempdir, mkdtemp

import numba

_VARIABLE = "NUMBA_CACHE_DIR"


@cache
def code_cache_works() -> bool:
    """Whether compiled code can be cached, possibly in a temporary folder; False: compile in every process.

    The temporary folder begins with what NUMBA_CACHE_DIR holds, so that code compiled for an image is used.
    """
    given: str = getattr(numba.config, "CACHE_DIR", "")
    if (not given or _is_writable(Path(given))) and _numba_finds_folder():
        return True
    try:
        folder = _private_folder()
        if given and Path(given).is_dir() and not any(folder.iterdir()):
            shutil.copytree(given, folder, dirs_exist_ok=True)
    except OSError as error:
        _warn(f"cannot be cached ({error}), so every start compiles it again")
        return False
    os.environ[_VARIABLE] = str(folder)  # for worker processes
    numba.config.reload_config()  # type: ignore[no-untyped-call]
    _warn(f"is cached in {folder}, since {given or 'no other folder'} is {'not ' if given else ''}writable")
    return True


def _numba_finds_folder() -> bool:
    try:
        numba.njit(cache=True)(_numba_finds_folder)  # looks for a folder, and compiles nothing yet
    except RuntimeError:
        return False
    return True


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def _private_folder() -> Path:
    """A folder that only this user can write to: whoever writes to it decides what code is run."""
    folder = Path(gettempdir(), f"querykin-code-{os.getuid()}")
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if found.st_uid != os.getuid() or found.st_mode & 0o077 or folder.is_symlink():
        return Path(mkdtemp(prefix="querykin-code-"))
    return folder


def _warn(message: str) -> None:
    warnings.warn(
        f"compiled code {message}; set {_VARIABLE} to a writable folder", RuntimeWarning, stacklevel=2
    )
