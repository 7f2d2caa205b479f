"""Where a workspace is: a folder, or an address in object storage with a mirror in the cache."""

import hashlib
import json
import os
import re
from pathlib import Path
from threading import Lock

from querykin.errors import WorkspaceError
from querykin.progress import SILENT, Progress
from querykin.storage.atomic_write import PRIVATE_FOLDER, create_folder, write_text
from querykin.storage.mirror import Mirror
from querykin.storage.object_storage import endpoint, storage_url
from querykin.storage.part_cache import ORIGIN, REMOTE, PartCache
from querykin.storage.restore_folders import refuse_unfinished_restore

CACHE_BYTES = 20_000_000_000
_open_mirrors: dict[Path, Mirror] = {}
_opening = Lock()


def local_folder(
    path: str | os.PathLike[str],
    cache_dir: str = "",
    cache_bytes: int = CACHE_BYTES,
    progress: Progress = SILENT,
) -> Path:
    """The folder of a workspace: the given one, or the mirror of an address, brought up to date."""
    url = storage_url(path)
    if url:
        folder = Path(cache_dir).expanduser().absolute() if cache_dir else default_cache_dir()
        readable = re.sub(r"[^A-Za-z0-9]+", "-", url)[:60]
        root = folder / f"{readable}-{hashlib.sha256(f'{endpoint(url)} {url}'.encode()).hexdigest()[:12]}"
        origin = root / REMOTE / ORIGIN
        try:
            create_folder(root, PRIVATE_FOLDER)
            origin.parent.mkdir(exist_ok=True)
            write_text(origin, json.dumps({"url": url, "cache_bytes": cache_bytes}))
        except OSError as error:
            raise WorkspaceError(
                f"cannot write to the cache in {folder}: {error.strerror}; "
                "next: set cache_dir in the section storage of the settings"
            ) from error
        _open_mirrors.pop(root, None)  # the limit may have changed
    else:
        root = Path(path)
        if not root.is_absolute() and mirror_of(root.absolute()):  # whoever works inside a mirror
            root = root.absolute()
    refuse_unfinished_restore(root)
    if mirror := mirror_of(root):
        mirror.parts.progress = progress
        mirror.refresh()
    return root


def default_cache_dir() -> Path:
    """The folder of mirrors where the settings name none."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").absolute() / "querykin"


def mirror_of(path: Path) -> Mirror | None:
    """The mirror that a file or folder belongs to, if it does."""
    for folder in (path, *path.parents):
        with _opening:
            if folder in _open_mirrors:
                return _open_mirrors[folder]
            origin = folder / REMOTE / ORIGIN
            if origin.is_file():
                found = json.loads(origin.read_text("utf-8"))
                cache = PartCache(folder.parent, int(found["cache_bytes"]))
                return _open_mirrors.setdefault(folder, Mirror(folder, str(found["url"]), cache, SILENT))
    return None


def bring_up_to_date(path: Path, max_age: float = 0.0) -> None:
    """Show in a mirror what was written to its bucket; other folders are what they are."""
    refuse_unfinished_restore(path)
    if mirror := mirror_of(path):
        mirror.refresh(max_age)


def location(path: Path) -> str:
    """Where a file or folder really is, for messages: its address, if it belongs to a mirror."""
    mirror = mirror_of(path)
    return mirror.url_of(path) if mirror else str(path)


def without_location(message: str, path: Path) -> str:
    """A message for strangers: without the path of a workspace and its address.

    >>> without_location("the corpus in /srv/shop is empty", Path("/srv/shop"))
    'the corpus in the workspace is empty'
    >>> without_location("s/corpus is gone; questions are answered", Path("s"))
    'the workspace/corpus is gone; questions are answered'
    """
    names = "|".join(map(re.escape, {location(path), str(path)}))
    # As a whole: the path may be relative, and as short as a letter of another word.
    return re.sub(rf"(?<![\w./-])(?:{names})(?![\w-])", "the workspace", message)
