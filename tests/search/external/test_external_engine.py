"""Engines elsewhere are asked once, within a budget, and their replies are replayed."""

import json
import logging
import threading
from io import StringIO

import pytest

from querykin.errors import ServiceUnavailable
from querykin.io.limits import MAX_REPLY_BYTES
from querykin.search.engine_settings import EngineSettings
from querykin.search.external import http_client
from querykin.search.external.budget import BudgetSpent
from querykin.search.external.mediawiki_engine import MediaWikiEngine
from querykin.search.external.reply_cache import ReplyCache
from querykin.testing import check_engine
from recorded_progress import Recorded
from search_server import SearchServer, search_server, slowly

NOTHING = 200, b'{"batchcomplete": true, "query": {"search": []}}', {}


@pytest.fixture
def server():
    with search_server() as running:
        yield running


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    for name in ("_FIRST_WAIT", "_LONGEST_WAIT", "_JITTER"):
        monkeypatch.setattr(http_client, name, 0.001)


@pytest.fixture
def engine(server, tmp_path):
    def make(progress=None, **settings):
        given = {"kind": "mediawiki", "url": server.api, "private_hosts": ("localhost",), "rate": 1e6}
        return MediaWikiEngine(
            EngineSettings(**{**given, **settings}), ReplyCache(tmp_path), progress or Recorded()
        )

    return make


def refuse(status, headers=None, body=b"busy"):
    return lambda asked: (status, body, headers or {})


def needing_all_words(asked):
    """As MediaWiki: there are pages with these two words, and none with others."""
    return SearchServer.search(asked) if {*asked["srsearch"].split()} <= {"astronauts", "orbit"} else NOTHING


def first(refusals, then, *answers):
    """Some refusals, and then the usual answer."""
    left = list(answers) * refusals
    return lambda asked: left.pop()(asked) if left else then(asked)


def test_an_engine_over_http_conforms(engine):
    check_engine(engine(), "astronauts orbit")


def test_snippets_are_text_and_links_lead_to_pages(engine, server):
    hit = engine().search("astronauts", 1)[0]
    assert "<" not in hit.snippet
    assert "astronauts" in hit.snippet
    assert hit.url == f"{server.url}/index.php?curid={hit.document_id}"


def test_a_query_is_asked_once_whatever_its_case_and_operators(engine, server):
    hits = engine().search("Space  Travel", 50)
    assert hits
    assert engine().search('"space" travel?', 50) == hits
    assert server.queries == ["space travel"]


def test_an_engine_that_needs_all_words_is_asked_with_fewer_until_it_finds_something(engine, server):
    server.answer = needing_all_words
    text = "who are the astronauts of orbit"
    hits = engine().search(text, 50)
    assert hits
    assert server.queries == [text, "who are astronauts orbit", "astronauts orbit"]
    assert engine(offline=True).search(text, 50) == hits
    assert engine().search("no such word as qwertz", 50) == []


def test_a_text_is_missing_until_all_that_is_asked_for_it_is_stored(engine, server):
    server.answer = needing_all_words
    text = "who are the astronauts of orbit"
    with pytest.raises(BudgetSpent):
        engine(max_requests=2).search(text, 50)
    assert engine(offline=True).missing([text]) == [text]
    assert engine(max_requests=1).search(text, 50)  # what was stored is not asked again
    assert engine(offline=True).missing([text]) == []


def test_offline_replays_what_is_stored_and_names_what_is_not(engine, server):
    online = engine().search_many(["nasa", "pie"], 50)
    progress = Recorded()
    offline = engine(progress, offline=True)
    assert offline.search_many(["nasa", "pie"], 50) == online
    assert offline.search("umpire", 50) == offline.search("umpire", 50) == []
    assert offline.missing(["nasa", "umpire", "?"]) == ["umpire"]
    assert len(server.requests) == 2
    assert [line for line in progress.lines if "offline" in line] == [
        f"offline: no stored reply of mediawiki at {server.api} for 1 of 1 query ('umpire'), which have no "
        "results"
    ]


def test_replies_of_other_settings_are_others(engine, server):
    engine().search("nasa", 50)
    engine(results=5).search("nasa", 50)
    assert len(server.requests) == 2


def test_old_replies_are_asked_again_unless_offline(engine, server):
    engine().search("nasa", 50)
    engine(max_age=1.0).search("nasa", 50)
    assert len(server.requests) == 1
    engine(max_age=1e-9).search("nasa", 50)
    assert len(server.requests) == 2
    assert engine(max_age=1e-9, offline=True).search("nasa", 50)
    assert len(server.requests) == 2


def test_the_requests_are_told_before_they_are_sent(engine, server):
    engine().search("nasa", 50)
    progress = Recorded()
    engine(progress, max_requests=7).search_many(["nasa", "pie", "umpire"], 50)
    assert progress.lines == [
        f"asking mediawiki at {server.api} for 2 queries, 1 have stored replies: up to 2 requests, and not "
        "more than 7"
    ]


def test_a_spent_budget_keeps_the_replies_and_the_next_command_continues(engine, server):
    queries = ["nasa", "pie", "umpire", "soup", "orbit"]
    with pytest.raises(
        BudgetSpent, match=r"the budget of 3 requests is spent: .* has answered 3 of 5 queries"
    ):
        engine(max_requests=3).search_many(queries, 50)
    assert len(server.requests) == 3
    assert all(engine(max_requests=2).search_many(queries, 50))
    assert sorted(server.queries) == sorted(queries)


