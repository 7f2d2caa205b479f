"""Characters that texts must not contain: lone surrogates and NUL."""

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


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


def sanitize_json(value: object) -> object:
    """A JSON value with all its strings sanitized, keys included."""
    if isinstance(value, str):
        return sanitize(value)
    if isinstance(value, list):
        return [sanitize_json(item) for item in value]
    if isinstance(value, dict):
        return {sanitize(key): sanitize_json(item) for key, item in value.items()}
    return value
