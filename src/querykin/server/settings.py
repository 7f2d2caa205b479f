"""Access tokens of the service from the environment, beside those of the settings."""

import os
from collections.abc import Mapping

from querykin.errors import InputError
from querykin.settings_sections import ServerSettings

TOKENS_VARIABLE = "QUERYKIN_TOKENS"  # tokens separated by commas
MIN_TOKEN_LENGTH = 16


def with_environment_tokens(
    settings: ServerSettings, environment: Mapping[str, str] = os.environ
) -> ServerSettings:
    """The settings with the tokens of the environment added, and every token checked."""
    more = tuple(filter(None, map(str.strip, environment.get(TOKENS_VARIABLE, "").split(","))))
    found = settings.model_copy(update={"tokens": (*settings.tokens, *more)})
    for token in found.tokens:
        if len(token) < MIN_TOKEN_LENGTH or not token.isascii() or not token.isprintable() or " " in token:
            raise InputError(
                f"a token needs at least {MIN_TOKEN_LENGTH} printable ASCII characters without spaces, got "
                f"one of {len(token)}; next: python3 -c 'import secrets; print(secrets.token_urlsafe())'"
            )
    return found
