"""Each engine sends the request that its documentation asks for, and reads the replies shown there."""

import json

import pytest

from querykin.errors import InputError, ServiceUnavailable
from querykin.search.engine import engine_class
from querykin.search.engine_settings import EngineSettings
from querykin.search.external.budget import BudgetSpent
from querykin.search.external.reply_cache import ReplyCache
from querykin.testing import check_engine
from recorded_progress import Recorded
from replaying_node import BUSY, refused, replaying_node
from search_server import search_server

# Recorded in the formats of the documentation: SearXNG's search API, Brave's Web Search API 1, Solr 9.
SEARXNG = {
    "query": "space travel",
    "number_of_results": 0,
    "results": [
        {
            "url": "https://example.org/travel",
            "title": "Space travel",
            "content": "Space travel carries astronauts to the orbit of the Earth &amp; beyond.",
            "engine": "wikipedia",
            "engines": ["wikipedia", "brave"],
            "positions": [1, 2],
            "score": 4.0,
            "category": "general",
        },
        {"url": "https://example.org/nasa", "title": "NASA", "engine": "brave", "score": 9.0},
        {"title": "An answer without an address"},
    ],
    "answers": [],
    "corrections": [],
    "infoboxes": [],
    "suggestions": ["space tourism"],
    "unresponsive_engines": [["google", "timeout"]],
}
BRAVE = {
    "type": "search",
    "query": {"original": "space travel", "more_results_available": False, "country": "us"},
    "mixed": {"type": "mixed", "main": [{"type": "web", "index": 0, "all": False}]},
    "web": {
        "type": "search",
        "results": [
            {
                "title": "Space travel",
                "url": "https://example.org/travel",
                "is_source_local": False,
                "description": "<strong>Space travel</strong> carries astronauts to the orbit.",
                "page_age": "2024-05-01T00:00:00",
                "language": "en",
                "type": "search_result",
                "extra_snippets": ["It began in 1961."],
            },
            {"title": "NASA", "url": "https://example.org/nasa", "description": "Leads exploration."},
        ],
    },
}
SOLR = {
    "responseHeader": {"status": 0, "QTime": 4},
    "response": {
        "numFound": 2,
        "start": 0,
        "maxScore": 3.5,
        "numFoundExact": True,
        "docs": [
            {"id": "d1", "name": ["Space travel"], "link": "https://example.org/travel", "score": 3.5},
            {"id": "d2", "name": ["NASA"], "score": 1.25},
        ],
    },
    "highlighting": {
        "d1": {"body": ["<em>Space</em> <em>travel</em> carries astronauts", "to the orbit."]},
        "d2": {"body": ["Leads exploration."]},
    },
}
OPENSEARCH = {
    "took": 3,
    "timed_out": False,
    "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
    "hits": {
        "max_score": 3.5,
        "hits": [
            {
                "_index": "pages",
                "_id": "d1",
                "_score": 3.5,
                "_source": {"name": "Space travel", "link": "https://example.org/travel"},
                "highlight": {"body": ["Space travel carries astronauts", "to the orbit."]},
            },
            {"_index": "pages", "_id": "d2", "_score": 1.25, "_source": {"name": "NASA"}},
        ],
    },
}
NOTHING = {"searxng": {"results": []}, "brave": {"type": "search"}, "solr": {"response": {"docs": []}}}
REPLIES = {"searxng": SEARXNG, "brave": BRAVE, "solr": SOLR}
FIELDS = {"title_field": "name", "text_field": "body", "url_field": "link"}


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("QUERYKIN_ENGINE_KEY", "k3y-of-the-subscription")
    with search_server() as running:
        yield running


def opened(kind, url, folder, **settings):
    given = EngineSettings(kind=kind, url=url, private_hosts=("localhost",), rate=1e6, retries=0, **settings)
    return engine_class(given)(given, ReplyCache(folder), Recorded())


def answering(kind):
    def answer(asked):
        known = asked.get("q") == "space travel" and asked.get("pageno", "1") == "1"
        return 200, json.dumps(REPLIES[kind] if known else NOTHING[kind]).encode(), {}

    return answer


@pytest.mark.parametrize("kind", REPLIES)
def test_documented_replies_are_read(kind, server, tmp_path):
    server.answer = answering(kind)
    fields = FIELDS if kind == "solr" else {}
    engine = opened(kind, server.url, tmp_path, **fields)
    first, second = engine.search("Space Travel", 50)
    assert (first.title, first.url) == ("Space travel", "https://example.org/travel")
    assert "astronauts to the orbit" in first.snippet
    assert not set("<>&") & set(first.snippet) - {"&"}
    assert second.title == "NASA"
    check_engine(engine, "space travel")


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("searxng", {"q": "nasa", "format": "json", "pageno": "1"}),
        ("brave", {"q": "nasa", "count": "20", "offset": "0", "result_filter": "web"}),
        ("solr", {"q": "nasa", "qf": "name body", "hl.fl": "body", "rows": "50", "fl": "id,score,name,link"}),
    ],
)
def test_requests_have_the_documented_parameters(kind, expected, server, tmp_path):
    server.answer = answering(kind)
    opened(kind, server.url, tmp_path, **(FIELDS if kind == "solr" else {})).search("nasa", 50)
    assert server.requests[0].items() >= expected.items()


