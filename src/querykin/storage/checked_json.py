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
    return {CHECKSUM: json_checksum(json.loads(json.dumps(content))), **content}


def verified_json(content: Any, path: Path, *, required: bool = True) -> dict[str, Any]:
    """The content that was read from a file, without its checksum; DamagedFile if it is not what was written.

    It is not required of files that querykin 0.1 or people may have written.

    >>> verified_json({"checksum": "9608276692bb27b2", "weight": 0.25}, Path("model.json"))
    {'weight': 0.25}
    """
    if not isinstance(content, dict):
        raise DamagedFile(path, "it is not a JSON object")
    rest = {name: value for name, value in content.items() if name != CHECKSUM}
    if (required or CHECKSUM in content) and content.get(CHECKSUM) != json_checksum(rest):
        raise DamagedFile(path, "it differs from what was written")
    return rest


def json_checksum(content: Mapping[str, Any]) -> str:
    """The XXH3 of JSON with sorted keys and without spaces."""
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return xxh3_64_hexdigest(canonical.encode("utf-8", "replace"))  # as files are written
