"""A real MediaWiki, asked over HTTP, with documents of the shared corpus."""

import json
import lzma
import os
from itertools import islice
from pathlib import Path

import pytest
from reproduce import mediawiki

from querykin import Document, Workspace
from querykin.engine_setup import engine_sections, initialize
from querykin.testing import check_engine

pytestmark = pytest.mark.skipif(bool(mediawiki.MISSING), reason=mediawiki.MISSING)
PAGES = 300
ROOT = Path(__file__).resolve().parent.parent.parent


def corpus_documents(count):
    data = Path(os.environ.get("QUERYKIN_DATA") or ROOT.parent / "shared" / "data")
    path = data / "corpora" / "enwiki-core" / "docs.jsonl.xz"
    if not path.exists():
        pytest.skip(f"{path} is not there; set QUERYKIN_DATA")
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in islice(lines, count)]
    return [Document(each["id"], each["title"], each["text"]) for each in records]


@pytest.fixture(scope="module")
def wiki(tmp_path_factory):
    with mediawiki.MediaWiki(tmp_path_factory.mktemp("wiki"), corpus_documents(PAGES)) as running:
        yield running


@pytest.fixture
def workspace(wiki, tmp_path) -> Workspace:
    given = {"url": wiki.api, "private_hosts": ["localhost"]}
    return initialize(str(tmp_path / "workspace"), engine_sections("mediawiki", given, language="en"))


def test_the_wiki_conforms(workspace):
    check_engine(workspace.expander.engine, "history")


def test_pages_are_found_with_snippets_and_links(workspace, wiki):
    document = corpus_documents(PAGES)[7]
    hits = workspace.search(document.title).hits
    assert document.title in [hit.title for hit in hits]
    assert all(hit.url.startswith(f"http://localhost:{wiki.port}/index.php?curid=") for hit in hits)
    assert all("<" not in passage for hit in hits for passage in hit.passages)


def test_related_texts_score_higher_and_a_replay_is_equal(workspace):
    related = workspace.similarity("planet", "moon", "web-kernel")
    assert related > workspace.similarity("planet", "poetry", "web-kernel")
    offline = workspace.settings.engine.model_copy(update={"offline": True})
    settings = type(workspace.settings)(engine=offline, text=workspace.settings.text)
    again = Workspace.open(workspace.path, settings)
    before = workspace.similarity("planet", "moon", "web-kernel")
    assert again.similarity("planet", "moon", "web-kernel") == before


def test_past_queries_are_suggested(workspace):
    workspace.repository.add([("planet", 3), ("moon", 2), ("poetry", 1), ("music", 1)])
    workspace.build("web-kernel")
    found = workspace.suggest("solar system", measure="web-kernel", filter="none")
    assert found.suggestions[0].query in ("planet", "moon")
