"""HTML within cells."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from querykin.io.markup import strip_html


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("<p>Fish &amp; chips</p>", "Fish & chips"),
        ("Fish &amp; chips", "Fish & chips"),
        ("&lt;b&gt; is a tag", "<b> is a tag"),
        ("&#8364; 5 &#x20AC;", "€ 5 €"),
        ("one<br/>two<ul><li>three</ul>", "one\ntwo\nthree"),
        ('<a href="/x?a=1&b=2">link</a>ed', "linked"),
        ("<IMG src='x.png'>picture<script>var x</script>", "picture"),
        ("<p>a < b</p>", "a < b"),
        ("<!-- note -->seen", "seen"),
    ],
)
def test_html_is_stripped_and_unescaped(cell, text):
    assert strip_html(cell) == text


@pytest.mark.parametrize(
    "text",
    ["a < b", "AT&T", "R&D; more", "List<String>", "a <b and c> d", "x<y>z", "?a=1&copy=2", "<3", "&nosuch;"],
)
def test_other_text_is_unchanged(text):
    assert strip_html(text) == text


@given(st.text(st.characters(exclude_characters="<&")))
def test_text_without_markup_is_unchanged(text):
    assert strip_html(text) == text
