"""Stores on a file system that several machines share: whether all of them see the same content."""

from pathlib import Path
from socket import gethostname
from time import monotonic, sleep

from querykin.errors import WorkspaceError
from querykin.storage.store import read_manifest

_PATIENCE = 10.0  # seconds until a network file system shows what another machine has written
_PAUSE = 0.2


def generation(folder: Path) -> int:
    """The generation of a store; -1 if there is none."""
    try:
        return int(read_manifest(folder / "manifest.json").get("generation", -1))
    except FileNotFoundError:
        return -1


def wait_for_generation(folder: Path, wanted: int) -> None:
    """Raise an error if this machine does not see the generation of a store that another machine sees."""
    began = monotonic()
    while (found := generation(folder)) != wanted:
        if found > wanted:
            raise WorkspaceError(
                f"the driver works on generation {wanted} of {folder}, on {gethostname()} it has generation "
                f"{found}: another command has changed it, or that machine has another folder there; "
                "finished work is kept: run the command again"
            )
        if monotonic() - began > _PATIENCE:
            seen = "nothing there" if found < 0 else f"its generation {found}"
            raise WorkspaceError(
                f"the driver works on generation {wanted} of {folder}, the executor on {gethostname()} sees "
                f"{seen}; next: put the workspace on a file system that all machines share, under one path"
            )
        sleep(_PAUSE)