RESULT = {"title": "t", "content": "c"}
DOCUMENT = b'{"response": {"docs": [{"id": 1, "title": "t", "score": %s}]}}'


@pytest.mark.parametrize(
    ("kind", "reply"),
    [
        *(("searxng", json.dumps({"results": [{"url": url, **RESULT}]})) for url in ([1], 5, True)),
        ("brave", json.dumps({"type": "search", "web": {"results": [{"url": {"a": 1}, **RESULT}]}})),
        *(("solr", DOCUMENT % score) for score in (b"NaN", b"Infinity", b"1e999", b"9" * 400, b"[]")),
    ],
)
def test_replies_of_other_types_are_refused(kind, reply, server, tmp_path):
    server.answer = lambda asked: (200, reply if isinstance(reply, bytes) else reply.encode(), {})
    with pytest.raises(ServiceUnavailable, match="does not answer as expected"):
        opened(kind, server.url, tmp_path).search("space travel", 5)


def test_halves_of_characters_are_replaced(server, tmp_path):
    reply = {"results": [{"url": "https://example.org/\ud800", "title": "\udfff", "content": "c\0"}]}
    server.answer = lambda asked: (200, json.dumps(reply).encode(), {})
    (hit,) = opened("searxng", server.url, tmp_path).search("space travel", 5)
    assert (hit.document_id, hit.title) == ("https://example.org/\ufffd", "\ufffd")


@pytest.mark.parametrize(
    "counts",
    [
        *([count, 7, 7] for count in (None, "7", -1, 1.5, True, 10**30)),
        *([9, count, 7] for count in (None, "7", -1, 1.5, True, 10**30, [])),
        [9, 7],
        [9, 7, 7, 7],
    ],
)
def test_frequencies_of_other_types_are_refused(counts, server, tmp_path):
    facets = {"count": counts[0]} | {str(number): {"count": each} for number, each in enumerate(counts[1:])}
    server.answer = lambda asked: (200, json.dumps({"facets": facets}).encode(), {})
    with pytest.raises(ServiceUnavailable, match="does not answer as expected"):
        opened("solr", server.url, tmp_path).document_frequencies(["rocket", "moon"])


def test_a_key_is_sent_and_nowhere_else(server, tmp_path):
    server.answer = answering("brave")
    engine = opened("brave", server.url, tmp_path)
    engine.search("space travel", 50)
    assert server.headers[0]["x-subscription-token"] == "k3y-of-the-subscription"
    server.answer = lambda asked: (422, b"no such token: k3y-of-the-subscription", {})
    with pytest.raises(ServiceUnavailable, match=r"no such token: \.\.\.") as caught:
        engine.search("nasa", 50)
    stored = b"".join(each.read_bytes() for each in tmp_path.iterdir())
    for text in (
        str(caught.value),
        repr(engine.request("nasa", 0)),
        *engine.progress.lines,
        stored.decode("latin-1"),
    ):
        assert "k3y" not in text


def test_a_redirect_is_not_followed_and_its_address_shown_without_the_key(server, tmp_path):
    elsewhere = f"{server.url}/elsewhere?token=k3y-of-the-subscription"
    server.answer = lambda asked: (302, b"", {"location": elsewhere})
    with pytest.raises(ServiceUnavailable, match=r"redirects to '.*/elsewhere\?token=\.\.\.'"):
        opened("brave", server.url, tmp_path).search("nasa", 5)
    assert len(server.requests) == 1


@pytest.mark.parametrize("key", ["two\nlines", "“quoted”"])
def test_a_key_that_no_header_can_hold_is_refused_and_not_repeated(key, server, tmp_path, monkeypatch):
    monkeypatch.setenv("QUERYKIN_ENGINE_KEY", key)
    with pytest.raises(InputError, match="the key in QUERYKIN_ENGINE_KEY has characters") as caught:
        opened("brave", server.url, tmp_path).search("nasa", 5)
    assert key not in str(caught.value)
    assert server.requests == []


def test_a_missing_key_says_where_it_belongs(monkeypatch, tmp_path):
    monkeypatch.delenv("QUERYKIN_ENGINE_KEY", raising=False)
    with pytest.raises(InputError, match=r"needs an API key, .* next: export QUERYKIN_ENGINE_KEY=\.\.\."):
        opened("brave", "", tmp_path).search("nasa", 5)


