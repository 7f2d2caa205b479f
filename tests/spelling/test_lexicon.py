"""What past queries say about words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from querykin import Workspace
from querykin.spelling.lexicon import Lexicon

words = st.sampled_from(["blue", "tooth", "x", "50", "b"])
texts = st.lists(words, min_size=1, max_size=6).map(" ".join)


def side_by_side(queries, text):
    """How often a text is found between the words of queries."""
    wanted = text.split()
    found = 0
    for query in queries:
        parts = query.split()
        found += sum(parts[at : at + len(wanted)] == wanted for at in range(len(parts)))
    return found / len(queries)


def lexicon(folder, queries):
    opened = Workspace.open(folder)
    opened.repository.add([(query, 1) for query in queries])
    opened = opened.reopen()
    return Lexicon(opened.corpus, opened.repository)


@given(queries=st.sets(texts, min_size=1, max_size=8), text=texts)
def test_words_side_by_side_are_counted_as_by_the_reference(tmp_path_factory, queries, text):
    found = lexicon(tmp_path_factory.mktemp("queries"), sorted(queries)).asked_side_by_side(text)
    counted = 2 <= len(text.split()) <= 3
    assert found == pytest.approx(side_by_side(queries, text) if counted else 0.0)


def test_words_that_touch_are_not_side_by_side(tmp_path):
    """Ideographs in a row are indexed one by one and in pairs; spelling has nothing to split there."""
    known = lexicon(tmp_path, ["東京都 駅"])
    assert not any(known.asked_side_by_side(text) for text in ("東 京", "京 都", "都 東"))


def test_without_past_queries_nothing_is_side_by_side(tmp_path):
    opened = Workspace.open(tmp_path)
    assert Lexicon(opened.corpus, opened.repository).asked_side_by_side("blue tooth") == 0.0
