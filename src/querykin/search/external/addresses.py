"""Addresses that requests may go to: what a name resolves to is checked, and then connected to.

A name that is resolved once for the check and again for the connection could lead elsewhere the second time
(DNS rebinding): the checked address itself is used.
"""

import socket
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import SplitResult, urlsplit

from querykin.errors import InputError, ServiceUnavailable

# The last 32 bits are an IPv4 address: RFC 6052, and IPv4-compatible addresses (RFC 4291).
_EMBEDDING = IPv6Network("64:ff9b::/96"), IPv6Network("::/96")
# Of sites, which Python takes for global: RFC 3879, and translation within a site (RFC 8215).
_LOCAL = IPv6Network("fec0::/10"), IPv6Network("64:ff9b:1::/48")


def parse_url(url: str, setting: str = "url of [engine]") -> SplitResult:
    """The parts of an address; an error if it is none, or holds a password."""
    try:
        parts = urlsplit(url)
        is_url = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # of a port that is no number, or of an incomplete IPv6 address
        is_url = False
    if not is_url:
        shown = url.rpartition("@")[2]
        raise InputError(f"{setting} must be an address like https://search.example.com, got {shown!r}")
    if parts.username is not None or parts.password is not None:
        raise InputError(
            f"{setting} must not hold a password; next: put the key into the environment variable that "
            "key_env names"
        )
    return parts


def is_public(address: str) -> bool:
    """Whether an IP address is one of the public internet.

    >>> is_public("203.0.112.1"), is_public("10.0.0.1"), is_public("169.254.169.254"), is_public("::1")
    (True, False, False, False)
    >>> is_public("::ffff:127.0.0.1"), is_public("64:ff9b::7f00:1")
    (False, False)
    """
    found = ip_address(address.partition("%")[0])
    is_local = any(found in network for network in _LOCAL)
    return _embedded(found).is_global and not (found.is_multicast or is_local)


def _embedded(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """The IPv4 address that an IPv6 address stands for, if it does."""
    if isinstance(address, IPv4Address):
        return address
    if any(address in network for network in _EMBEDDING):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def resolve(parts: SplitResult, private_hosts: tuple[str, ...]) -> str:
    """The IP address of a host; an error if any of its addresses is private and the host is not named."""
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise ServiceUnavailable(
            f"{host} has no address ({error}); next: correct url of [engine], or connect to the network"
        ) from error
    addresses = [str(each[4][0]) for each in found]
    if host not in {name.lower() for name in private_hosts}:
        for address in addresses:
            if not is_public(address):
                raise InputError(
                    f"{host} has the private address {address}, which is not asked unless it is named; next: "
                    f'private_hosts = ["{host}"] in [engine], or querykin init --private-host {host}'
                )
    return addresses[0]