def test_other_variables_of_the_environment_are_no_keys(tmp_path):
    with pytest.raises(InputError, match="must be a variable whose name begins with QUERYKIN_, got 'HOME'"):
        opened("brave", "", tmp_path, key_env="HOME").search("nasa", 5)


def test_a_key_may_be_in_a_keyring(monkeypatch, server, tmp_path):
    keyring = pytest.importorskip("keyring")
    monkeypatch.delenv("QUERYKIN_ENGINE_KEY")
    monkeypatch.setattr(keyring, "get_password", lambda service, user: f"{service}/{user}/key")
    server.answer = answering("brave")
    opened("brave", server.url, tmp_path, keyring="brave").search("nasa", 5)
    assert server.headers[0]["x-subscription-token"] == "brave/querykin/key"


@pytest.mark.parametrize("kind", ["mediawiki", "searxng", "solr"])
def test_an_engine_without_an_address_is_refused(kind, tmp_path):
    with pytest.raises(InputError, match=rf"the engine {kind} needs its address: \[engine\] url = "):
        opened(kind, "", tmp_path)


def index_at(node, folder, **settings):
    pytest.importorskip("opensearchpy")
    from querykin.opensearch.settings import OpenSearchSettings

    given = {"private_hosts": ("localhost", "127.0.0.1"), "rate": 1e6, **FIELDS, **settings}
    chosen = EngineSettings(kind="opensearch", mode="external", index="pages", **given)
    opensearch = OpenSearchSettings(hosts=(node.url,))
    return engine_class(chosen).for_settings(None, chosen, opensearch, folder, Recorded())


def test_an_index_of_opensearch_is_searched_as_it_is(tmp_path):
    with replaying_node({"POST /pages/_search": (200, OPENSEARCH)}) as node:
        engine = index_at(node, tmp_path)
        first, second = engine.search("space travel", 50)
        assert engine.search("Space travel", 50) == [first, second]
        assert first.snippet == "Space travel carries astronauts to the orbit."
        assert (first.document_id, first.score, second.title, second.url) == ("d1", 3.5, "NASA", "")
        searches = [json.loads(body) for _, _, _, body in node.requests]
    assert len(searches) == 1
    assert searches[0]["query"] == {"multi_match": {"query": "space travel", "fields": ["name", "body"]}}


def test_an_index_of_opensearch_at_a_private_address_is_refused_unless_named(tmp_path):
    with replaying_node({}) as node:
        with pytest.raises(InputError, match=r"has the private address 127\.0\.0\.1"):
            index_at(node, tmp_path, private_hosts=()).search("nasa", 5)
        assert node.requests == []


def test_retries_of_opensearch_count_as_requests(tmp_path):
    busy = refused(429, BUSY)
    with replaying_node({"POST /pages/_search": [busy, busy, (200, OPENSEARCH)]}) as node:
        with pytest.raises(BudgetSpent, match="the budget of 2 requests is spent"):
            index_at(node, tmp_path, max_requests=2).search("nasa", 5)
        assert len(node.requests) == 2
        assert len(index_at(node, tmp_path, max_requests=1).search("nasa", 5)) == 2


def test_a_failed_request_to_opensearch_is_not_sent_again_without_retries(tmp_path):
    with (
        replaying_node({"POST /pages/_search": [refused(503, BUSY), (200, OPENSEARCH)]}) as node,
        pytest.raises(ServiceUnavailable, match="cannot answer now"),
    ):
        index_at(node, tmp_path, retries=0).search("nasa", 5)


def test_solr_tells_document_frequencies(server, tmp_path):
    server.answer = lambda asked: (
        200,
        json.dumps({"facets": {"count": 90, "0": {"count": 7}, "1": {"count": 0}}}).encode(),
        {},
    )
    engine = opened("solr", server.url, tmp_path, **FIELDS)
    documents, frequencies = engine.document_frequencies(["rocket", "zzyzx"])
    assert (documents, frequencies.tolist()) == (90, [7, 0])
    asked = server.requests[0]
    assert (asked["rows"], asked["w0"], asked["w1"]) == ("0", "rocket", "zzyzx")
    assert json.loads(asked["json.facet"])["1"]["q"] == "{!dismax qf='name body' v=$w1}"
    assert engine.document_frequencies(["rocket", "zzyzx"])[0] == 90
    assert len(server.requests) == 1
    offline = opened("solr", server.url, tmp_path, offline=True, **FIELDS)
    assert offline.document_frequencies(["rocket", "zzyzx"])[0] == 90
    assert offline.document_frequencies(["moon"])[0] == 0
