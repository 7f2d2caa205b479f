"""Web pages: the title, the visible text, the URL and the description and keywords of the author."""

import codecs
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser

from querykin.io import inputs
from querykin.io.characters import sanitize
from querykin.io.documents.formats import document_format
from querykin.io.documents.plain import stem
from querykin.io.inputs import Input
from querykin.types import Document

_INVISIBLE = (
    "script, style, noscript, template, svg, iframe, object, canvas, title, "
    "nav, footer, aside, button, select, dialog, [hidden], [role=navigation]"
)
_BLOCKS = (
    "address, article, blockquote, br, dd, div, dl, dt, fieldset, figcaption, figure, form, "
    "h1, h2, h3, h4, h5, h6, header, hr, li, main, ol, p, pre, section, table, td, th, tr, ul"
)
_URLS = (("link[rel=canonical]", "href"), ("meta[property='og:url']", "content"))
_CHARSET = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([\w-]+)""", re.IGNORECASE)
_CHARSET_SEARCH_BYTES = 4096


@dataclass(frozen=True)
class WebPage:
    """The content of a page; `fields` are the description and keywords of its meta elements."""

    title: str
    text: str  # visible text without menus, footers and scripts
    url: str
    links: str  # the text of all links, including menus
    fields: Mapping[str, str]


def parse_html(page: str) -> WebPage:
    """Parse a page, whose markup may be broken."""
    tree = LexborHTMLParser(sanitize(page))
    title = _first_text(tree, "head title") or _first_text(tree, "h1")
    links = " ".join(" ".join(node.text().split()) for node in tree.css("a[href]"))
    url, fields = _url(tree), _fields(tree)
    return WebPage(title, _visible_text(tree), url, links, fields)


@document_format(
    "html", ".html", ".htm", ".xhtml", description="web pages", recognize=re.compile(rb"\s*<").match
)
def read_html(source: Input) -> Iterator[Document]:
    """The page as one document, without menus, footers and scripts."""
    data = source.file.read(inputs.MAX_LINE_BYTES + 1)
    if len(data) > inputs.MAX_LINE_BYTES:
        source.skip(None, f"a page of more than {inputs.MAX_LINE_BYTES:,} bytes")
        return
    page = decode_html(data)
    if page is None:
        source.skip(None, "not UTF-8, and no other charset is declared")
        return
    parsed = parse_html(page)
    if parsed.title or parsed.text:
        title = parsed.title or stem(source.label)
        links = {"links": parsed.links} if parsed.links else {}
        yield Document(source.label, title, parsed.text, parsed.url, {**parsed.fields, **links})


def decode_html(data: bytes) -> str | None:
    """The text of a page; None if it is not UTF-8 and declares no other charset."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        declared = _CHARSET.search(data[:_CHARSET_SEARCH_BYTES])
    try:
        charset = codecs.lookup(declared[1].decode()).name if declared else "utf-8"
    except LookupError:
        return None
    if charset == "utf-8":
        return None
    # Pages declared as Latin-1 are Windows-1252 in practice, and browsers decode them so.
    return data.decode("cp1252" if charset == "iso8859-1" else charset, "replace")


def _first_text(tree: LexborHTMLParser, selector: str) -> str:
    node = tree.css_first(selector)
    return " ".join(node.text().split()) if node else ""


def _url(tree: LexborHTMLParser) -> str:
    for selector, attribute in _URLS:
        node = tree.css_first(selector)
        if node and (value := node.attributes.get(attribute)):
            return value.strip()
    return ""


def _fields(tree: LexborHTMLParser) -> dict[str, str]:
    fields: dict[str, str] = {}
    for node in tree.css("meta[name]"):
        name = (node.attributes["name"] or "").lower()
        value = (node.attributes.get("content") or "").strip()
        if name in ("description", "keywords") and value:
            fields.setdefault(name, value)
    return fields


def _visible_text(tree: LexborHTMLParser) -> str:
    for node in tree.css(_INVISIBLE):
        node.decompose()
    for node in tree.css(_BLOCKS):
        node.insert_before("\n")
        node.insert_after("\n")
    text = tree.body.text() if tree.body else ""
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)
