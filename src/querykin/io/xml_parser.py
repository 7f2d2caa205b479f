"""XML of unknown origin as a stream: no entities of its own, nothing fetched, bounded depth and text."""

import io
import re
from abc import ABC, abstractmethod
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar
from xml.parsers import expat

from querykin.errors import InputError
from querykin.io import limits

EXPECTED = (
    "of XML, MediaWiki exports (<mediawiki>), RSS (<rss>, <rdf:RDF>) and Atom feeds (<feed>), and sitemaps "
    "beside their pages (<urlset>) can be read; turn other data into .jsonl"
)
_STEP = 64 * 1024  # bytes parsed at once
Record = TypeVar("Record")
# The first element, after the declaration, comments, instructions and a DOCTYPE. Groups are atomic: what was
# matched is not tried in other ways, whose number is exponential in that of instructions.
_ROOT = re.compile(
    rb"\s*+(?>(?><\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*+(?:\[.*?\]\s*+)?>)\s*+)*+<([\w:.-]+)", re.DOTALL
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
    return _ElementParser(name, records).read(file)


class BoundedParser(ABC, Generic[Record]):
    """An expat parser of records, with bounds for depth and text and without entity declarations.

    A subclass handles elements: it appends text to `text`, if that is not None, and completed records to
    `completed`.
    """

    def __init__(self, name: str, namespace_separator: str | None = None) -> None:
        self.name = name
        self.completed: list[Record] = []
        self.text: list[str] | None = None
        self.depth = 0
        self._size = 0
        # The content is UTF-8 already, whatever the declaration says.
        self.expat = expat.ParserCreate("utf-8", namespace_separator)
        self.expat.buffer_text = True
        self.expat.EntityDeclHandler = self._entity
        self.expat.AttlistDeclHandler = self._default_attributes
        self.expat.StartElementHandler = self._start
        self.expat.EndElementHandler = self._end
        self.expat.CharacterDataHandler = self._characters

    def read(self, file: io.BufferedReader) -> Iterator[Record]:
        """The records of a file, each as soon as it is complete."""
        more, size = True, 0
        while more:
            data = file.read(_STEP)
            more, size = bool(data), size + len(data)
            try:
                self.expat.Parse(data, not data)
            except expat.ExpatError as error:
                raise InputError(
                    f"{self.name}, line {error.lineno}: the XML is cut or damaged "
                    f"({expat.ErrorString(error.code)}); fetch or export it again"
                ) from error
            yield from self.completed
            self.completed.clear()
            if size - self.expat.CurrentByteIndex > limits.MAX_XML_TAG_BYTES:
                raise InputError(
                    f"{self.name}, line {self.expat.CurrentLineNumber}: a tag or comment of more than "
                    f"{limits.MAX_XML_TAG_BYTES:,} bytes: {EXPECTED}"
                )

    def begin_record(self) -> None:
        """Count the text of a record from here on."""
        self._size = 0

    def begin_text(self) -> None:
        """Collect the text from here on."""
        self.text = []

    @abstractmethod
    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """An element begins, at `depth` (1 is the root)."""

    @abstractmethod
    def end(self, tag: str) -> None:
        """An element ends, at `depth`."""

    def _entity(self, *_: object) -> None:
        raise InputError(
            f"{self.name} declares entities, which are not expanded: write the characters themselves"
        )

    def _default_attributes(self, *_: object) -> None:
        raise InputError(
            f"{self.name} declares default attributes, which are not added: write them where they are meant"
        )

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > limits.MAX_XML_DEPTH:
            raise InputError(
                f"{self.name} has elements nested more than {limits.MAX_XML_DEPTH} deep: {EXPECTED}"
            )
        self.start(tag, attributes)

    def _end(self, tag: str) -> None:
        self.end(tag)
        self.depth -= 1

    def _characters(self, data: str) -> None:
        if self.text is None:
            return
        self.text.append(data)
        self.add_size(len(data))

    def add_size(self, characters: int) -> None:
        """Count characters of the record."""
        self._size += characters
        if self._size > limits.MAX_XML_RECORD_CHARACTERS:
            raise InputError(
                f"{self.name} has a text of more than {limits.MAX_XML_RECORD_CHARACTERS:,} characters: "
                f"{EXPECTED}"
            )


class _ElementParser(BoundedParser[Element]):
    """Elements of given names, with the text of their direct children."""

    def __init__(self, name: str, records: Container[str]) -> None:
        super().__init__(name, " ")
        self._records = records
        self._record: Element | None = None
        self._record_depth = 0
        self._child: tuple[str, str, Mapping[str, str]] = "", "", {}

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Begin a record or a child of one."""
        namespace, _, name = tag.rpartition(" ")
        if self._record is None:
            if name in self._records:
                self._record, self._record_depth = Element(name, self.expat.CurrentLineNumber), self.depth
                self.begin_record()
        elif self.depth == self._record_depth + 1:
            if len(self._record.children) == limits.MAX_XML_RECORD_PARTS:
                raise InputError(
                    f"{self.name}, line {self._record.line}: a record of more than "
                    f"{limits.MAX_XML_RECORD_PARTS:,} parts: {EXPECTED}"
                )
            self._child = namespace, name, attributes
            self.add_size(sum(len(each) for pair in attributes.items() for each in pair))
            self.begin_text()
        elif self.text is not None:
            self.text.append(" ")  # words of two elements are two words

    def end(self, tag: str) -> None:
        """Complete a record or a child of one."""
        if self._record is None:
            return
        if self.depth == self._record_depth:
            self.completed.append(self._record)
            self._record = None
        elif self.text is not None:
            if self.depth == self._record_depth + 1:
                self._record.children.append(Child(*self._child, "".join(self.text).strip()))
                self.text = None
            else:
                self.text.append(" ")
