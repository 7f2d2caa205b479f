"""MediaWiki export dumps, such as Wikipedia's, read with one page in memory at a time."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import quote
from xml.parsers import expat

from querykin.errors import InputError
from querykin.io.documents.formats import document_format
from querykin.io.documents.wikitext import MEDIA_AND_CATEGORIES, plain_text
from querykin.io.inputs import Input
from querykin.types import Document

MAX_TEXT_CHARACTERS = 64 * 2**20  # of one page; MediaWiki's own limit is 2 MB

_EXPECTED = "of XML, only MediaWiki exports (<mediawiki>) can be read; turn other data into .jsonl"
_STEP = 64 * 1024  # bytes parsed at once
_FILE_AND_CATEGORY = ("6", "14")  # ids of the namespaces, whose names differ by language
_ELEMENTS = {
    "mediawiki/siteinfo/base": "base",
    "mediawiki/siteinfo/namespaces/namespace": "namespace",
    "mediawiki/page/id": "id",
    "mediawiki/page/ns": "ns",
    "mediawiki/page/title": "title",
    "mediawiki/page/redirect": "redirect",
    "mediawiki/page/revision/text": "text",  # of several revisions the last one, the newest
}


@document_format(
    "mediawiki",
    ".xml",
    description="MediaWiki dumps",
    recognize=re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?<mediawiki\b").match,
)
def read_mediawiki(source: Input) -> Iterator[Document]:
    """The articles of a dump (namespace 0 without redirects), with their markup converted to plain text."""
    dump = _Dump(source.name)
    more = True
    while more:
        data = source.file.read(_STEP)
        more = bool(data)
        dump.feed(data)
        for page in dump.take():
            found = dump.document(page)
            if found.title:
                yield found
            else:
                source.skip(page.line, "a page without a title")


def page_url(base: str, title: str) -> str:
    """The URL of a page on the site whose main page is `base`.

    >>> page_url("https://en.wikipedia.org/wiki/Main_Page", "Java (island)")
    'https://en.wikipedia.org/wiki/Java_(island)'
    """
    separator = "title=" if "title=" in base else "/"
    prefix, _, _ = base.rpartition(separator)
    return prefix + separator + quote(title.replace(" ", "_"), safe="/:@!$()*,;~'")


@dataclass(slots=True)
class _Page:
    line: int
    parts: dict[str, str] = field(default_factory=dict)


class _Dump:
    """The state of the parser: the site, and the pages that were completed and not yet taken."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._base = ""
        self._hidden = set(MEDIA_AND_CATEGORIES)
        self._pages: list[_Page] = []
        self._page = _Page(0)
        self._path = ""
        self._text: list[str] | None = None
        self._size = 0
        self._key = ""
        self._parser = expat.ParserCreate("utf-8")
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters

    def feed(self, data: bytes) -> None:
        """Parse the next bytes; no bytes mean the end of the dump."""
        try:
            self._parser.Parse(data, not data)
        except expat.ExpatError as error:
            raise InputError(
                f"{self._name}, line {error.lineno}: the XML is cut or damaged "
                f"({expat.ErrorString(error.code)}); fetch the dump again"
            ) from error

    def take(self) -> list[_Page]:
        """The articles completed since the last call."""
        pages, self._pages = self._pages, []
        return pages

    def document(self, page: _Page) -> Document:
        """A page as a document, with a URL derived from the site's."""
        title = page.parts.get("title", "").strip()
        url = page_url(self._base, title) if self._base else ""
        text = plain_text(page.parts.get("text", ""), self._hidden)
        return Document(page.parts.get("id", ""), title, text, url)

    def _doctype(self, *_: object) -> None:
        # Exports have no DOCTYPE, and entity expansion attacks need one.
        raise InputError(f"{self._name} declares a DOCTYPE, so it is not a MediaWiki export: {_EXPECTED}")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self._path and tag != "mediawiki":
            raise InputError(f"{self._name} is XML, but begins with <{tag}>: {_EXPECTED}")
        self._path = f"{self._path}/{tag}" if self._path else tag
        if self._path == "mediawiki/page":
            self._page = _Page(self._parser.CurrentLineNumber)
        self._text = [] if self._path in _ELEMENTS else None
        self._size = 0
        self._key = attributes.get("key", "")

    def _characters(self, data: str) -> None:
        if self._text is None:
            return
        self._text.append(data)
        self._size += len(data)
        if self._size > MAX_TEXT_CHARACTERS:
            raise InputError(
                f"{self._name} has a text of more than {MAX_TEXT_CHARACTERS:,} characters: {_EXPECTED}"
            )

    def _end(self, tag: str) -> None:
        if self._text is not None:
            self._store(_ELEMENTS[self._path], "".join(self._text))
            self._text = None
        elif self._path == "mediawiki/page":
            parts = self._page.parts
            if parts.get("ns", "0") == "0" and "redirect" not in parts:
                self._pages.append(self._page)
        self._path = self._path[: -len(tag) - 1]

    def _store(self, part: str, text: str) -> None:
        if part == "base":
            self._base = text
        elif part != "namespace":
            self._page.parts[part] = text
        elif self._key in _FILE_AND_CATEGORY:
            self._hidden.add(text.lower())
