"""Who may ask: tokens, names, other sites; and what browsers are told."""

import json
import logging
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from querykin.errors import InputError, UnknownName
from querykin.server.json_logging import JsonLines
from querykin.server.settings import Settings

TOKEN, OTHER = "0123456789abcdef-one", "0123456789abcdef-two"
BEARER = {"Authorization": f"Bearer {OTHER}"}
HTML = {"Accept": "text/html,application/xhtml+xml"}


@pytest.fixture
def guarded(serving):
    with serving(tokens=(TOKEN, OTHER)) as client:
        yield client


def test_without_a_token_only_the_probes_answer(guarded):
    for path in ("/v1/suggest?q=NASA", "/metrics", "/openapi.json", "/docs", "/", "/nothing"):
        answer = guarded.get(path)
        assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, "Bearer")
        assert answer.headers["Content-Type"] == "application/problem+json"
    assert guarded.get("/healthz").status_code == guarded.get("/readyz").status_code == 200


@pytest.mark.parametrize(
    "shown", ["", "Bearer", "Bearer ", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer é"]
)
def test_a_wrong_token_is_no_token(guarded, shown):
    assert guarded.get("/v1/suggest?q=NASA", headers={"Authorization": shown.encode()}).status_code == 401


def test_each_token_opens_everything(guarded):
    for token in (TOKEN, OTHER):
        answer = guarded.get("/v1/suggest?q=NASA", headers={"Authorization": f"bearer {token}"})
        assert answer.status_code == 200


def test_a_browser_is_led_to_the_form_and_back(guarded):
    answer = guarded.get("/compare?a=NASA&b=ESA", headers=HTML)
    assert (answer.status_code, answer.headers["Location"]) == (
        303,
        "/login?next=%2Fcompare%3Fa%3DNASA%26b%3DESA",
    )
    form = guarded.get(answer.headers["Location"], headers=HTML)
    assert 'value="/compare?a=NASA&amp;b=ESA"' in form.text
    assert "past queries" not in form.text  # nothing of what is served, before the token
    assert guarded.post("/login", data={"token": "wrong", "next": "/docs"}).status_code == 401
    answer = guarded.post("/login", data={"token": TOKEN, "next": "/docs"})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/docs")
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert TOKEN not in cookie
    assert guarded.get("/docs", headers=HTML).status_code == 200  # the client keeps the cookie
    assert guarded.get("/v1/suggest?q=NASA").status_code == 200


@pytest.mark.parametrize("target", ["https://evil.example", "//evil.example", "/\\evil.example", "", "x"])
def test_the_form_leads_to_no_other_site(guarded, target):
    answer = guarded.post("/login", data={"token": TOKEN, "next": target})
    assert answer.headers["Location"] == "/"


def test_other_sites_cannot_write(client):
    body = {"query": "a", "candidate": "b", "grade": 1, "rater": "Ann", "task": "t"}
    for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
        answer = client.post("/v1/judgements", json=body, headers=headers)
        assert answer.status_code == 403
        assert "access-control-allow-origin" not in answer.headers
    same = {"Origin": "http://testserver", "Sec-Fetch-Site": "same-origin"}
    assert client.post("/v1/judgements", json=body, headers=same).status_code == 201


def test_other_sites_may_ask_where_the_settings_name_them(serving):
    site = {"Origin": "https://shop.example", "Sec-Fetch-Site": "cross-site"}
    with serving(origins=("https://shop.example",), tokens=(TOKEN,)) as client:
        asks = {
            **site,
            "Access-Control-Request-Method": "GET",
            "Access-Control-Request-Headers": "Authorization",
        }
        assert client.options("/v1/suggest", headers=asks).status_code == 200  # before any token is shown
        answer = client.get("/v1/suggest?q=NASA", headers={**site, "Authorization": f"Bearer {TOKEN}"})
        assert answer.headers["Access-Control-Allow-Origin"] == "https://shop.example"
        other = client.get("/v1/suggest?q=NASA", headers={"Origin": "https://evil.example"})
        assert "Access-Control-Allow-Origin" not in other.headers


def test_under_a_foreign_name_nothing_is_answered(serving):
    with serving(hosts=("suggest.example", "::1")) as client:
        assert client.get("/healthz").status_code == 421
        for name in ("suggest.example", "suggest.example:8000", "SUGGEST.example", "[::1]:8000"):
            assert client.get("/healthz", headers={"Host": name}).status_code == 200


def test_every_answer_tells_browsers_to_be_strict(client):
    for path in ("/", "/docs", "/v1/suggest?q=NASA", "/nothing", "/healthz"):
        headers = client.get(path).headers
        assert "default-src 'self'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "access-control-allow-origin" not in headers


def test_the_page_of_the_api_is_complete_and_asks_no_foreign_host(client):
    text = client.get("/docs").text
    assert "://" not in text.replace("http://www.w3.org", "")
    assert "<script" not in text
    document = client.get("/openapi.json").json()
    for path in document["paths"]:
        assert path in text
    assert document["components"]["schemas"]["Pair"]["properties"]["a"]["maxLength"] == 1000


def test_the_log_holds_no_queries_unless_asked_for(serving, caplog):
    for asked in (False, True):
        caplog.clear()
        with serving(log_queries=asked) as client, caplog.at_level("INFO", "querykin.server"):
            client.get("/v1/suggest", params={"q": "java island"})
            client.post("/v1/match", json={"queries": ["java island"]})
            client.get("/java island")
            client.app.state.service.snapshot.explain = _fail
            client.post("/v1/explain", json={"pairs": [{"a": "java island", "b": "x"}]})
        lines = [JsonLines().format(record) for record in caplog.records if record.name == "querykin.server"]
        assert all(json.loads(line)["level"] for line in lines)
        assert ["java island" in line for line in lines] == [asked, asked, False, False, False]
        assert json.loads(lines[0])["route"] == "/v1/suggest"
        assert "RuntimeError" in lines[3]


def _fail(a, b, measure):
    raise RuntimeError(a)


def test_settings_are_checked_when_they_are_read():
    assert Settings.of({"rate": 3, "tokens": [TOKEN]}, {"QUERYKIN_TOKENS": f" {OTHER},"}).tokens == (
        TOKEN,
        OTHER,
    )
    with pytest.raises(InputError, match=r"timeout must be a number from 0.01"):
        Settings.of({"timeout": -1}, {})
    with pytest.raises(UnknownName, match=r"did you mean 'tokens'"):
        Settings.of({"token": [TOKEN]}, {})
    with pytest.raises(InputError, match="a list of texts"):
        Settings.of({"tokens": TOKEN}, {})
    with pytest.raises(InputError, match="at least 16"):
        Settings.of({}, {"QUERYKIN_TOKENS": "short"})


def test_the_page_on_the_service_has_every_setting():
    page = (Path(__file__).parents[2] / "docs" / "serve.md").read_text("utf-8")
    for setting in fields(Settings):
        assert re.search(
            rf"^\| `{setting.name}` \| .+ \| {re.escape(setting.metadata['meaning'])} \|$", page, re.M
        )


def _run(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )


def test_without_the_extra_the_error_is_the_command_that_installs_it():
    code = """import sys; sys.modules["uvicorn"] = None; sys.argv = ["querykin", "serve"]
from querykin.cli import main; main()"""
    done = _run(code)
    assert (done.returncode, done.stdout) == (1, "")
    assert (
        done.stderr.strip() == "querykin: the service needs an optional part: pip install 'querykin[server]'"
    )


def test_nothing_else_imports_what_only_the_service_needs():
    code = """import sys, querykin.cli, querykin.checks, querykin.evaluation
print(sorted({"fastapi", "starlette", "uvicorn", "prometheus_client"} & set(sys.modules)))"""
    assert _run(code).stdout.strip() == "[]"


def test_a_line_of_the_log_is_json_whatever_happened():
    try:
        raise ValueError("what was asked")
    except ValueError as error:
        record = logging.LogRecord(
            "x", 40, "f", 1, "failed\n%s", ("now",), (ValueError, error, error.__traceback__)
        )
    line = JsonLines().format(record)
    assert "\n" not in line
    assert "what was asked" not in line
    assert json.loads(line)["error"] == "ValueError"
