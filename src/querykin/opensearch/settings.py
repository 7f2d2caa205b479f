"""The settings of a connection to OpenSearch."""

from urllib.parse import urlsplit

from pydantic import Field

from querykin.errors import InputError
from querykin.validation import Section


class OpenSearchSettings(Section):
    """The OpenSearch cluster that `[engine]` and `[candidates]` may use."""

    hosts: tuple[str, ...] = Field(
        ("http://localhost:9200",), strict=False, min_length=1, description="addresses of nodes"
    )
    user: str = Field("", description="the user; none: no authentication")
    password_env: str = Field(
        "QUERYKIN_OPENSEARCH_PASSWORD",
        description="the environment variable that holds the password: QUERYKIN_...",
    )
    api_key_env: str = Field(
        "",
        description="the environment variable that holds an API key, in place of user and password: "
        "QUERYKIN_...",
    )
    ca_certs: str = Field(
        "", description="the file of the certificate authorities to trust; none: those of the system"
    )
    verify_certs: bool = Field(True, description="whether certificates are verified")
    timeout: float = Field(30.0, ge=0.1, le=3600, description="seconds until a request is abandoned")
    retries: int = Field(
        8,
        ge=0,
        le=100,
        description="further attempts of a request that a node did not answer or refused as busy",
    )
    shards: int = Field(1, ge=1, le=1024, description="primary shards of a new index")
    replicas: int = Field(1, ge=0, le=100, description="copies of each shard of a new index")

    def at(self, address: str) -> "OpenSearchSettings":
        """The same settings for other hosts, separated by commas."""
        hosts = tuple(filter(None, (each.strip() for each in address.split(","))))
        return self.model_copy(update={"hosts": hosts})

    def check_hosts(self) -> None:
        """Raise an error if a host is no address, or holds a password."""
        if not self.hosts:
            raise InputError(
                "an OpenSearch address is needed, like https://search.example.com:9200, got none"
            )
        for host in self.hosts:
            try:
                parts = urlsplit(host)
                is_url = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
            except ValueError:  # of a port that is no number, or of an incomplete IPv6 address
                raise _not_a_url(host.rpartition("@")[2]) from None
            if parts.username is not None:
                raise InputError(
                    f"the address of {parts.hostname} must not hold a user or a password; next: set user of "
                    "[opensearch] and the environment variable that password_env names"
                )
            if not is_url:
                raise _not_a_url(host)


def _not_a_url(host: str) -> InputError:
    return InputError(
        f"an OpenSearch address must be a URL, like https://search.example.com:9200, got {host!r}"
    )
