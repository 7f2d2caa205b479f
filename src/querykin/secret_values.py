"""Passwords and keys: read from variables that are meant for querykin, and never shown."""

import os
import re
from collections.abc import Iterable

from querykin.errors import InputError

# A workspace may come from somebody else: its settings must not send other secrets of the environment away.
_VARIABLE = re.compile(r"QUERYKIN_[A-Z0-9_]+")


def read_secret(variable: str, setting: str) -> str:
    """The value of the environment variable that a setting names; empty if it is not set."""
    if not _VARIABLE.fullmatch(variable):
        raise InputError(f"{setting} must be a variable whose name begins with QUERYKIN_, got {variable!r}")
    return os.environ.get(variable, "")


def check_key(key: str, place: str) -> str:
    """The key; an error, which does not show it, if a header cannot hold it.

    >>> check_key("k3y", "QUERYKIN_ENGINE_KEY")
    'k3y'
    """
    if not (key.isascii() and key.isprintable()):
        raise InputError(
            f"the key in {place} has characters that no key has, such as a line break; next: copy it again"
        )
    return key


def without_secrets(text: str, headers: Iterable[str]) -> str:
    """What a server says, without the headers that were sent to it, as a whole or after their scheme.

    >>> without_secrets("refused: dTpw (Basic dTpw)", ["Basic dTpw"])
    'refused: ... (...)'
    """
    for value in headers:
        for shown in filter(None, (value, value.rpartition(" ")[2])):
            text = text.replace(shown, "...")
    return text
