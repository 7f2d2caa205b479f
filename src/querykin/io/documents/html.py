"""Web pages: the title, the visible text, the URL and the description and keywords of the author."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser

from querykin.io import inputs
from querykin.io.characters import sanitize
from querykin.io.documents.formats import document_format
from querykin.io.documents.plain import stem
from querykin.io.encodings import decode
from querykin.io.inputs import Input
from querykin.io.markup import visible_text
from querykin.types import Document

_URLS = (("link[rel=canonical]", "href"), ("meta[property='og:url']", "content"))


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
    return WebPage(title, visible_text(tree), url, links, fields)


@document_format(
    "html", ".html", ".htm", ".xhtml", description="web pages", recognize=re.compile(rb"\s*<").match
)
def read_html(source: Input) -> Iterator[Document]:
    """The page as one document, without menus, footers and scripts."""
    data = source.file.read(inputs.MAX_LINE_BYTES + 1)
    if len(data) > inputs.MAX_LINE_BYTES:
        source.skip(None, f"a page of more than {inputs.MAX_LINE_BYTES:,} bytes")
        return
    parsed = parse_html(decode(data))
    if parsed.title or parsed.text:
        title = parsed.title or stem(source.label)
        links = {"links": parsed.links} if parsed.links else {}
        yield Document("", title, parsed.text, parsed.url, {**parsed.fields, **links})


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
