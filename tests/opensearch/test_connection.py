"""Requests to OpenSearch: authentication, retries, and errors that say what to do."""

import base64
import shutil
import socket
import subprocess

import pytest

from querykin.errors import InputError, MissingExtra, ServiceUnavailable
from querykin.opensearch import connection as connection_module
from querykin.opensearch.connection import Connection, Overloaded, waits
from querykin.opensearch.settings import OpenSearchSettings
from replaying_node import BUSY, INFO, MISSING_INDEX, refused, replaying_node


@pytest.fixture(autouse=True)
def slept(monkeypatch):
    waited = []
    monkeypatch.setattr(connection_module.time, "sleep", waited.append)
    return waited


def connect(node, **settings):
    return Connection(OpenSearchSettings(hosts=(node.url,), **settings))


def test_a_password_comes_from_the_environment(monkeypatch):
    monkeypatch.setenv("QUERYKIN_SECRET", "pässword")
    with replaying_node({}) as node:
        connect(node, user="querykin", password_env="QUERYKIN_SECRET").check_version()
    (_, _, headers, _), *_ = node.requests
    sent = {name.lower(): value for name, value in headers.items()}["authorization"]
    assert base64.b64decode(sent.removeprefix("Basic ")).decode() == "querykin:pässword"


def test_an_api_key_comes_from_the_environment(monkeypatch):
    monkeypatch.setenv("QUERYKIN_KEY", "abc==")
    with replaying_node({}) as node:
        connect(node, api_key_env="QUERYKIN_KEY").check_version()
    assert "ApiKey abc==" in node.requests[0][2].values()


@pytest.mark.parametrize(
    "setting", [{"user": "a", "password_env": "QUERYKIN_UNSET"}, {"api_key_env": "QUERYKIN_UNSET"}]
)
def test_a_secret_that_is_not_set_is_an_error(setting, monkeypatch):
    monkeypatch.delenv("QUERYKIN_UNSET", raising=False)
    with pytest.raises(
        InputError, match=r"names the environment variable QUERYKIN_UNSET.*next: export QUERYKIN_UNSET"
    ):
        Connection(OpenSearchSettings(**setting))


def test_other_variables_of_the_environment_are_no_passwords():
    with pytest.raises(InputError, match=r"password_env of \[opensearch\] must be a variable .* got 'HOME'"):
        Connection(OpenSearchSettings(user="a", password_env="HOME"))


def test_a_key_that_no_header_can_hold_is_refused_and_not_repeated(monkeypatch):
    monkeypatch.setenv("QUERYKIN_KEY", "two\nlines")
    with pytest.raises(InputError, match="the key in QUERYKIN_KEY has characters") as error:
        Connection(OpenSearchSettings(api_key_env="QUERYKIN_KEY"))
    assert "lines" not in str(error.value)


@pytest.mark.parametrize("status", [400, 403, 500])
def test_a_cluster_that_repeats_the_password_is_not_quoted(status, monkeypatch):
    monkeypatch.setenv("QUERYKIN_SECRET", "hunter2")
    sent = base64.b64encode(b"me:hunter2").decode()
    with (
        replaying_node({"GET /": refused(status, {"reason": f"no to Basic {sent} and {sent}"})}) as node,
        pytest.raises(ServiceUnavailable, match=r"no to \.\.\. and \.\.\.") as error,
    ):
        connect(node, user="me", password_env="QUERYKIN_SECRET").check_version()
    assert sent not in str(error.value)


@pytest.mark.parametrize(
    "host", ["localhost:9200", "ftp://localhost", "https://", "http://localhost:port", "http://[::1"]
)
def test_a_host_that_is_no_url_is_an_error(host):
    with pytest.raises(InputError, match="must be a URL, like https://"):
        Connection(OpenSearchSettings(hosts=(host,)))


