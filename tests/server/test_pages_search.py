"""The search page, and the filters of the suggest page, without scripts."""

import re

import pytest


def test_documents_are_shown_with_marked_passages(client):
    page = client.get("/search", params={"q": "space exploration", "k": "3"}).text
    assert page.count("<blockquote>") >= 3
    assert re.search(r"<mark>[Ss]pace</mark>", page)
    assert re.search(r'role="status">\s*3 documents', page)
    assert 'href="/search" aria-current="page"' in page


def test_titles_link_to_pages_of_safe_schemes_only(client):
    page = client.get("/search", params={"q": "NASA"}).text
    assert not re.search(r'href="(?!https?://|/|#)', page)


def test_a_query_that_is_not_covered_gets_advice(client):
    page = client.get("/search", params={"q": "qwxyz"}).text
    assert "say too little about this query" in page
    assert "querykin corpus add" in page


def test_an_empty_corpus_shows_the_command(make_client, tmp_path):
    with make_client(tmp_path / "empty") as client:
        page = client.get("/search", params={"q": "NASA"})
        assert page.status_code == 200
        assert "querykin corpus add FILE" in page.text


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"q": "space", "k": "many"}, "must be a whole number from 1 to 200, got &#39;many&#39;"),
        ({"q": "x" * 1001}, "may have 1,000 characters, got 1,001"),
    ],
)
def test_errors_are_shown_with_the_form(client, values, message):
    page = client.get("/search", params=values)
    assert page.status_code == 422
    assert message in page.text
    assert 'role="alert"' in page.text
    assert 'id="q"' in page.text


def test_the_suggest_page_filters_and_keeps_its_values(client):
    values = {"q": "space exploration", "k": "50", "filter": "none", "min_count": "6"}
    page = client.get("/", params=values).text
    exported = client.get("/suggestions.json", params=values).json()[0]["suggestions"]
    assert exported == client.get("/v1/suggest", params=values).json()["suggestions"]
    assert page.count('class="query"') == len(exported)
    assert '<option value="none" selected>' in page
    assert "filter=none&amp;min_count=6" in page


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"filter": "divers"}, "did you mean &#39;diverse&#39;?"),
        ({"min_count": "few"}, "The minimum count must be a whole number"),
    ],
)
def test_wrong_filters_are_shown_as_errors(client, values, message):
    page = client.get("/", params={"q": "space", **values})
    assert page.status_code == 422
    assert message in page.text
