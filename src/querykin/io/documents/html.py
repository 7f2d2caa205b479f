"""Web pages: the title, the visible text, the URL and the description and keywords of the author."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from querykin.io import limits
from querykin.io.characters import sanitize
from querykin.io.documents.formats import document_format
from querykin.io.documents.plain import stem
from querykin.io.html_tags import Tag, tags
from querykin.io.html_text import VisibleText
from querykin.io.inputs import Input
from querykin.types import Document

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_META = ("description", "keywords")


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
    reading = _PageReading()
    for tag in tags(sanitize(page)):
        reading.add(tag)
    return reading.page()


class _PageReading:
    """A page while its tags arrive."""

    def __init__(self) -> None:
        self._visible = VisibleText()
        self._title = self._canonical = self._open_graph_url = ""
        self._heading: list[str] = []  # the text of the first h1
        self._heading_state = "before"
        self._links: list[str] = []
        self._in_link = self._in_svg = False
        self._fields: dict[str, str] = {}

    def add(self, tag: Tag) -> None:
        self._visible.add(tag)
        if tag.name == "svg":
            self._in_svg = not tag.is_end and not tag.written_attributes.endswith("/")
        elif tag.name == "a":
            self._in_link = not tag.is_end and "href" in tag.attributes()
            self._links.append(" ")
        elif tag.name == "h1" or self._heading_state == "inside":
            self._read_heading(tag)
        elif tag.name == "title" and not tag.is_end and not self._in_svg:
            self._title = self._title or " ".join(tag.text.split())
        elif tag.name in ("meta", "link") and not tag.is_end:
            self._read_metadata(tag.name, tag.attributes())
        if tag.text and tag.name != "title":
            if self._in_link:
                self._links.append(tag.text)
            if self._heading_state == "inside":
                self._heading.append(tag.text)

    def page(self) -> WebPage:
        title = self._title or " ".join("".join(self._heading).split())
        links = " ".join("".join(self._links).split())
        url = self._canonical or self._open_graph_url
        return WebPage(title, self._visible.text(), url, links, self._fields)

    def _read_heading(self, tag: Tag) -> None:
        if tag.name == "h1" and not tag.is_end and self._heading_state == "before":
            self._heading_state = "inside"
        elif tag.name in _HEADINGS or (tag.is_end and tag.name in ("body", "html", "div", "header")):
            self._heading_state = "after"

    def _read_metadata(self, element: str, attributes: Mapping[str, str]) -> None:
        value = attributes.get("content", "").strip()
        name = attributes.get("name", "").lower()
        if element == "link" and attributes.get("rel") == "canonical":
            self._canonical = self._canonical or attributes.get("href", "").strip()
        elif element == "meta" and attributes.get("property") == "og:url":
            self._open_graph_url = self._open_graph_url or value
        elif element == "meta" and name in _META and value:
            self._fields.setdefault(name, value)


@document_format(
    "html",
    ".html",
    ".htm",
    ".xhtml",
    description="web pages",
    recognize=re.compile(rb"\s*<").match,
    kinds=("html", "xml"),
)
def read_html(source: Input) -> Iterator[Document]:
    """The page as one document, without menus, footers and scripts."""
    data = source.file.read(limits.MAX_LINE_BYTES + 1)
    if len(data) > limits.MAX_LINE_BYTES:
        source.skip(None, f"a page of more than {limits.MAX_LINE_BYTES:,} bytes")
        return
    parsed = parse_html(data.decode("utf-8", "replace"))
    if parsed.title or parsed.text:
        title = parsed.title or stem(source.label)
        links = {"links": parsed.links} if parsed.links else {}
        yield Document("", title, parsed.text, parsed.url, {**parsed.fields, **links})
