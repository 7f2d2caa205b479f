"""Documents with gold keywords: JSON lines with text, title or html, and keywords."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from querykin.errors import InputError
from querykin.io.characters import sanitize_json
from querykin.io.documents import open_text
from querykin.io.documents.records import InvalidRecord, document
from querykin.learning.keywords.extraction import page_of
from querykin.learning.landing_pages.pages import Page
from querykin.types import SkippedRecord
from querykin.untrusted_json import InvalidJson, parse_json

_REQUIRED = "a document has text, title or html, and keywords"
_SEPARATORS = re.compile(r"[;,\n]")
Report = Callable[[SkippedRecord], None]


@dataclass(frozen=True)
class GoldDocument:
    """A document and its keywords according to human annotators."""

    page: Page
    keywords: tuple[str, ...]


def read_gold(source: str, report: Report) -> list[GoldDocument]:
    """Read the documents of a file, which may be compressed; invalid lines are passed to `report`.

    Keywords are a list of strings, or one string separated by semicolons, commas or line ends.
    """
    skipped: list[SkippedRecord] = []
    documents = []
    for number, record in _records(source):
        try:
            documents.append(_gold(record))
        except InvalidRecord as error:
            skipped.append(SkippedRecord(source, number, str(error)))
            report(skipped[-1])
    if not documents:
        reason = skipped[0].message if skipped else "it is empty"
        raise InputError(f"no document with keywords in {source}: {reason}; {_REQUIRED}")
    return documents


def _records(source: str) -> Iterator[tuple[int, Any]]:
    """The number and the JSON of each line, or the error in place of the JSON."""
    for number, line in enumerate(open_text(source), start=1):
        if not line.isspace():
            try:
                yield number, sanitize_json(parse_json(line))
            except InvalidJson as error:
                yield number, error


def _gold(record: Any) -> GoldDocument:
    if not isinstance(record, dict):
        reason = f"not JSON: {record}" if isinstance(record, Exception) else "not a JSON object"
        raise InvalidRecord(reason)
    if "keywords" not in record:
        raise InvalidRecord(f"no keywords: found {', '.join(map(repr, record)) or 'nothing'}")
    keywords = _keywords(record["keywords"])
    if not any(keywords):
        raise InvalidRecord("no keyword in 'keywords'")
    return GoldDocument(
        _page({name: value for name, value in record.items() if name != "keywords"}), keywords
    )


def _keywords(value: Any) -> tuple[str, ...]:
    keywords = _SEPARATORS.split(value) if isinstance(value, str) else value
    if not isinstance(keywords, list) or not all(isinstance(keyword, str) for keyword in keywords):
        raise InvalidRecord("'keywords' must be a list of strings, or one string")
    return tuple(keyword.strip() for keyword in keywords if keyword.strip())


def _page(record: Mapping[str, Any]) -> Page:
    html = record.get("html")
    if not html:
        return page_of(document(record))
    if not isinstance(html, str):
        raise InvalidRecord("'html' must be a string")
    return Page.of_html(html, str(record.get("url") or ""))
