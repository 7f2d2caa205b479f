"""How much may be asked, how fast, and by whom? The `[server]` section of the settings."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from querykin.errors import InputError
from querykin.measures.base import setting
from querykin.settings import check_settings

TOKENS = "QUERYKIN_TOKENS"  # the environment's way to hand over tokens, separated by commas
MIN_TOKEN_LENGTH = 16


@dataclass(frozen=True)
class Settings:
    """Bounds and rights of the service; every field is a setting of the section `[server]`."""

    threads: int = setting(4, "threads of a worker that compute", 1, 256)
    concurrency: int = setting(32, "requests of a worker that compute or wait for a thread", 1, 10_000)
    timeout: float = setting(10.0, "seconds until a request is given up", 0.01, 3600)
    shutdown: int = setting(30, "seconds that requests in flight are waited for at the end", 0, 3600)
    rate: float = setting(50.0, "requests a second of one client; 0: no bound", 0, 1e9)
    burst: int = setting(200, "requests that a client may make at once on top of the rate", 1, 10**9)
    max_body: int = setting(1_000_000, "bytes of a request's body", 1, 10**9)
    max_text: int = setting(1000, "characters of a text", 1, 10**6)
    max_pairs: int = setting(1000, "pairs of a request, times measures", 1, 10**6)
    max_queries: int = setting(100, "queries of a request", 1, 10**6)
    max_k: int = setting(1000, "suggestions or matches for a query", 1, 10**6)
    cache: int = setting(10_000, "answers of suggest that a worker keeps", 0, 10**9)
    log_queries: bool = setting(False, "write the texts that people ask into the log")
    tokens: tuple[str, ...] = setting((), "tokens of which a client must show one; none: everybody may ask")
    origins: tuple[str, ...] = setting((), "other sites whose scripts may ask (CORS)")
    hosts: tuple[str, ...] = setting(
        (), "names the service answers to besides this machine's; none: any, unless bound to this machine"
    )
    proxies: tuple[str, ...] = setting(("127.0.0.1", "::1"), "proxies whose X-Forwarded-For is believed")

    @classmethod
    def of(cls, given: Mapping[str, Any], environment: Mapping[str, str] = os.environ) -> Self:
        """The settings of a file, checked; tokens may also come from the environment."""
        known = {f.name: (f.default, f.metadata["least"], f.metadata["most"]) for f in fields(cls)}
        check_settings("[server]", given, known)
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in given.items()
        }
        more = tuple(filter(None, map(str.strip, environment.get(TOKENS, "").split(","))))
        found = cls(**{**values, "tokens": (*values.get("tokens", ()), *more)})
        for token in found.tokens:
            if (
                len(token) < MIN_TOKEN_LENGTH
                or not token.isascii()
                or not token.isprintable()
                or " " in token
            ):
                raise InputError(
                    f"a token needs at least {MIN_TOKEN_LENGTH} printable ASCII characters without spaces, got "
                    f"one of {len(token)}; next: python3 -c 'import secrets; print(secrets.token_urlsafe())'"
                )
        return found
