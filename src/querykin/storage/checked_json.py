"""JSON objects that carry a checksum, so that a flipped digit in a model or a list is noticed.

The checksum is that of the parsed content: spaces, line breaks and the order of keys do not count.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from xxhash import xxh3_64_hexdigest

from querykin.errors import DamagedFile

CHECKSUM = "checksum"


def with_checksum(content: Mapping[str, Any]) -> dict[str, Any]:
    """The content with its checksum in front.

    >>> with_checksum({"weight": 0.25})
    {'checksum': '9608276692bb27b2', 'weight': 0.25}
    """
    return {CHECKSUM: _checksum(json.loads(json.dumps(content))), **content}


def without_checksum(content: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """The content that was read from a file; DamagedFile if it is not what was written.

    Files of earlier versions have no checksum, and are not verified.

    >>> without_checksum({"checksum": "9608276692bb27b2", "weight": 0.25}, Path("model.json"))
    {'weight': 0.25}
    """
    rest = {name: value for name, value in content.items() if name != CHECKSUM}
    if CHECKSUM in content and content[CHECKSUM] != _checksum(rest):
        raise DamagedFile(path, "it differs from what was written")
    return rest


def _checksum(content: Mapping[str, Any]) -> str:
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return xxh3_64_hexdigest(canonical.encode("utf-8", "replace"))  # as files are written
