"""XML of unknown origin as a stream: no entities of its own, nothing fetched, bounded depth and text."""

import io
import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple
from xml.parsers import expat

from querykin.errors import InputError

EXPECTED = (
    "of XML, MediaWiki exports (<mediawiki>), RSS (<rss>, <rdf:RDF>) and Atom feeds (<feed>), and sitemaps "
    "beside their pages (<urlset>) can be read; turn other data into .jsonl"
)
MAX_DEPTH = 200
MAX_TEXT_CHARACTERS = 64 * 2**20  # of one element; MediaWiki's own limit for a page is 2 MB

_STEP = 64 * 1024  # bytes parsed at once
# The first element, after the declaration, comments, instructions and a DOCTYPE.
_ROOT = re.compile(
    rb"\s*(?:<\?.*?\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^>\[]*(?:\[.*?\])?\s*>\s*)*<([\w:.-]+)", re.DOTALL
)


def root_element(head: bytes) -> str:
    """The name of the first element without its prefix; empty if these first bytes of a file show none.

    >>> root_element(b'<?xml version="1.0"?><!-- feed --><rdf:RDF xmlns="...">')
    'RDF'
    """
    found = _ROOT.match(head)
    return found[1].decode("utf-8", "replace").rpartition(":")[2] if found else ""


def wrong_root(name: str, root: str) -> InputError:
    """The error for an XML file of an unknown vocabulary."""
    begins = f"begins with <{root}>" if root else "has no element"
    return InputError(f"{name} is XML, but {begins}: {EXPECTED}")


class Child(NamedTuple):
    """A part of a record: its namespace and name, its attributes, and all text within."""

    namespace: str
    name: str
    attributes: Mapping[str, str]
    text: str


@dataclass(slots=True)
class Element:
    """A record: an element with its direct children."""

    name: str
    line: int
    children: list[Child] = field(default_factory=list)


def read_elements(file: io.BufferedReader, name: str, records: Container[str]) -> Iterator[Element]:
    """The elements with these names (without prefix), in order and one at a time.

    An element within such an element is a part of it. Entity declarations are refused: with them a small
    file can expand without bound, or read other files. `file` holds UTF-8.
    """
    parser = _RecordParser(name, records)
    more = True
    while more:
        data = file.read(_STEP)
        more = bool(data)
        parser.feed(data)
        yield from parser.take()


class _RecordParser:
    """The state of the parser: the open elements, and the records completed and not yet taken."""

    def __init__(self, name: str, records: Container[str]) -> None:
        self._name, self._records = name, records
        self._completed: list[Element] = []
        self._record: Element | None = None
        self._record_depth = self._depth = self._size = 0
        self._child: tuple[str, str, Mapping[str, str]] = "", "", {}
        self._text: list[str] = []
        # The content is UTF-8 already, whatever the declaration says.
        self._parser = expat.ParserCreate("utf-8", " ")
        self._parser.buffer_text = True
        self._parser.EntityDeclHandler = self._entity
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters

    def feed(self, data: bytes) -> None:
        """Parse the next bytes; no bytes mean the end of the file."""
        try:
            self._parser.Parse(data, not data)
        except expat.ExpatError as error:
            raise damaged(self._name, error) from error

    def take(self) -> list[Element]:
        """The records completed since the last call."""
        completed, self._completed = self._completed, []
        return completed

    def _entity(self, *_: object) -> None:
        raise InputError(
            f"{self._name} declares entities, which are not expanded: write the characters themselves"
        )

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise InputError(f"{self._name} has elements nested more than {MAX_DEPTH} deep: {EXPECTED}")
        namespace, _, name = tag.rpartition(" ")
        if self._record is None:
            if name in self._records:
                self._record = Element(name, self._parser.CurrentLineNumber)
                self._record_depth = self._depth
        elif self._depth == self._record_depth + 1:
            self._child, self._text, self._size = (namespace, name, attributes), [], 0
        else:
            self._text.append(" ")  # words of two elements are two words

    def _characters(self, data: str) -> None:
        if self._record is None or self._depth == self._record_depth:
            return
        self._text.append(data)
        self._size += len(data)
        if self._size > MAX_TEXT_CHARACTERS:
            raise InputError(
                f"{self._name} has a text of more than {MAX_TEXT_CHARACTERS:,} characters: {EXPECTED}"
            )

    def _end(self, tag: str) -> None:
        if self._record is not None:
            if self._depth == self._record_depth:
                self._completed.append(self._record)
                self._record = None
            elif self._depth == self._record_depth + 1:
                self._record.children.append(Child(*self._child, "".join(self._text).strip()))
            else:
                self._text.append(" ")
        self._depth -= 1


def damaged(name: str, error: expat.ExpatError) -> InputError:
    """The error for a file that is not well-formed."""
    return InputError(
        f"{name}, line {error.lineno}: the XML is cut or damaged ({expat.ErrorString(error.code)}); "
        "fetch or export it again"
    )
