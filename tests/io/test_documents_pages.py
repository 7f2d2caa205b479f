"""Plain text, Markdown and web pages: one document per file."""

import gzip
import io
import tracemalloc

import pytest

from querykin.errors import InputError
from querykin.io import limits
from querykin.io.documents import read_documents


def test_the_title_of_a_text_is_its_first_nonempty_line(read, file):
    (found,) = read(file("java.txt", "\n\n  Java \r\nAn island.\r\n")).documents
    assert (found.title, found.text) == ("Java", "Java \nAn island.")


def test_the_title_is_the_file_name_if_the_first_line_is_long(read, file):
    assert read(file("java.txt", "x" * 121)).documents[0].title == "java"
    assert read(file("java.md", "## " + "x" * 120)).documents[0].title == "x" * 120


def test_a_long_text_becomes_several_documents_cut_at_line_ends(read, file):
    lines = [f"line {number} of a long text" for number in range(10_000)]
    documents = read(file("long.txt", "\n".join(lines))).documents
    assert len({found.id for found in documents}) == len(documents) == 3
    assert {found.title for found in documents} == {"line 0 of a long text"}
    assert max(len(found.text) for found in documents) <= 100_000
    assert "\n".join(found.text for found in documents).split("\n") == lines


def test_a_text_of_exactly_the_maximal_part_size_is_one_document(read, file):
    (found,) = read(file("a.txt", "é" * 100_000)).documents
    assert len(found.text) == 100_000


def test_a_line_longer_than_a_part_is_cut(read, file):
    documents = read(file("a.txt", "é" * 250_000)).documents
    assert [len(found.text) for found in documents] == [100_000, 100_000, 50_000]


@pytest.mark.parametrize(("bad", "message"), [(b"caf\xe9", "not UTF-8"), (b"\x00", "a NUL character")])
def test_a_part_that_is_not_text_is_reported_with_its_first_line(read, file, bad, message):
    good = "a line of täxt\n".encode() * 6_000
    documents, (problem,) = read(file("a.txt", good + b"b" * 90_000 + bad + b"\n" + good))
    assert len(documents) == 2
    assert problem.line == 6_001
    assert message in problem.message


def test_a_binary_file_called_text_is_an_input_error(read, file):
    with pytest.raises(InputError, match="a NUL character: is this a binary file"):
        read(file("a.txt", bytes(range(256))))


def test_a_long_text_is_read_in_bounded_memory():
    class Endless(io.RawIOBase):
        left = 40_000_000

        def read(self, size: int = -1, /) -> bytes:
            self.left -= size
            return (b"word " * (size // 5 + 1))[:size] if self.left > 0 else b""

    tracemalloc.start()
    count = sum(len(found.text) for found in read_documents(["-"], lambda _: None, stdin=Endless()))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count > 30_000_000
    assert peak < 8_000_000


PAGE = """<!doctype html><html><head><title> Java &amp;
 Bali </title><link rel="canonical" href="http://x/java"><meta property="og:url" content="http://other">
<meta name="Description" content="Two islands"><meta name="keywords" content="isle, sea">
<meta name="viewport" content="w"><style>p {}</style></head><body><nav>Home About</nav>
<header><h1>Java</h1></header>
<p>H<sub>2</sub>O and <b>l</b>and.<br>Next<script>var x = "unseen"</script></p><ul><li>one<li>two</ul>
<table><tr><td>cell<td>other</table><div hidden>unseen</div><footer>unseen</footer></body></html>"""


def test_a_web_page_has_title_text_url_and_description(read, file):
    (found,) = read(file("java.html", PAGE)).documents
    assert (found.id, found.title, found.url) == ("http://x/java", "Java & Bali", "http://x/java")
    assert found.text.split("\n") == ["Java", "H2O and land.", "Next", "one", "two", "cell", "other"]
    assert found.fields == {"description": "Two islands", "keywords": "isle, sea"}


def test_a_web_page_without_canonical_link_has_its_open_graph_url(read, file):
    page = '<meta property="og:url" content="http://other"><h1>Java</h1>'
    (found,) = read(file("a.htm", page)).documents
    assert (found.title, found.url) == ("Java", "http://other")


def test_a_web_page_without_title_is_named_by_its_file(read, file):
    assert read(file("java.html.gz", gzip.compress(b"<p>island"))).documents[0].title == "java"


@pytest.mark.parametrize(
    "declared", ['<meta charset="iso-8859-1">', '<?xml version="1.0" encoding="windows-1252"?>']
)
def test_a_declared_charset_is_used(read, file, declared):
    page = f"{declared}<title>Café – “bar”</title>".encode("cp1252")
    assert read(file("a.html", page)).documents[0].title == "Café – “bar”"


@pytest.mark.parametrize("declared", ["", '<meta charset="utf-8">', '<meta charset="nonsense">'])
def test_the_charset_of_a_web_page_is_found_where_none_or_a_wrong_one_is_declared(read, file, declared):
    page = f"{declared}<title>Café</title>".encode("latin-1")
    assert read(file("a.html", page)).documents[0].title == "Café"


def test_a_huge_web_page_is_refused(read, file, monkeypatch):
    monkeypatch.setattr(limits, "MAX_LINE_BYTES", 20)
    with pytest.raises(InputError, match="a page of more than 20 bytes"):
        read(file("a.html", PAGE))
