"""MediaWiki dumps: the articles, what is refused, and memory use."""

import bz2
import io
import tracemalloc

import pytest

from querykin.errors import InputError
from querykin.io import limits
from querykin.io.documents import read_documents
from querykin.io.documents.mediawiki import page_url

HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="de">
  <siteinfo><sitename>W</sitename><base>https://de.wikipedia.org/wiki/Hauptseite</base>
    <namespaces><namespace key="0" case="first-letter" /><namespace key="6">Datei</namespace>
    <namespace key="14">Kategorie</namespace></namespaces></siteinfo>
"""
TAIL = "</mediawiki>\n"


def page(number: int, title: str, text: str, ns: int = 0, extra: str = "") -> str:
    return f"""<page><title>{title}</title><ns>{ns}</ns><id>{number}</id>{extra}<revision><id>9{number}</id>
    <contributor><username>U</username><id>5</id></contributor><text bytes="1">{text}</text></revision></page>
"""


def test_a_dump_of_two_bzip2_streams_gives_its_articles(read, file):
    first = HEAD + page(1, "Java (Insel)", "'''Java''' ist eine [[Insel]].[[Datei:J.png|mini]]")
    second = page(2, "Talk:Java", "no", ns=1) + page(3, "Jawa", "#", extra='<redirect title="Java" />')
    third = page(4, "R &amp; D", "&lt;ref>x&lt;/ref>text[[Kategorie:K]]") + TAIL
    path = file("dump.xml.bz2", bz2.compress(first.encode()) + bz2.compress((second + third).encode()))
    documents, problems = read(path)
    assert [(found.id, found.title, found.text) for found in documents] == [
        ("1", "Java (Insel)", "Java ist eine Insel."),
        ("4", "R & D", "text"),
    ]
    assert documents[0].url == "https://de.wikipedia.org/wiki/Java_(Insel)"
    assert problems == []


def test_the_last_of_several_revisions_is_read(read, file):
    revisions = "<revision><text>old</text></revision><revision><text>new</text></revision>"
    two = f"<page><title>A</title><id>1</id>{revisions}</page>"
    assert read(file("d.xml", f"<mediawiki>{two}</mediawiki>")).documents[0].text == "new"


def test_articles_of_a_dump_without_a_base_have_no_url(read, file):
    (found,) = read(file("d.xml", f"<mediawiki>{page(1, 'A', 'b')}</mediawiki>")).documents
    assert found.url == ""


def test_a_page_without_a_title_is_reported_with_its_line(read, file):
    documents, (problem,) = read(
        file("d.xml", f"<mediawiki>\n<page><id>3</id></page>{page(1, 'A', 'b')}</mediawiki>")
    )
    assert len(documents) == 1
    assert (problem.line, problem.message) == (2, "a page without a title")


def test_a_url_may_have_the_title_as_a_parameter():
    assert page_url("http://x/index.php?title=Main", "A B") == "http://x/index.php?title=A_B"


def test_a_truncated_dump_is_an_input_error(read, file):
    with pytest.raises(
        InputError, match=r"d\.xml, line \d+: the XML is cut or damaged .*fetch or export it again"
    ):
        read(file("d.xml", HEAD + page(1, "A", "b")))


def test_a_dump_in_another_encoding_is_decoded(read, file):
    (found,) = read(file("d.xml", (HEAD + page(1, "é", "b") + TAIL).encode("latin-1"))).documents
    assert found.title == "é"


@pytest.mark.parametrize("content", ["<mediawiky><page/></mediawiky>", "<html/>"])
def test_xml_that_is_not_a_dump_is_an_input_error(read, file, content):
    with pytest.raises(InputError, match=r"begins with <\w+>: of XML, MediaWiki exports"):
        read(file("d.xml", content))


def test_an_empty_xml_file_is_an_input_error(read, file):
    with pytest.raises(InputError, match="no element found"):
        read(file("d.xml", ""))


def test_entity_declarations_are_refused(read, file):
    bomb = '<!DOCTYPE m [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><mediawiki>&b;</mediawiki>'
    with pytest.raises(InputError, match="declares a DOCTYPE"):
        read(file("d.xml", bomb))


def test_a_dump_without_articles_is_an_input_error(read, file):
    with pytest.raises(InputError, match="no documents in"):
        read(file("d.xml", HEAD + TAIL))


def test_a_huge_page_is_refused(read, file, monkeypatch):
    monkeypatch.setattr(limits, "MAX_XML_RECORD_CHARACTERS", 1000)
    with pytest.raises(InputError, match="more than 1,000 characters"):
        read(file("d.xml", HEAD + page(1, "A", "x" * 1001) + TAIL))


def test_a_large_dump_is_read_in_bounded_memory():
    class Dump(io.RawIOBase):
        def __init__(self) -> None:
            super().__init__()
            self.parts = iter([HEAD, *(1_000 * [page(1, "A", "some words " * 1_000)]), TAIL])

        def read(self, size: int = -1, /) -> bytes:
            return next(self.parts, "").encode()

    tracemalloc.start()
    count = sum(1 for _ in read_documents(["-"], lambda _: None, stdin=Dump()))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 1_000  # 11 MB of text
    assert peak < 4_000_000
