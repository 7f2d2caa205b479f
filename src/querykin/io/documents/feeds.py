"""RSS and Atom feeds, among them the product feeds of Google Merchant Center: a document for each item."""

from collections.abc import Iterator

from querykin.io.documents.formats import document_format
from querykin.io.documents.records import Record, documents_with_own_keys
from querykin.io.inputs import Input
from querykin.io.xml_parser import Child, Element, read_elements, root_element, wrong_root
from querykin.types import Document

_ROOTS = ("rss", "RDF", "feed")  # RSS 0.9x and 2.0, RSS 1.0, Atom
_ITEMS = ("item", "entry")

# Elements of other namespaces describe pictures, podcasts and the like.
_NAMESPACES = (
    "",
    "http://purl.org/rss/1.0/",
    "http://www.w3.org/2005/Atom",
    "http://base.google.com/ns/1.0",  # attributes of products: g:id, g:title, g:price...
    "http://purl.org/dc/elements/1.1/",
    "http://purl.org/rss/1.0/modules/content/",
)
# The names of feeds as they are called in other files with columns.
_COLUMNS = {"guid": "id", "encoded": "content", "summary": "description"}


@document_format(
    "feed",
    ".xml",
    ".rss",
    ".atom",
    description="RSS and Atom feeds",
    recognize=lambda head: root_element(head) in _ROOTS,
    kinds=("xml", "html"),
)
def read_feed(source: Input) -> Iterator[Document]:
    """The items of a feed, with the full content as text, or else the summary."""
    root = root_element(source.file.peek())
    if root not in _ROOTS:
        raise wrong_root(source.name, root)
    items = read_elements(source.file, source.name, _ITEMS)
    records = ((item.line, _record(item)) for item in items)
    yield from documents_with_own_keys(source, records, "Atom feed" if root == "feed" else "RSS feed")


def _record(item: Element) -> Record:
    """The item as a record; values of the same name are joined, of a link the first is read."""
    values: dict[str, list[str]] = {}
    for child in item.children:
        value = _value(child)
        if value and child.namespace in _NAMESPACES:
            values.setdefault(_COLUMNS.get(child.name, child.name), []).append(value)
    several = ("category", "product_type", "additional_image_link")
    return {
        name: ", ".join(dict.fromkeys(found)) if name in several else found[0]
        for name, found in values.items()
    }


def _value(child: Child) -> str:
    if child.name == "link" and not child.text:  # Atom
        is_page = child.attributes.get("rel", "alternate") == "alternate"
        return child.attributes.get("href", "") if is_page else ""
    if child.name == "category" and not child.text:
        return child.attributes.get("label") or child.attributes.get("term", "")
    return " ".join(child.text.split()) if child.name in ("title", "author") else child.text
