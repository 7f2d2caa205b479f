"""Authorization by token, host name and origin; security headers; logging."""

import json
import logging
import subprocess
import sys

import pytest

from querykin.errors import InputError, UnknownName
from querykin.installation import install_command
from querykin.server.json_logging import JsonFormatter
from querykin.server.settings import with_environment_tokens
from querykin.settings_sections import ServerSettings
from querykin.validation import validate

TOKEN, OTHER = "0123456789abcdef-one", "0123456789abcdef-two"
BEARER = {"Authorization": f"Bearer {OTHER}"}
HTML = {"Accept": "text/html,application/xhtml+xml"}


@pytest.fixture
def token_client(make_client):
    with make_client(tokens=(TOKEN, OTHER)) as client:
        yield client


def test_without_a_token_only_the_health_endpoints_respond(token_client):
    for path in ("/v1/suggest?q=NASA", "/metrics", "/openapi.json", "/docs", "/", "/nothing"):
        response = token_client.get(path)
        assert (response.status_code, response.headers["WWW-Authenticate"]) == (401, "Bearer")
        assert response.headers["Content-Type"] == "application/problem+json"
    assert token_client.get("/healthz").status_code == token_client.get("/readyz").status_code == 200


@pytest.mark.parametrize(
    "header", ["", "Bearer", "Bearer ", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer é"]
)
def test_an_invalid_token_is_rejected(token_client, header):
    assert (
        token_client.get("/v1/suggest?q=NASA", headers={"Authorization": header.encode()}).status_code == 401
    )


def test_every_token_is_accepted(token_client):
    for token in (TOKEN, OTHER):
        response = token_client.get("/v1/suggest?q=NASA", headers={"Authorization": f"bearer {token}"})
        assert response.status_code == 200


def test_a_browser_is_redirected_to_the_login_form_and_back(token_client):
    response = token_client.get("/compare?a=NASA&b=ESA", headers=HTML)
    assert (response.status_code, response.headers["Location"]) == (
        303,
        "/login?next=%2Fcompare%3Fa%3DNASA%26b%3DESA",
    )
    form = token_client.get(response.headers["Location"], headers=HTML)
    assert 'value="/compare?a=NASA&amp;b=ESA"' in form.text
    assert "past queries" not in form.text  # no data of the workspace before login
    assert token_client.post("/login", data={"token": "wrong", "next": "/docs"}).status_code == 401
    response = token_client.post("/login", data={"token": TOKEN, "next": "/docs"})
    assert (response.status_code, response.headers["Location"]) == (303, "/docs")
    cookie = response.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert TOKEN not in cookie
    assert token_client.get("/docs", headers=HTML).status_code == 200  # the client keeps the cookie
    assert token_client.get("/v1/suggest?q=NASA").status_code == 200


@pytest.mark.parametrize("target", ["https://evil.example", "//evil.example", "/\\evil.example", "", "x"])
def test_login_does_not_redirect_to_other_sites(token_client, target):
    response = token_client.post("/login", data={"token": TOKEN, "next": target})
    assert response.headers["Location"] == "/"


def test_cross_site_writes_are_rejected(client):
    body = {"query": "a", "candidate": "b", "grade": 1, "rater": "Ann", "task": "t"}
    for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
        response = client.post("/v1/judgements", json=body, headers=headers)
        assert response.status_code == 403
        assert "access-control-allow-origin" not in response.headers
    same = {"Origin": "http://testserver", "Sec-Fetch-Site": "same-origin"}
    assert client.post("/v1/judgements", json=body, headers=same).status_code == 201


def test_configured_origins_may_send_requests(make_client):
    site = {"Origin": "https://shop.example", "Sec-Fetch-Site": "cross-site"}
    with make_client(origins=("https://shop.example",), tokens=(TOKEN,)) as client:
        preflight = {
            **site,
            "Access-Control-Request-Method": "GET",
            "Access-Control-Request-Headers": "Authorization",
        }
        assert (
            client.options("/v1/suggest", headers=preflight).status_code == 200
        )  # preflight requests carry no token
        response = client.get("/v1/suggest?q=NASA", headers={**site, "Authorization": f"Bearer {TOKEN}"})
        assert response.headers["Access-Control-Allow-Origin"] == "https://shop.example"
        other = client.get("/v1/suggest?q=NASA", headers={"Origin": "https://evil.example"})
        assert "Access-Control-Allow-Origin" not in other.headers


def test_an_unknown_host_name_is_misdirected(make_client):
    with make_client(hosts=("suggest.example", "::1")) as client:
        assert client.get("/healthz").status_code == 421
        for name in ("suggest.example", "suggest.example:8000", "SUGGEST.example", "[::1]:8000"):
            assert client.get("/healthz", headers={"Host": name}).status_code == 200


def test_every_response_has_security_headers(client):
    for path in ("/", "/docs", "/v1/suggest?q=NASA", "/nothing", "/healthz"):
        headers = client.get(path).headers
        assert "default-src 'self'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "access-control-allow-origin" not in headers


def test_the_docs_page_is_complete_and_self_contained(client):
    text = client.get("/docs").text
    assert "://" not in text.replace("http://www.w3.org", "")
    assert "<script" not in text
    document = client.get("/openapi.json").json()
    for path in document["paths"]:
        assert path in text
    assert document["components"]["schemas"]["Pair"]["properties"]["a"]["maxLength"] == 1000


def test_queries_are_logged_only_if_configured(make_client, caplog):
    for log_queries in (False, True):
        caplog.clear()
        with make_client(log_queries=log_queries) as client, caplog.at_level("INFO", "querykin.server"):
            client.get("/v1/suggest", params={"q": "java island"})
            client.post("/v1/match", json={"queries": ["java island"]})
            client.get("/java island")
            client.app.state.service.snapshot.explain = _fail
            client.post("/v1/explain", json={"pairs": [{"a": "java island", "b": "x"}]})
        lines = [
            JsonFormatter().format(record) for record in caplog.records if record.name == "querykin.server"
        ]
        assert all(json.loads(line)["level"] for line in lines)
        assert ["java island" in line for line in lines] == [log_queries, log_queries, False, False, False]
        assert json.loads(lines[0])["route"] == "/v1/suggest"
        assert "RuntimeError" in lines[3]


def _fail(a, b, measure):
    raise RuntimeError(a)


def test_tokens_come_from_the_settings_and_the_environment():
    settings = with_environment_tokens(ServerSettings(tokens=(TOKEN,)), {"QUERYKIN_TOKENS": f" {OTHER},"})
    assert settings.tokens == (TOKEN, OTHER)
    with pytest.raises(InputError, match="at least 16"):
        with_environment_tokens(ServerSettings(), {"QUERYKIN_TOKENS": "short"})


def test_settings_are_validated():
    with pytest.raises(InputError, match=r"timeout must be a number from 0.01"):
        validate(ServerSettings, "[server]", {"timeout": -1})
    with pytest.raises(UnknownName, match=r"did you mean 'tokens'"):
        validate(ServerSettings, "[server]", {"token": [TOKEN]})
    with pytest.raises(InputError, match="a list of texts"):
        validate(ServerSettings, "[server]", {"tokens": TOKEN})


def _run(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )


def test_without_the_extra_the_error_names_the_install_command():
    code = """import sys; sys.modules["uvicorn"] = None; sys.argv = ["querykin", "serve"]
from querykin.cli import main; main()"""
    result = _run(code)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == f"querykin: the service needs an optional part: {install_command('server')}\n"
    assert result.stderr.startswith("querykin: the service needs an optional part: pip install ")


def test_only_the_server_imports_its_dependencies():
    code = """import sys, querykin.cli, querykin.testing, querykin.evaluation
print(sorted({"fastapi", "starlette", "uvicorn", "prometheus_client"} & set(sys.modules)))"""
    assert _run(code).stdout.strip() == "[]"


def test_a_log_record_is_one_line_of_json_without_the_exception_message():
    try:
        raise ValueError("a user's query")
    except ValueError as error:
        record = logging.LogRecord(
            "x", 40, "f", 1, "failed\n%s", ("now",), (ValueError, error, error.__traceback__)
        )
    line = JsonFormatter().format(record)
    assert "\n" not in line
    assert "a user's query" not in line
    assert json.loads(line)["error"] == "ValueError"