def test_an_address_of_nothing_is_an_error():
    with pytest.raises(InputError, match=r"an OpenSearch address is needed, .* got none"):
        Connection(OpenSearchSettings().at(" , "))


@pytest.mark.parametrize("answer", [{"status": "ok"}, ["page"], {"version": "1.0"}])
def test_another_server_than_opensearch_is_an_error(answer):
    with (
        replaying_node({"GET /": (200, answer)}) as node,
        pytest.raises(ServiceUnavailable, match="does not answer as OpenSearch does; next: correct hosts"),
    ):
        connect(node).check_version()


def test_a_page_in_place_of_json_is_an_error():
    with (
        replaying_node({"GET /": (200, {})}, content_type="text/html") as node,
        pytest.raises(ServiceUnavailable, match="does not answer as OpenSearch does"),
    ):
        connect(node).check_version()


@pytest.mark.parametrize("user", ["me:hunter2", "hunter2"])
def test_a_password_in_an_address_is_refused_and_not_repeated(user):
    with pytest.raises(
        InputError, match=r"address of example\.com must not hold a user or a password"
    ) as error:
        Connection(OpenSearchSettings().at(f"https://{user}@example.com:9200"))
    assert "hunter2" not in str(error.value)


def test_a_server_that_does_not_answer_is_named_with_the_next_step():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(
            ServiceUnavailable, match=r"does not answer \(.*refused.*next: start it, or correct"
        ):
            Connection(OpenSearchSettings(hosts=(address,))).check_version()


def test_refused_credentials_name_the_user(monkeypatch):
    monkeypatch.setenv("QUERYKIN_SECRET", "wrong")
    with (
        replaying_node({"GET /": (401, {"error": "Unauthorized"})}) as node,
        pytest.raises(ServiceUnavailable, match=r"refuses user 'querykin' \(401\); next: set user"),
    ):
        connect(node, user="querykin", password_env="QUERYKIN_SECRET").check_version()


def test_a_missing_permission_names_the_reason():
    reason = {"type": "security_exception", "reason": "no permissions for [indices:data/write/bulk]"}
    with (
        replaying_node({"GET /": refused(403, reason)}) as node,
        pytest.raises(
            ServiceUnavailable, match=r"does not allow a request without a user .*indices:data/write"
        ),
    ):
        connect(node).check_version()


@pytest.mark.parametrize(
    ("version", "allowed"),
    [
        ({"distribution": "opensearch", "number": "2.19.6"}, True),
        ({"distribution": "opensearch", "number": "3.1.0"}, True),
        ({"number": "8.17.0"}, True),
        ({"distribution": "opensearch", "number": "1.3.0"}, False),
        ({"number": "7.10.2"}, False),
        ({"distribution": "zinc", "number": "9.0.0"}, False),
    ],
)
def test_versions_that_were_never_supported_are_refused(version, allowed):
    with replaying_node({"GET /": (200, {**INFO, "version": version})}) as node:
        if allowed:
            connect(node).check_version()
        else:
            with pytest.raises(InputError, match=r"is .* \d+\.\d+.*; allowed: opensearch 2\.10 or elastic"):
                connect(node).check_version()


def test_a_busy_node_is_asked_again_with_growing_waits(slept):
    with replaying_node({"GET /": [refused(429, BUSY)] * 3 + [(200, INFO)]}) as node:
        assert connect(node).request("GET", "/") == INFO
    assert len(slept) == 3
    assert slept[0] < slept[1] < slept[2]


def test_retries_end(slept):
    with (
        replaying_node({"GET /": refused(503, {"type": "x", "reason": "no cluster manager"})}) as node,
        pytest.raises(ServiceUnavailable, match="503: no cluster manager"),
    ):
        connect(node, retries=2).request("GET", "/")
    assert len(slept) == 2


def test_a_wrong_request_is_not_repeated(slept):
    with (
        replaying_node({"GET /x/_count": refused(400, {"type": "x", "reason": "unknown field"})}) as node,
        pytest.raises(ServiceUnavailable, match="answered 400: unknown field"),
    ):
        connect(node).request("GET", "/x/_count")
    assert not slept


