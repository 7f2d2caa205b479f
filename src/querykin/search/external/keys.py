"""API keys of search engines: from the environment or a keyring, never from or into files."""

import os
import re

from querykin.errors import InputError, MissingExtra
from querykin.search.engine_settings import EngineSettings

# A workspace may come from somebody else: its settings must not send other secrets of the environment away.
_VARIABLE = re.compile(r"QUERYKIN_[A-Z0-9_]+")


def find_key(settings: EngineSettings) -> str:
    """The API key that the settings name; empty if there is none."""
    if not _VARIABLE.fullmatch(settings.key_env):
        raise InputError(
            f"key_env of [engine] must be a variable whose name begins with QUERYKIN_, got "
            f"{settings.key_env!r}"
        )
    if found := os.environ.get(settings.key_env, ""):
        return found.strip()
    return _from_keyring(settings.keyring) if settings.keyring else ""


def require_key(settings: EngineSettings, engine: str) -> str:
    """The API key; an error if there is none."""
    if not (key := find_key(settings)):
        raise InputError(
            f"{engine} needs an API key, and the environment variable {settings.key_env} is not set; next: "
            f"export {settings.key_env}=..., or name an entry of the keyring as keyring in [engine]"
        )
    return key


def _from_keyring(service: str) -> str:
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        raise MissingExtra("a key in a keyring", "web") from None
    try:
        return keyring.get_password(service, "querykin") or ""
    except KeyringError as error:
        raise InputError(
            f"the keyring cannot be read ({error}); next: set the environment variable of key_env"
        ) from error
