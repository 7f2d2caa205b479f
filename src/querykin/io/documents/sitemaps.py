"""Sitemaps: which URL the page in a file has. They hold no texts, and nothing is downloaded."""

import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from querykin.counted_nouns import counted
from querykin.errors import InputError
from querykin.io import limits
from querykin.io.compression import COMPRESSIONS
from querykin.io.documents.formats import document_format
from querykin.io.inputs import Input
from querykin.io.xml_parser import read_elements, root_element
from querykin.types import Document

_ROOTS = ("urlset", "sitemapindex")
_PAGE_SUFFIXES = (".html", ".htm", ".xhtml", ".php", ".asp", ".aspx", ".jsp")
_INDEX_NAMES = ("index", "default")


@document_format(
    "sitemap",
    ".xml",
    description="sitemaps beside their pages",
    recognize=lambda head: root_element(head) in _ROOTS,
    kinds=("xml",),
)
def read_sitemap(source: Input) -> Iterator[Document]:
    """An InputError: a sitemap without its pages has no documents."""
    count = sum(1 for _ in locations(source.file, source.name))
    used = limits.MAX_SITEMAP_URLS
    more = f" (more than the {used:,} that are used: add the site folder by folder)" if count > used else ""
    raise InputError(
        f"{source.name} is a sitemap: it names {counted(count, 'address')}{more} but holds no texts, and "
        "nothing is downloaded. Next: save the pages as .html files and name their folder, with the sitemap "
        "in it"
    )


def locations(file: io.BufferedReader, name: str) -> Iterator[str]:
    """The addresses in a sitemap, or those of other sitemaps in an index of sitemaps."""
    for element in read_elements(file, name, ("url", "sitemap")):
        for child in element.children:
            if child.name == "loc" and 0 < len(child.text) <= limits.MAX_URL_CHARACTERS:
                yield child.text


class PageUrls:
    """The URLs of pages by the paths of the files they were saved in.

    >>> urls = PageUrls()
    >>> urls.add(["https://example.org/blog/", "https://example.org/tea%20cup"], ["site"])
    >>> urls.url("site/blog/index.html"), urls.url("site/example.org/tea cup.html"), urls.url("site/x.html")
    ('https://example.org/blog/', 'https://example.org/tea%20cup', '')
    """

    def __init__(self) -> None:
        self._urls: dict[str, str] = {}

    def add(self, urls: Iterable[str], folders: Sequence[str]) -> None:
        """Expect the pages in any of the folders, by their path or by host and path, as wget saves them.

        More than `MAX_SITEMAP_URLS` places are an InputError.
        """
        for url in urls:
            if len(self._urls) > limits.MAX_SITEMAP_URLS:
                raise InputError(f"the sitemaps name more than {limits.MAX_SITEMAP_URLS:,} pages")
            try:
                parts = urlsplit(url.strip())
            except ValueError:
                continue  # not a URL; the sitemap only helps
            path = unquote(parts.path).strip("/")
            for folder in folders:
                for place in (f"{folder}/{path}", f"{folder}/{parts.netloc}/{path}"):
                    self._urls.setdefault(_page(place), url.strip())

    def url(self, label: str) -> str:
        """The URL of the page in a file, or ""."""
        return self._urls.get(_page(label), "")


def _page(path: str) -> str:
    """The path without what differs between a URL and the file saved from it: the suffix, index.html.

    >>> _page("site/blog/index.html.gz"), _page("./site/blog/")
    ('site/blog', 'site/blog')
    """
    page = PurePosixPath(path)
    if page.suffix.lower() in COMPRESSIONS:
        page = page.with_suffix("")
    if page.suffix.lower() in _PAGE_SUFFIXES:
        page = page.with_suffix("")
        page = page.parent if page.name in _INDEX_NAMES else page
    return str(page)