def test_another_node_answers_for_one_that_is_gone(slept):
    with socket.socket() as taken, replaying_node({}) as node:
        taken.bind(("127.0.0.1", 0))
        gone = f"http://127.0.0.1:{taken.getsockname()[1]}"
        connection = Connection(OpenSearchSettings(hosts=(gone, node.url)))
        assert [connection.request("GET", "/") for _ in range(4)] == [INFO] * 4
    assert len(slept) <= 1  # the node is left out after its first failure


def test_a_certificate_of_an_unknown_authority_is_an_error(tmp_path):
    if not shutil.which("openssl"):
        pytest.skip("needs openssl to make a certificate")
    certificate, names = tmp_path / "both.pem", "subjectAltName=IP:127.0.0.1"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=test", "-days", "2"]
    made += ["-addext", names, "-keyout", tmp_path / "key.pem", "-out", tmp_path / "cert.pem"]
    subprocess.run(made, check=True, capture_output=True)
    certificate.write_bytes((tmp_path / "key.pem").read_bytes() + (tmp_path / "cert.pem").read_bytes())
    with replaying_node({}, certificate) as node:
        with pytest.raises(ServiceUnavailable, match=r"no secure connection .*next: set it to the file"):
            connect(node).check_version()
        connect(node, ca_certs=str(tmp_path / "cert.pem")).check_version()
        connect(node, verify_certs=False).check_version()


def test_a_missing_file_of_authorities_is_an_error():
    with pytest.raises(InputError, match=r"ca_certs must be a file, got '/nowhere\.pem'"):
        Connection(OpenSearchSettings(ca_certs="/nowhere.pem"))


@pytest.mark.parametrize(
    ("status", "error"),
    [(429, BUSY), (500, {"type": "search_phase_execution_exception", "reason": "Partial shards failure"})],
)
def test_one_search_of_several_is_repeated_alone(slept, status, error):
    good, busy = {"hits": {"hits": []}, "status": 200}, {"error": error, "status": status}
    replies = [(200, {"responses": [good, busy, good]}), (200, {"responses": [good, good]})]
    with replaying_node({"POST /x/_msearch": replies}) as node:
        assert len(connect(node).search_many("x", [{"size": n} for n in range(3)])) == 3
    assert [request[3].count(b'"size"') for request in node.requests] == [3, 2]
    assert b'{"allow_partial_search_results":false}' in node.requests[0][3]


def test_a_search_of_a_missing_index_is_an_error(slept):
    reply = (200, {"responses": [{"error": MISSING_INDEX, "status": 404}]})
    with (
        replaying_node({"POST /missing/_msearch": reply}) as node,
        pytest.raises(ServiceUnavailable, match=r"cannot search missing: no such index \[missing\]"),
    ):
        connect(node).search_many("missing", [{}])
    assert not slept


def test_a_missing_index_has_no_metadata():
    with replaying_node({"GET /missing/_mapping": refused(404, MISSING_INDEX)}) as node:
        assert connect(node).metadata("missing") is None


def test_overload_is_reported_where_the_caller_paces_itself():
    with replaying_node({"POST /x/_bulk": refused(429, BUSY)}) as node, pytest.raises(Overloaded):
        connect(node).request("POST", "/x/_bulk", b"{}\n", retry_busy=False)


def test_waits_double_up_to_a_bound():
    assert [round(each, 9) <= bound for each, bound in zip(waits(9), (0.1, 0.2, 0.4), strict=False)] == [
        True
    ] * 3
    assert max(waits(30)) <= 5


def test_without_the_package_the_error_has_the_command(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "opensearchpy", None)
    with pytest.raises(MissingExtra, match=r"OpenSearch needs an optional part: .*\[opensearch\]"):
        Connection(OpenSearchSettings())
