"""Wikitext to plain text: each kind of markup, and arbitrary texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from querykin.io.documents.wikitext import plain_text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("'''Java''' is ''an'' '''''island'''''", "Java is an island"),
        ("a{{x|{{y}}|z={{{p|q}}}}} b", "a b"),
        ("a{{{{x}} y}} b", "a b"),
        ("a\n{| class=x\n|-\n| cell\n{|\n| inner\n|}\n| more\n|}\nb", "a\nb"),
        ("a<ref>note</ref> b<ref name=x /> c<REF name='y'>n</REF>", "a b c"),
        ("a<ref>{{cite|x}} <math>y</math></ref>b", "ab"),
        ("a<!-- {{ never\nmind -->b", "ab"),
        ("[[island]]s, [[Java|the isle]], [[Java (isle)|]]", "islands, the isle, Java (isle)"),
        ("[[File:J.png|thumb|A [[volcano]] of [[Java|it]]]]text", "text"),
        ("[[Category:Islands]][[de:Java]]text", "text"),
        ("see [[:Category:Islands]]", "see Category:Islands"),
        ("[http://x.org a site] and [https://y.org]", "a site and"),
        ("== History ==\ntext", "History.\ntext"),
        ("=== Why? ===", "Why?"),
        ("* one\n** two\n# three\n: four\n; five", "one\ntwo\nthree\nfour\nfive"),
        ("a&nbsp;b &amp; c &lt;b&gt;", "a b & c <b>"),
        ("H<sub>2</sub>O<br/>next<p>par</p>", "H2O\nnext\npar"),
        ("<gallery>\nA.png|x\n</gallery>text", "text"),
        ("Java ({{lang|jv}}; ) is", "Java is"),
        ("__NOTOC__text\n----\n", "text"),
        ("a {{unclosed", "a unclosed"),
        ("a }} b ]] c |} d", "a b c d"),
        ("[[unclosed", "unclosed"),
        ("", ""),
    ],
)
def test_markup_becomes_the_visible_text(markup, text):
    assert plain_text(markup) == text


def test_hidden_namespaces_are_configurable():
    assert plain_text("a[[Datei:J.png|mini]]", {"datei"}) == "a"


MARKS = [
    "{{",
    "}}",
    "{|",
    "|}",
    "[[",
    "]]",
    "|",
    "<ref>",
    "</ref>",
    "<!--",
    "-->",
    "'''",
    "\n",
    "=",
    "a",
    "(",
    ")",
]
marked = st.lists(st.sampled_from(MARKS) | st.text(max_size=3), max_size=40).map("".join)


@given(marked)
def test_no_markup_brackets_remain_in_any_text(text):
    result = plain_text(text)
    assert not [mark for mark in ("{{", "}}", "[[", "]]", "{|", "|}") if mark in result]


words = st.text("abc ", min_size=1, max_size=8)
pages = st.recursive(
    words,
    lambda inner: st.one_of(
        inner.map(lambda text: "{{" + "hidden|" + text + "}}"),
        inner.map(lambda text: "<ref>hidden " + text + "</ref>"),
        inner.map(lambda text: "[[hidden|a" + text + "]]"),
        st.tuples(inner, inner).map("".join),
    ),
    max_leaves=12,
)


@given(pages)
def test_hidden_parts_of_well_formed_markup_are_removed(text):
    assert "hidden" not in plain_text(text)


@given(words)
def test_plain_words_are_unchanged(text):
    assert plain_text(text) == " ".join(text.split())
