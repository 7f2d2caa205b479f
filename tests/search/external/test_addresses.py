"""Private addresses are asked only if they are named, and the checked address is the one connected to."""

import socket

import pytest

from querykin.errors import InputError, ServiceUnavailable
from querykin.search.engine_settings import EngineSettings
from querykin.search.external.addresses import is_public, parse_url, resolve
from querykin.search.external.mediawiki_engine import MediaWikiEngine
from querykin.search.external.reply_cache import ReplyCache
from search_server import search_server

PRIVATE = [
    "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
    "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "::ffff:10.0.0.1",
    "64:ff9b::a00:1", "64:ff9b:1::a00:1", "2002:a00:1::", "ff02::1", "::127.0.0.1", "fec0::1",
]  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE)
def test_addresses_that_are_not_of_the_internet(address):
    assert not is_public(address)


def resolving(monkeypatch, *addresses):
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, 80)) for each in addresses]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)


@pytest.mark.parametrize("addresses", [["10.0.0.7"], ["93.184.216.34", "10.0.0.7"]])
def test_a_private_address_behind_a_name_is_refused_unless_named(monkeypatch, addresses):
    resolving(monkeypatch, *addresses)
    parts = parse_url("https://Search.Example.com/api.php")
    with pytest.raises(
        InputError, match=r"search\.example\.com has the private address 10\.0\.0\.7, which is"
    ):
        resolve(parts, ("localhost",))
    assert resolve(parts, ("search.example.com",)) == addresses[0]


def test_the_loopback_interface_is_refused_unless_named(tmp_path):
    with search_server() as server:
        engine = MediaWikiEngine(EngineSettings(kind="mediawiki", url=server.api), ReplyCache(tmp_path))
        with pytest.raises(InputError, match=r"querykin init --private-host localhost"):
            engine.search("nasa", 5)
        assert server.requests == []


def test_a_name_that_changes_after_the_check_leads_nowhere_else(monkeypatch, tmp_path):
    with search_server() as server:
        port, asked, original = int(server.url.rpartition(":")[2]), [], socket.getaddrinfo

        def rebinding(host, *rest, **names):
            asked.append(host)
            return original("127.0.0.1" if asked.count(host) == 1 else "192.0.2.1", *rest, **names)

        monkeypatch.setattr(socket, "getaddrinfo", rebinding)
        settings = EngineSettings(
            kind="mediawiki",
            url=f"http://wiki.example.com:{port}/api.php",
            private_hosts=("wiki.example.com",),
        )
        assert MediaWikiEngine(settings, ReplyCache(tmp_path)).search("nasa", 5)
        assert asked.count("wiki.example.com") == 1
        assert server.headers[0]["host"] == f"wiki.example.com:{port}"


@pytest.mark.parametrize(
    "url", ["ftp://a", "https://", "http://[::1", "http://a:b", "file:///etc/passwd", "x"]
)
def test_what_is_no_address_is_refused(url):
    with pytest.raises(InputError, match=r"url of .engine. must be an address like"):
        parse_url(url)


def test_an_address_with_a_password_is_refused_without_repeating_it():
    with pytest.raises(InputError, match="must not hold a password") as caught:
        parse_url("https://ann:s3cret@example.com")
    assert "s3cret" not in str(caught.value)


def test_a_name_without_an_address_is_named():
    with pytest.raises(ServiceUnavailable, match=r"nowhere\.invalid has no address"):
        resolve(parse_url("https://nowhere.invalid"), ())
