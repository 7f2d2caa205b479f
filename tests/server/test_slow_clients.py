"""Clients that connect and send nothing, or send too slowly, do not keep others from being answered."""

import socket
import time
from contextlib import ExitStack

import pytest

WAITING = 2000
HALF = b"POST /v1/similarity HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
BODY = HALF + b"Content-Length: 100\r\n\r\n{"
FAST = "rate = 0\nheader_timeout = 1\ntimeout = 1\nkeep_alive = 1\nwrite_timeout = 1"


def _connect(service, sent=b""):
    connection = socket.create_connection(("127.0.0.1", service.port), timeout=30)
    connection.sendall(sent)
    return connection


def _read_to_end(connection):
    """What the server sends until it closes the connection."""
    received = b""
    try:
        while data := connection.recv(65536):
            received += data
    except ConnectionResetError:
        pass
    return received


@pytest.fixture(scope="module")
def slow_service(start_shared_service, built_workspace):
    """A service with short times, shared by the tests of this module."""
    return start_shared_service(built_workspace, settings=FAST)


@pytest.mark.parametrize("arguments", [(), ("--workers", "2"), ("--shard", "1/2")], ids=" ".join)
def test_the_service_answers_while_2000_connections_wait(start_service, built_workspace, arguments):
    service = start_service(built_workspace, *arguments, settings="rate = 0")
    for sent in (b"", HALF, BODY):
        with ExitStack() as stack:
            for _ in range(WAITING):
                stack.enter_context(_connect(service, sent))
            for _ in range(10):
                assert service.request("GET", "/healthz") == (200, {"status": "alive"})
            assert service.request("GET", "/v1/suggest?q=NASA")[0] == 200
    assert service.stop() == 0


def test_a_trusted_proxy_may_have_them_all(start_service, built_workspace):
    service = start_service(built_workspace, settings='rate = 0\nproxies = ["127.0.0.1"]')
    with ExitStack() as stack:
        opened = [stack.enter_context(_connect(service)) for _ in range(WAITING)]
        assert service.request("GET", "/healthz") == (200, {"status": "alive"})
        opened[0].sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert opened[0].recv(65536).startswith(b"HTTP/1.1 200")


def _trickle(connection, data):
    """Send the same byte ten times a second until the server closes the connection; returns what it sent."""
    received = b""
    connection.settimeout(0.1)
    for _ in range(300):
        try:
            connection.sendall(data)
            new = connection.recv(65536)
        except TimeoutError:
            continue
        except ConnectionError:
            return received
        if not new:
            return received
        received += new
    raise AssertionError("the connection is still open")


@pytest.mark.parametrize("first", [b"", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"])
def test_trickled_headers_do_not_extend_their_time(slow_service, first):
    with _connect(slow_service, first) as connection:
        if first:
            answer = b""
            while not answer.endswith(b'"}'):  # head and body may arrive one after the other
                answer += connection.recv(65536)
            assert answer.startswith(b"HTTP/1.1 200")
        received = _trickle(connection, b"G")
    assert received.startswith(b"HTTP/1.1 408") or not received


def test_a_body_that_trickles_after_the_response_is_closed(slow_service):
    head = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n"
    with _connect(slow_service, head) as connection:
        assert _trickle(connection, b"x").startswith(b"HTTP/1.1 200")


def test_an_idle_connection_is_closed(slow_service):
    with _connect(slow_service, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n") as connection:
        received = _read_to_end(connection)
    assert (received.count(b"HTTP/1.1"), received[:12]) == (1, b"HTTP/1.1 200")


def test_a_client_that_does_not_read_is_closed(slow_service):
    request = b"GET /docs HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n\r\n"
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", slow_service.port))
        connection.settimeout(30)
        with pytest.raises(ConnectionError):
            _send_repeatedly(connection, request)


def _send_repeatedly(connection, request):
    for _ in range(10_000):
        connection.sendall(request)
        time.sleep(0.001)


def test_forwarded_addresses_of_strangers_are_ignored(start_service, built_workspace):
    forwarded = {"X-Forwarded-For": "203.0.113.9", "Forwarded": "for=203.0.113.9"}
    for settings, expected in (("", "127.0.0.1"), ('proxies = ["127.0.0.1"]', "203.0.113.9")):
        service = start_service(built_workspace, settings=settings)
        service.request("GET", "/v1/suggest?q=NASA", **forwarded)
        assert service.stop() == 0
        logged = [line["client"] for line in service.log_lines() if line.get("route") == "/v1/suggest"]
        assert logged == [expected]
