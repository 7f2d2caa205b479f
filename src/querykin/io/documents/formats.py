"""The registry of document formats.

A format is one module: a reader, decorated with the suffixes of its files and with how it is recognized on
standard input. A built-in format has a line in the table below; any other is registered when its module is
imported. Of two formats that claim the same input, the one registered later is chosen; plain text is the
first, because it accepts everything.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from querykin.io.compression import COMPRESSIONS
from querykin.io.inputs import Reader
from querykin.registry import Registry


@dataclass(frozen=True, slots=True)
class DocumentFormat:
    """A kind of file from which documents are read."""

    name: str
    suffixes: tuple[str, ...]  # in lower case
    description: str  # for help texts
    read: Reader
    recognize: Callable[[bytes], object]  # whether an unnamed input with these first bytes has the format


document_formats: Registry[DocumentFormat] = Registry(
    "document format",
    {
        "plain": "querykin.io.documents.plain",
        "csv": "querykin.io.documents.table",
        "tsv": "querykin.io.documents.table",
        "html": "querykin.io.documents.html",
        "mediawiki": "querykin.io.documents.mediawiki",
        "json": "querykin.io.documents.jsonl",
        "jsonl": "querykin.io.documents.jsonl",
    },
)


def document_format(
    name: str,
    *suffixes: str,
    description: str,
    recognize: Callable[[bytes], object] = lambda head: False,
) -> Callable[[Reader], Reader]:
    """Decorator that registers a reader: a function from an `Input` to documents.

    `recognize` tells by its first bytes whether an input without a name has this format; the `match` method
    of a compiled pattern will do.
    """

    def register(reader: Reader) -> Reader:
        lowered = tuple(suffix.lower() for suffix in suffixes)
        document_formats.register(name)(DocumentFormat(name, lowered, description, reader, recognize))
        return reader

    return register


def _formats() -> Iterator[DocumentFormat]:
    """All formats in the order of precedence."""
    return (document_formats[name] for name in reversed(list(document_formats)))


def formats_by_suffix() -> dict[str, DocumentFormat]:
    """The format of each known suffix."""
    by_suffix: dict[str, DocumentFormat] = {}
    for known in _formats():
        for suffix in known.suffixes:
            by_suffix.setdefault(suffix, known)
    return by_suffix


def recognize_format(head: bytes) -> DocumentFormat:
    """The format of an input that begins with these bytes."""
    return next(known for known in _formats() if known.recognize(head))


def known_suffixes() -> str:
    """The suffixes of the files that can be read, as a phrase for messages."""
    return f"{' '.join(formats_by_suffix())}, each also with {' '.join(COMPRESSIONS)}"


def document_formats_help() -> str:
    """The known formats with their suffixes, as a phrase for help texts."""
    formats = ", ".join(f"{known.description} ({' '.join(known.suffixes)})" for known in _formats())
    return f"{formats}; each also compressed ({' '.join(COMPRESSIONS)})"