def test_a_large_result_is_asked_page_by_page(engine, server):
    pages = {
        "0": [{"pageid": n, "title": f"T{n}", "snippet": "s"} for n in range(1, 51)],
        "50": [{"pageid": n, "title": f"T{n}", "snippet": "s"} for n in range(50, 60)],
    }
    server.answer = lambda asked: (
        200,
        json.dumps({"query": {"search": pages[asked["sroffset"]]}}).encode(),
        {},
    )
    hits = engine(results=120).search("nasa", 200)
    assert [hit.document_id for hit in hits] == [str(n) for n in range(1, 60)]
    assert len(server.requests) == 2


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_server_is_asked_again_after_a_while(engine, server, status):
    server.answer = first(2, server.search, refuse(status, {"retry-after": "0"}))
    assert engine().search("nasa", 5)
    assert len(server.requests) == 3


def test_an_error_of_mediawiki_that_passes_is_asked_again(engine, server):
    busy = json.dumps({"error": {"code": "maxlag", "info": "Waiting for a database"}}).encode()
    server.answer = first(1, server.search, refuse(200, body=busy))
    assert engine().search("nasa", 5)


def test_retries_count_as_requests_and_end(engine, server):
    server.answer = refuse(503)
    with pytest.raises(ServiceUnavailable, match=r"cannot answer now \(503: busy\); try again later"):
        engine(retries=2).search("nasa", 5)
    assert len(server.requests) == 3
    with pytest.raises(BudgetSpent):
        engine(retries=9, max_requests=2).search("nasa", 5)
    assert len(server.requests) == 5


def test_a_server_that_asks_for_hours_is_not_waited_for(engine, server):
    server.answer = refuse(429, {"retry-after": "7200"})
    with pytest.raises(ServiceUnavailable, match="429"):
        engine().search("nasa", 5)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (refuse(404, body=b"no wiki here"), "answered 404: no wiki here"),
        (refuse(403, body=b"forbidden"), r"refuses the request \(403: forbidden\); next: check the key in"),
        (refuse(302, {"location": "http://169.254.169.254/"}), "redirects to .*, which is not followed"),
        (refuse(200, body=b"<html>hello</html>"), "does not answer as expected .* correct kind and url"),
        (refuse(200, body=b"[1, 2]"), "does not answer as expected"),
        (refuse(200, body=b'{"query": {"search": [{}]}}'), "does not answer as expected"),
        (refuse(200, body=b'{"error": {"code": "x", "info": "no"}}'), "answered x: no"),
        (refuse(200, {"content-encoding": "gzip"}), "sends a compressed reply"),
        (refuse(200, body=b"x" * (MAX_REPLY_BYTES + 1)), "sends more than 16 MiB"),
    ],
)
def test_what_is_no_reply_is_one_line_and_not_stored(engine, server, answer, message):
    server.answer = answer
    with pytest.raises(ServiceUnavailable, match=message) as caught:
        engine(retries=0).search("nasa", 5)
    assert "\n" not in str(caught.value)
    server.answer = server.search
    assert engine().search("nasa", 5)


def test_a_slow_server_is_abandoned(engine, server):
    server.answer = slowly(0.5, server.search)
    with pytest.raises(ServiceUnavailable, match=r"did not answer within 0\.1 seconds"):
        engine(timeout=0.1, retries=0).search("nasa", 5)


def test_a_server_that_is_gone_is_named(engine, server):
    with pytest.raises(ServiceUnavailable, match=r"mediawiki at http://localhost:1/api\.php does not answer"):
        engine(url="http://localhost:1/api.php", retries=0).search("nasa", 5)


def test_requests_at_the_same_time_are_limited(engine, server):
    lock, running, most = threading.Lock(), [0], [0]

    def counting(asked):
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        answer = slowly(0.02, server.search)(asked)
        with lock:
            running[0] -= 1
        return answer

    server.answer = counting
    engine(concurrency=3).search_many([f"nasa {n}" for n in range(20)], 5)
    assert most[0] <= 3


def test_requests_are_paced(monkeypatch):
    slept, now = [], [100.0]
    monkeypatch.setattr(http_client.time, "sleep", slept.append)
    monkeypatch.setattr(http_client.time, "monotonic", lambda: now[0])
    pace = http_client.Pace(rate=4)
    for _ in range(3):
        pace.wait()
    now[0] += 10
    pace.wait()
    assert slept == [0, 0.25, 0.5, 0]


def test_queries_are_not_logged(engine, server):
    logged, root = StringIO(), logging.getLogger()
    handler, level = logging.StreamHandler(logged), root.level
    root.addHandler(handler)  # caplog would also see what does not reach the handlers of programs
    root.setLevel(logging.DEBUG)
    try:
        server.answer = first(1, server.search, refuse(503, body=b"no time for nasa"))
        engine().search("nasa", 5)
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
    assert "connect_tcp" in logged.getvalue()
    assert "nasa" not in logged.getvalue()


def test_operators_are_told_who_asks(engine, server):
    engine(contact="search@example.com").search("nasa", 5)
    assert server.headers[0]["user-agent"].startswith("querykin/")
    assert "(search@example.com)" in server.headers[0]["user-agent"]
