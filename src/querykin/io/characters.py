"""Characters that texts must not contain: lone surrogates and NUL."""

import math
import re

_SURROGATE = re.compile("[\ud800-\udfff]")

# What in JSON may become a lone surrogate, NUL or an infinite number: records without it need no sanitizing.
SUSPECT = re.compile(rb"\\u(?:[dD][89a-fA-F]|0000)|NaN|Infinity|[eE]\+?[0-9]{3}|[0-9]{309}")


def invalid_characters(text: str) -> str | None:
    r"""What is wrong with a text decoded with "surrogateescape", or None.

    >>> invalid_characters("caf\udce9")
    'not UTF-8: save the file as UTF-8'
    """
    if "\0" in text:
        return "a NUL character: is this a binary file?"
    if not text.isascii() and _SURROGATE.search(text):
        return "not UTF-8: save the file as UTF-8"
    return None


def sanitize(text: str) -> str:
    """The text with lone surrogates replaced by U+FFFD and NUL by a space."""
    return _SURROGATE.sub("\ufffd", text).replace("\0", " ")


def printable(name: str) -> str:
    r"""The name of a file as it can be shown in one line of a message.

    >>> printable("a\nb")
    'a\ufffdb'
    """
    return name if name.isprintable() else "".join(c if c.isprintable() else "\ufffd" for c in name)


def sanitize_json(value: object, is_stored: bool = False) -> object:
    """A JSON value with all its strings sanitized, keys included.

    What is stored as JSON again has None for NaN and infinite numbers, which other readers of JSON refuse.
    """
    if isinstance(value, str):
        return sanitize(value)
    if isinstance(value, list):
        return [sanitize_json(item, is_stored) for item in value]
    if isinstance(value, dict):
        return {sanitize(key): sanitize_json(item, is_stored) for key, item in value.items()}
    if is_stored and isinstance(value, float) and not math.isfinite(value):
        return None
    return value
