"""A workspace on a search engine elsewhere, as users run it: no documents of its own."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from search_server import search_server, slowly

PROGRAM = [sys.executable, "-c", "from querykin.cli import main; main()"]
QUERIES = "space travel\t3\napple pie\t2\nbaseball umpire\t1\nnasa\t5\ntomato soup\t1\n"
PAIRS = "query\tcandidate\nspace travel\tastronauts\nspace travel\tapple pie\ntomato soup\tbread dough\n"


@pytest.fixture
def server():
    with search_server() as running:
        yield running


@pytest.fixture
def wiki(empty, server):
    """A workspace on a wiki, and nothing else."""
    found = empty("init", "--engine", "mediawiki", "--url", server.api, "--private-host", "localhost")
    assert found.code == 0, found
    assert server.requests == []
    return empty


def scores(querykin, *arguments):
    found = querykin("similarity", *arguments, "--measure", "web-kernel", "--format", "json")
    assert found.code == 0, found
    return json.loads(found.out)["scores"]["web-kernel"]


def test_texts_are_compared_by_what_the_engine_finds(wiki, server):
    assert scores(wiki, "space travel", "astronauts") > 0.3 > scores(wiki, "space travel", "apple pie")
    assert sorted(server.queries) == ["apple pie", "astronauts", "space travel"]


def test_an_explanation_links_to_pages_of_the_engine(wiki, server):
    found = wiki("similarity", "space travel", "astronauts", "--explain", "--format", "json")
    explained = json.loads(found.out)
    assert sum(each["share"] for each in explained["contributions"]) == pytest.approx(explained["score"])
    assert {each["url"].partition("?")[0] for each in explained["passages"]} == {f"{server.url}/index.php"}


def test_pairs_are_scored_and_replayed_offline_to_the_byte(wiki, server):
    wiki.write("pairs.tsv", PAIRS)
    arguments = "score", "pairs.tsv", "--measures", "web-kernel,web-kernel-paper,hybrid,tfidf,jaccard"
    online = wiki(*arguments)
    asked = len(server.requests)
    offline = wiki(*arguments, "--offline")
    assert online.code == offline.code == 0
    assert online.out == offline.out
    assert len(online.lines) == 4
    assert asked == len(server.requests) == 5


def test_past_queries_are_indexed_and_suggested(wiki, server):
    wiki.write("queries.tsv", QUERIES)
    assert wiki("repository", "add", "queries.tsv").code == 0
    built = wiki("build", "--measures", "web-kernel")
    assert built.code == 0, built
    assert f"asking mediawiki at {server.api} for 5 queries: up to 9 requests" in built.err
    found = json.loads(wiki("suggest", "astronauts orbit", "--measure", "web-kernel", "--format", "json").out)
    assert found[0]["covered"]
    assert {each["query"] for each in found[0]["suggestions"][:2]} == {"space travel", "nasa"}
    again = wiki("suggest", "astronauts orbit", "--measure", "web-kernel", "--format", "json", "--offline")
    assert json.loads(again.out) == found
    assert len(server.requests) == 6


def test_suggest_builds_the_index_with_the_words_of_the_results(wiki, server):
    wiki.write("queries.tsv", QUERIES)
    wiki("repository", "add", "queries.tsv")
    found = wiki("suggest", "astronauts orbit", "--measure", "web-kernel", "--format", "json")
    assert json.loads(found.out)[0]["suggestions"][0]["query"] == "space travel"


def test_a_budget_ends_a_build_that_continues_later(wiki, server):
    wiki.write("queries.tsv", QUERIES)
    wiki("repository", "add", "queries.tsv")
    assert wiki.refuses("build", "--max-requests", "3", "--quiet").startswith(
        "querykin: the budget of 3 requests is spent: mediawiki at"
    )
    assert wiki("build", "--measures", "web-kernel", "--max-requests", "2").code == 0
    assert len(server.requests) == 5


def test_offline_builds_nothing_that_is_not_stored(wiki, server):
    wiki.write("queries.tsv", QUERIES)
    wiki("repository", "add", "queries.tsv")
    found = wiki("build", "--offline")
    assert found.code == 1
    assert "there is no stored reply for 5 queries, like 'space travel'" in found.err
    found = wiki("similarity", "a pie", "nasa", "--measure", "jaccard", "--offline")
    assert (found.code, found.err) == (0, "")
    assert server.requests == []


def test_a_killed_build_is_continued(wiki, server):
    wiki.write("queries.tsv", QUERIES)
    wiki("repository", "add", "queries.tsv")
    settings = wiki.workspace / "settings.toml"
    settings.write_text(settings.read_text() + "concurrency = 1\n")
    server.answer = slowly(0.3, server.search)
    build = subprocess.Popen([*PROGRAM, "build", "--measures", "web-kernel"], env=wiki.environment())
    while len(server.requests) < 3:
        time.sleep(0.02)
    build.send_signal(signal.SIGKILL)
    build.wait()
    time.sleep(0.4)  # what the server still answers goes nowhere
    asked = len(server.requests)
    server.answer = server.search
    assert wiki("build", "--measures", "web-kernel").code == 0
    assert len(server.requests) - asked <= 3
    assert wiki("check").code == 0


def test_where_frequencies_come_from_is_shown(wiki):
    wiki("similarity", "nasa", "space travel", "--measure", "web-kernel")
    facts = json.loads(wiki("corpus", "info", "--format", "json").out)
    seen = facts["sources"]["snippets"]
    assert facts["frequencies"] == f"snippets seen so far ({seen} of {seen} documents)"
    assert facts["replies"] == 2
    assert "frequencies  snippets seen so far" in wiki("corpus", "info").out


def test_a_background_corpus_gives_frequencies_and_unknown_words_count(own, server):
    found = own("init", "--engine", "mediawiki", "--url", server.api, "--private-host", "localhost")
    assert "document frequencies: corpus (4 documents)" in found.err
    before = json.loads(own.facts())["documents"]
    assert scores(own, "baseball umpire", "pitcher mound") > 0.1  # no document has any of these words
    assert json.loads(own.facts())["documents"] == before


def test_recorded_results_need_no_documents(empty):
    hits = [{"document_id": "1", "title": "NASA", "snippet": "NASA explores space", "url": "", "score": 1.0}]
    empty.write("answers.json", json.dumps({"nasa": hits, "space probe": hits}))
    assert empty("init", "--engine", "recorded", "--path", "answers.json").code == 0
    assert scores(empty, "nasa", "space probe") > 0.5


def test_a_backup_has_settings_and_replies(wiki, server, tmp_path):
    value = scores(wiki, "nasa", "space travel")
    assert wiki("backup", "saved.tar.zst").code == 0
    assert wiki("restore", "saved.tar.zst", "--workspace", str(tmp_path / "new")).code == 0
    found = wiki(
        "similarity", "nasa", "space travel", "--measure", "web-kernel", "--format", "json", "--offline",
        "--workspace", str(tmp_path / "new"),
    )  # fmt: skip
    assert json.loads(found.out)["scores"]["web-kernel"] == value
    assert (tmp_path / "new" / "replies.db").stat().st_mode & 0o077 == 0
    assert wiki("check", "--workspace", str(tmp_path / "new")).code == 0


def test_settings_of_a_file_precede_those_of_the_workspace(wiki, server):
    wiki.write("other.toml", '[engine]\nkind = "tantivy"\n')
    assert "the one in" in wiki.refuses(
        "similarity", "a", "b", "--measure", "tfidf", "--config", "other.toml"
    )
    wiki.write("more.toml", "[expansion]\nwindow = 200\n")
    assert wiki("similarity", "nasa", "orbit", "--measure", "tfidf", "--config", "more.toml").code == 0
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--engine", "gopher"], "unknown engine 'gopher'"),
        (["--engine", "solr"], "the engine solr needs its address"),
        (["--engine", "searxng", "--url", "searx"], "must be an address like https://search.example.com"),
        (["--engine", "opensearch"], "opensearch needs the index that is searched: --index NAME"),
        (["--engine", "tantivy"], "searches documents of the workspace and needs no init"),
        (
            ["--engine", "opensearch", "--index", "a", "--url", "https://ann:secret@x.example.com"],
            "the address of x.example.com must not hold a user or a password",
        ),
        (["--engine", "searxng", "--url", "https://x.example.com/\udcff"], "settings must be UTF-8"),
        (["--engine", "recorded"], "needs their file"),
        (
            ["--engine", "brave", "--frequencies", "engine"],
            "does not report document frequencies",
        ),
        (["--engine", "solr", "--url", "http://a", "--fields", "name=x"], "unknown field 'name'"),
        (
            ["--engine", "solr", "--url", "http://a", "--frequencies", "x"],
            "frequencies must be one of corpus",
        ),
    ],
)
def test_a_wrong_engine_leaves_nothing_behind(empty, arguments, message):
    assert message in empty.refuses("init", *arguments)
    assert not (empty.workspace / "settings.toml").exists()


def test_settings_that_are_no_file_are_not_waited_for(empty, tmp_path):
    (tmp_path / "workspace").mkdir()
    os.mkfifo(tmp_path / "workspace" / "settings.toml")
    message = empty.refuses("corpus", "info", "--workspace", str(tmp_path / "workspace"))
    assert "it is not a regular file" in message


def test_settings_are_not_overwritten(wiki):
    assert "settings.toml exists; next: edit it" in wiki.refuses(
        "init", "--engine", "recorded", "--path", "x"
    )
