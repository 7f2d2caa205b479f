"""Certificates are verified for the name of the host, though its address is connected to."""

import shutil
import socket
import subprocess

import pytest

from querykin.errors import InputError, ServiceUnavailable
from querykin.search.engine_settings import EngineSettings
from querykin.search.external.mediawiki_engine import MediaWikiEngine
from querykin.search.external.reply_cache import ReplyCache
from replaying_node import replaying_node

REPLY = {"query": {"search": [{"pageid": 1, "title": "NASA", "snippet": "explores space"}]}}


@pytest.fixture
def certificate(tmp_path):
    """That of wiki.example.com, which no authority has signed."""
    if not shutil.which("openssl"):
        pytest.skip("needs openssl to make a certificate")
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=test", "-days", "2"]
    made += ["-addext", "subjectAltName=DNS:wiki.example.com"]
    made += ["-keyout", tmp_path / "key.pem", "-out", tmp_path / "cert.pem"]
    subprocess.run(made, check=True, capture_output=True)
    both = tmp_path / "both.pem"
    both.write_bytes((tmp_path / "key.pem").read_bytes() + (tmp_path / "cert.pem").read_bytes())
    return both


def test_a_certificate_must_be_of_the_host_and_of_a_known_authority(certificate, tmp_path, monkeypatch):
    original = socket.getaddrinfo
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda host, *rest, **names: original("127.0.0.1", *rest, **names)
    )
    authority = str(tmp_path / "cert.pem")

    def hits(host, ca_certs):
        settings = EngineSettings(
            kind="mediawiki",
            url=f"https://{host}:{node.url.rpartition(':')[2]}/api.php",
            private_hosts=(host,),
            ca_certs=ca_certs,
            retries=0,
        )
        return MediaWikiEngine(settings, ReplyCache(tmp_path / host)).search("nasa", 5)

    with replaying_node({"GET /api.php": (200, REPLY)}, certificate) as node:
        assert [hit.title for hit in hits("wiki.example.com", authority)] == ["NASA"]
        with pytest.raises(ServiceUnavailable, match="certificate verify failed"):
            hits("other.example.com", authority)
        with pytest.raises(ServiceUnavailable, match="certificate verify failed"):
            hits("third.example.com", "")


def test_a_missing_file_of_authorities_is_an_error(tmp_path):
    settings = EngineSettings(kind="mediawiki", url="https://wiki.example.com", ca_certs="/nowhere.pem")
    with pytest.raises(InputError, match=r"ca_certs of \[engine\] must be a file of certificates"):
        MediaWikiEngine(settings, ReplyCache(tmp_path)).search("nasa", 5)
