"""Misspelt queries in the API and on the page."""

import pytest

TYPED = {"q": "space exploraton"}
BROWSER = {"Accept": "text/html"}


def test_the_api_corrects_and_says_so(client):
    found = client.get("/v1/suggest", params=TYPED).json()
    meant = client.get("/v1/suggest", params={"q": "space exploration"}).json()
    assert (found["query"], found["corrected"]) == ("space exploraton", "space exploration")
    assert found["suggestions"] == meant["suggestions"]
    assert meant["corrected"] is None


def test_exact_is_another_answer_than_the_corrected_one(client):
    for _ in range(2):  # the second time from the cache of responses
        exact = client.get("/v1/suggest", params={**TYPED, "exact": "true"}).json()
        assert exact["corrected"] is None
        assert client.get("/v1/suggest", params=TYPED).json()["corrected"] == "space exploration"


def test_matches_are_not_corrected(client):
    (found,) = client.post("/v1/match", json={"queries": ["exploraton"]}).json()
    assert (found["corrected"], found["covered"]) == (None, False)


def test_the_page_names_the_words_and_links_to_the_query_as_typed(client):
    page = client.get("/", params=TYPED, headers=BROWSER).text
    assert "No evidence for <q><bdi>exploraton</bdi></q>, using <q><bdi>exploration</bdi></q>." in page
    assert 'href="/?q=space+exploraton&amp;exact=true">Search as typed</a>' in page
    assert "/why?a=space+exploration" in page
    as_typed = client.get("/", params={**TYPED, "exact": "true"}, headers=BROWSER).text
    assert "Search as typed" not in as_typed
    assert 'Did you mean <a href="/?q=space+exploraton"><bdi>space exploration</bdi></a>?' in as_typed
    assert "/suggestions.tsv?q=space+exploraton&amp;exact=true" in as_typed


@pytest.mark.parametrize("typed", ["<b>exploraton</b>", '"exploraton"'])
def test_what_was_typed_is_escaped(client, typed):
    page = client.get("/", params={"q": typed}, headers=BROWSER).text
    assert "<bdi>exploraton</bdi>" in page
    assert "<b>" not in page


def test_a_search_stays_a_list_and_names_the_correction_in_a_header(client):
    found = client.get("/v1/search", params=TYPED)
    meant = client.get("/v1/search", params={"q": "space exploration"})
    assert found.json() == meant.json()
    assert found.headers["Corrected-Query"] == "space%20exploration"
    assert "Corrected-Query" not in meant.headers
    assert "Corrected-Query" not in client.get("/v1/search", params={**TYPED, "exact": "true"}).headers


def test_the_search_page_names_the_words_too(client):
    page = client.get("/search", params=TYPED, headers=BROWSER).text
    assert "No evidence for <q><bdi>exploraton</bdi></q>" in page
    assert 'href="/search?q=space+exploraton&amp;exact=true">Search as typed</a>' in page
    as_typed = client.get("/search", params={**TYPED, "exact": "true"}, headers=BROWSER)
    assert (as_typed.status_code, "Search as typed" in as_typed.text) == (200, False)
    assert 'Did you mean <a href="/search?q=space+exploraton">' in as_typed.text


def test_a_comparison_is_of_the_texts_as_typed_and_names_what_was_meant(client):
    page = client.get("/compare", params={"a": "space exploraton", "b": "NASA"}, headers=BROWSER).text
    assert "No evidence for <q><bdi>exploraton</bdi></q>" in page
    assert 'href="/compare?a=space+exploration&amp;b=NASA&amp;sort=family"' in page
    assert 'value="space exploraton"' in page
