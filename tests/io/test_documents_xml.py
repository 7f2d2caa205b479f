"""Feeds and sitemaps, the choice between the kinds of XML, and XML that is refused."""

import pytest

from querykin.errors import InputError
from querykin.io import limits
from querykin.io.xml_parser import root_element

ITEM = "<item><title>{}</title><link>https://x.org/{}</link><description>text</description></item>"


def rss(*titles: str, head: str = "") -> str:
    items = "".join(ITEM.format(title, title) for title in titles)
    return f"{head}<rss version='2.0'><channel><title>T</title>{items}</channel></rss>"


@pytest.mark.parametrize(
    ("head", "root"),
    [
        (b"<rss>", "rss"),
        (b'\n<?xml version="1.0"?>\n<?xsl a="b"?><!-- <x> --><feed xmlns="a">', "feed"),
        (b'<!DOCTYPE rss PUBLIC "-//Netscape//DTD RSS 0.91//EN" "http://x/rss.dtd"><rss>', "rss"),
        (b"<rdf:RDF>", "RDF"),
        (b'<!DOCTYPE rss [<!ENTITY a "]">] > <rss>', "rss"),
        (b"<?a?>" * 10_000 + b"<", ""),  # with backtracking this would never end
        (b"", ""),
        (b"text", ""),
    ],
)
def test_the_root_element_is_found_after_declarations(head, root):
    assert root_element(head) == root


def test_a_feed_of_rss_0_91_with_its_doctype_is_read(read, file):
    doctype = '<!DOCTYPE rss PUBLIC "-//Netscape//DTD RSS 0.91//EN" "http://x.org/rss-0.91.dtd">'
    (found,) = read(file("a.xml", rss("java", head=doctype))).documents
    assert (found.id, found.title, found.url) == ("https://x.org/java", "java", "https://x.org/java")


def test_a_feed_of_rss_1_0_is_read(read, file):
    feed = (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>T</title></channel>'
        "<item><title>Java</title><dc:creator>Ada</dc:creator></item></rdf:RDF>"
    )
    (found,) = read(file("a.rdf.xml", feed)).documents
    assert (found.title, found.fields["creator"]) == ("Java", "Ada")


@pytest.mark.parametrize(
    "entities",
    [
        '<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">',
        '<!ENTITY b SYSTEM "file:///etc/passwd">',
        '<!ENTITY % p SYSTEM "http://127.0.0.1/x.dtd"> %p;',
    ],
)
@pytest.mark.parametrize("name", ["a.xml", "a.rss"])
def test_entity_declarations_are_refused(read, file, entities, name):
    bomb = f"<!DOCTYPE rss [{entities}]>{rss('x').replace('text', '&b;')}"
    with pytest.raises(InputError, match="declares entities, which are not expanded"):
        read(file(name, bomb))


def test_deep_nesting_and_huge_texts_are_refused(read, file, monkeypatch):
    with pytest.raises(InputError, match="nested more than 200 deep"):
        read(file("a.xml", "<rss>" + "<a>" * 300))
    monkeypatch.setattr(limits, "MAX_XML_RECORD_CHARACTERS", 10)
    with pytest.raises(InputError, match="a text of more than 10 characters"):
        read(file("b.xml", rss("x" * 11)))


def test_a_cut_feed_is_an_input_error(read, file):
    with pytest.raises(InputError, match=r"a\.xml, line 1: the XML is cut or damaged"):
        read(file("a.xml", rss("java")[:-10]))


@pytest.mark.parametrize("name", ["a.xml", "a.rss", "a.atom"])
def test_xml_of_another_vocabulary_names_its_root_and_what_can_be_read(read, file, name):
    with pytest.raises(InputError, match=r"begins with <svg>: of XML, MediaWiki exports .*<rss>.*<feed>"):
        read(file(name, "<svg/>"))


def test_a_feed_without_items_is_an_input_error(read, file):
    with pytest.raises(InputError, match="no documents in"):
        read(file("a.xml", rss()))


SITEMAP = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{}</urlset>"


def sitemap(*urls: str) -> str:
    return SITEMAP.format("".join(f"<url><loc>{url}</loc></url>" for url in urls))


def test_a_sitemap_alone_says_what_it_is_and_that_pages_are_needed(read, file, tmp_path):
    path = file("site/sitemap.xml", sitemap("https://x.org/a", "https://x.org/b"))
    for source in (path, tmp_path / "site"):
        with pytest.raises(InputError, match=r"is a sitemap: it names 2 addresses .* nothing is downloaded"):
            read(source)


def test_pages_get_their_urls_from_a_sitemap_named_beside_their_folder(read, file, tmp_path):
    path = file("sitemap.xml", sitemap("https://x.org/b/", "https://x.org/c.php"))
    file("pages/b/index.html", "<title>B</title>")
    file("pages/c.html", "<title>C</title>")
    file("pages/d.html", "<title>D</title>")
    urls = {found.title: found.url for found in read(path, tmp_path / "pages").documents}
    assert urls == {"B": "https://x.org/b/", "C": "https://x.org/c.php", "D": ""}


def test_the_url_that_a_page_declares_counts_before_the_sitemap(read, file, tmp_path):
    file("sitemap.xml", sitemap("https://x.org/b"))
    file("b.html", '<title>B</title><link rel="canonical" href="https://x.org/B">')
    assert [found.url for found in read(tmp_path).documents] == ["https://x.org/B"]


def test_an_index_of_sitemaps_in_a_folder_is_no_problem(read, file, tmp_path):
    file("sitemap.xml", "<sitemapindex><sitemap><loc>https://x.org/s.xml</loc></sitemap></sitemapindex>")
    file("b.html", "<title>B</title>")
    outcome = read(tmp_path)
    assert ([found.title for found in outcome.documents], outcome.problems) == (["B"], [])


def test_a_damaged_sitemap_in_a_folder_is_reported(read, file, tmp_path):
    file("sitemap.xml", sitemap("https://x.org/b")[:-5])
    file("b.html", "<title>B</title>")
    outcome = read(tmp_path)
    assert [found.title for found in outcome.documents] == ["B"]
    assert "sitemap.xml, line 1: the XML is cut or damaged" in str(outcome.problems[0])
