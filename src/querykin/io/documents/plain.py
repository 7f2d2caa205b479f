"""Plain text and Markdown: a file is one document, a long file several."""

import io
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from querykin.io.characters import invalid_characters
from querykin.io.compression import COMPRESSIONS
from querykin.io.documents.formats import document_format
from querykin.io.inputs import Input
from querykin.types import Document

MAX_PART_CHARACTERS = 100_000
MAX_TITLE_LENGTH = 120  # characters

_MARKDOWN_HEADING = re.compile(r"#{1,6}\s+")


@document_format(
    "plain",
    ".txt",
    ".text",
    ".md",
    description="plain text and Markdown",
    recognize=lambda head: True,
)
def read_plain(source: Input) -> Iterator[Document]:
    """The file as one document, or as several of at most 100,000 characters each.

    Parts end at line ends, except within a line that is longer than a part. The title is the first non-empty
    line, or the stem of the file's name if that line is long. A part that is not UTF-8 or contains NUL is
    skipped.
    """
    text = io.TextIOWrapper(source.file, encoding="utf-8", errors="surrogateescape")
    title = ""
    for line, part in _parts(text):
        if wrong := invalid_characters(part):
            source.skip(line, f"the text from here on: {wrong}")
        elif part.strip():
            title = title or _title(part, source.label)
            yield Document("", title, part.strip())


def stem(label: str) -> str:
    """The name of a file without its folders and suffixes.

    >>> stem("notes/java.txt.gz")
    'java'
    """
    path = PurePosixPath(label)
    return PurePosixPath(path.stem).stem if path.suffix.lower() in COMPRESSIONS else path.stem


def _parts(text: io.TextIOWrapper) -> Iterator[tuple[int, str]]:
    """The text in parts, each with the number of its first line."""
    lines: list[str] = []
    size, first, number = 0, 1, 1
    while line := text.readline(MAX_PART_CHARACTERS):
        if size + len(line) > MAX_PART_CHARACTERS:
            yield first, "".join(lines)
            lines, size, first = [], 0, number
        lines.append(line)
        size += len(line)
        number += line.endswith("\n")
    yield first, "".join(lines)


def _title(part: str, label: str) -> str:
    line = part.lstrip().split("\n", 1)[0].rstrip()
    line = _MARKDOWN_HEADING.sub("", line, count=1) if line.startswith("#") else line
    return line if line and len(line) <= MAX_TITLE_LENGTH else stem(label)
