"""Folders with data of one user: what people uploaded, and copies of what is in object storage."""

from pathlib import Path


def make_private_folder(folder: Path) -> None:
    """Create a folder that only its owner can enter, whatever the umask; one that exists is left as it is."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
