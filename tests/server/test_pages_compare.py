"""The compare page: one table of all measures, by family, sorted, with explanations and examples."""

import re

import pytest

from querykin.measures import Family, measures

PAIR = {"a": "space exploration", "b": "NASA"}


def rows(page):
    """Measure and score of each row, in the order of the page."""
    found = re.findall(r'<tr data-row [^>]*data-measure="([^"]+)" data-score="([^"]+)"', page)
    return [(name, float(score)) for name, score in found]


def test_two_texts_are_compared_by_every_measure(client):
    page = client.get("/compare", params=PAIR).text
    snapshot = client.app.state.service.snapshot
    assert dict(rows(page)) == pytest.approx(snapshot.score([tuple(PAIR.values())])[0], nan_ok=True)
    assert "<mark>" in page
    assert 'href="https://example.org/' in page


def test_rows_are_grouped_by_family_with_the_default_measure_first(client):
    page = client.get("/compare", params=PAIR).text
    headings = re.findall(r'<tr class="family" data-family="\d"><th[^>]*>(\w+) ', page)
    families = [measures[name].kind.family for name, _ in rows(page)]
    assert [heading.lower() for heading in headings] == list(dict.fromkeys(families))
    assert families == sorted(families, key=list(Family).index)
    assert rows(page)[0][0] == "hybrid"


def test_the_address_says_how_rows_are_sorted(client):
    by_score = client.get("/compare", params={**PAIR, "b": "qwxyz", "sort": "score"}).text
    scores = [score for _, score in rows(by_score)]
    known = [score for score in scores if score == score]
    assert scores[: len(known)] == sorted(known, reverse=True)
    assert len(known) < len(scores)  # those that are not covered come last
    assert 'aria-sort="descending"' in by_score
    by_name = client.get("/compare", params={**PAIR, "sort": "measure"}).text
    assert rows(by_name) == sorted(rows(by_name))
    unknown = client.get("/compare", params={**PAIR, "sort": "scores"})
    assert unknown.status_code == 422
    assert "did you mean &#39;score&#39;?" in unknown.text


def test_rows_link_to_their_explanation(client):
    page = client.get("/compare", params={**PAIR, "sort": "score"}).text
    first = rows(page)[0][0]
    assert f'href="/compare/why?a=space+exploration&amp;b=NASA&amp;measure={first}"' in page


def test_a_measure_without_an_index_explains_two_texts(client):
    assert "jaccard" in client.app.state.service.snapshot.buildable
    page = client.get("/compare/why", params={**PAIR, "b": "space station", "measure": "jaccard"})
    assert page.status_code == 200
    assert "<bdi>space</bdi>" in page.text


def test_examples_are_pairs_of_the_workspace(client):
    page = client.get("/compare").text
    examples = client.app.state.service.snapshot.examples
    assert len(examples) == 4
    for example in examples:
        assert f"<bdi>{example.query}</bdi> and <bdi>{example.neighbor}</bdi>".replace("'", "&#39;") in page
