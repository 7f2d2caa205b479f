"""API keys of search engines: from the environment or a keyring, never from or into files."""

from querykin.errors import InputError, MissingExtra
from querykin.search.engine_settings import EngineSettings
from querykin.secret_values import check_key, read_secret


def find_key(settings: EngineSettings) -> str:
    """The API key that the settings name; empty if there is none."""
    if found := read_secret(settings.key_env, "key_env of [engine]").strip():
        return check_key(found, settings.key_env)
    return check_key(_from_keyring(settings.keyring), "the keyring") if settings.keyring else ""


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
