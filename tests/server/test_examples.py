"""Example queries: of several words, with a neighbor, the same each time; bounded work."""

import pytest

from querykin.server.examples import EXAMPLES, choose_examples


@pytest.fixture(scope="module")
def suggester(client):
    return client.app.state.service.snapshot.suggester(exact=True)


def test_examples_have_several_words_and_a_neighbor_without_any_of_them(suggester):
    examples = choose_examples(suggester)
    assert len(examples) == EXAMPLES
    for example in examples:
        words = set(example.query.lower().split())
        assert len(words) > 1
        assert words.isdisjoint(example.neighbor.lower().split())
        ((best,),) = [result.suggestions for result in suggester.match([example.neighbor], 1)]
        assert best.query == example.neighbor  # of the repository
    assert choose_examples(suggester) == examples


def test_the_number_of_searched_queries_is_bounded(suggester, monkeypatch):
    monkeypatch.setattr("querykin.server.examples._CANDIDATES", 5)
    searched = []
    search = type(suggester).suggest
    monkeypatch.setattr(
        type(suggester), "suggest", lambda self, texts, k: searched.extend(texts) or search(self, texts, k)
    )
    choose_examples(suggester)
    assert 0 < len(searched) <= 5


def test_the_start_page_shows_them(client):
    page = client.get("/").text
    for example in client.app.state.service.snapshot.examples:
        assert f"<bdi>{example.query}</bdi>".replace("'", "&#39;") in page
