"""Manifests changed as if the program had written them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from querykin.storage.checked_json import with_checksum


def edit_manifest(store: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Replace the manifest of the store in a folder by a changed one with the checksum that it needs."""
    path = store / "manifest.json"
    raw = json.loads(path.read_text("utf-8"))
    del raw["checksum"]
    path.write_text(json.dumps(with_checksum(change(raw))), "utf-8")
