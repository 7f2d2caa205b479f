"""JSON documents, one a line, as bulk and multi-search requests hold them."""

import json
from collections.abc import Iterable
from typing import Any


def json_lines(documents: Iterable[Any]) -> bytes:
    r"""The documents as compact JSON, a line break after each.

    >>> json_lines([{"a": 1}, {}])
    b'{"a":1}\n{}\n'
    """
    return b"".join(
        json.dumps(each, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        for each in documents
    )
