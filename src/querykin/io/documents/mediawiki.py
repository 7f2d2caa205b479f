"""MediaWiki export dumps, such as Wikipedia's, read with one page in memory at a time."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import quote

from querykin.errors import InputError
from querykin.io.documents.formats import document_format
from querykin.io.documents.wikitext import MEDIA_AND_CATEGORIES, plain_text
from querykin.io.inputs import Input
from querykin.io.xml_parser import EXPECTED, BoundedParser, root_element, wrong_root
from querykin.types import Document

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
    recognize=lambda head: root_element(head) == "mediawiki",
    kinds=("xml", "html"),
)
def read_mediawiki(source: Input) -> Iterator[Document]:
    """The articles of a dump (namespace 0 without redirects), with their markup converted to plain text."""
    dump = _DumpParser(source.name)
    for page in dump.read(source.file):
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


class _DumpParser(BoundedParser[_Page]):
    """Articles of a dump, and what it says about its site."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._base = ""
        self._hidden = set(MEDIA_AND_CATEGORIES)
        self._page = _Page(0)
        self._path = ""
        self._key = ""
        self.expat.StartDoctypeDeclHandler = self._doctype

    def document(self, page: _Page) -> Document:
        """A page as a document, with a URL derived from the site's."""
        title = page.parts.get("title", "").strip()
        url = page_url(self._base, title) if self._base else ""
        text = plain_text(page.parts.get("text", ""), self._hidden)
        return Document(page.parts.get("id", ""), title, text, url)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Begin a page or a part of one."""
        if not self._path and tag != "mediawiki":
            raise wrong_root(self.name, tag)
        self._path = f"{self._path}/{tag}" if self._path else tag
        if self._path == "mediawiki/page":
            self._page = _Page(self.expat.CurrentLineNumber)
        if self._path in ("mediawiki/page", "mediawiki/page/revision", "mediawiki/siteinfo"):
            self.begin_record()
        self.text = None
        if self._path in _ELEMENTS:
            self.begin_text()
        self._key = attributes.get("key", "")

    def end(self, tag: str) -> None:
        """Complete a page or a part of one."""
        if self.text is not None:
            self._store(_ELEMENTS[self._path], "".join(self.text))
            self.text = None
        elif self._path == "mediawiki/page":
            parts = self._page.parts
            if parts.get("ns", "0") == "0" and "redirect" not in parts:
                self.completed.append(self._page)
        self._path = self._path[: -len(tag) - 1]

    def _doctype(self, *_: object) -> None:
        # Exports have no DOCTYPE, and entity expansion attacks need one.
        raise InputError(f"{self.name} declares a DOCTYPE, so it is not a MediaWiki export: {EXPECTED}")

    def _store(self, part: str, text: str) -> None:
        if part == "base":
            self._base = text
        elif part != "namespace":
            self._page.parts[part] = text
        elif self._key in _FILE_AND_CATEGORY:
            self._hidden.add(text.lower())
