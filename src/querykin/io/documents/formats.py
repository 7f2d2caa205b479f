"""The registry of document formats.

A format is one module: a reader, decorated with the suffixes of its files and with how it is recognized by
its first bytes: on standard input, and among several formats with the same suffix, as the kinds of XML. A
built-in format has a line in the table below; any other is registered when its module is imported. Of two
formats that claim the same input, the one registered later is chosen; plain text is the first, because it
accepts everything.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from querykin.io.compression import COMPRESSIONS
from querykin.io.file_kinds import kind_of
from querykin.io.inputs import Reader
from querykin.registry import Registry


@dataclass(frozen=True, slots=True)
class DocumentFormat:
    """A kind of file from which documents are read."""

    name: str
    suffixes: tuple[str, ...]  # in lower case
    description: str  # for help texts
    read: Reader
    recognize: Callable[[bytes], object]  # whether an input with these first bytes has the format
    kinds: tuple[str, ...] = ()  # the kinds of file (`file_kinds`) it reads, if it is not plain text

    def __reduce__(self) -> tuple[Callable[[str], "DocumentFormat"], tuple[str]]:
        """Pickled by its name: a task finds it in the registry of its own process."""
        return _format_named, (self.name,)


document_formats: Registry[DocumentFormat] = Registry(
    "document format",
    {
        "plain": "querykin.io.documents.plain",
        "csv": "querykin.io.documents.table",
        "tsv": "querykin.io.documents.table",
        "html": "querykin.io.documents.html",
        "sitemap": "querykin.io.documents.sitemaps",
        "feed": "querykin.io.documents.feeds",
        "mediawiki": "querykin.io.documents.mediawiki",
        "arrow": "querykin.io.documents.record_files",
        "parquet": "querykin.io.documents.record_files",
        "xlsx": "querykin.io.documents.record_files",
        "json": "querykin.io.documents.jsonl",
        "jsonl": "querykin.io.documents.jsonl",
    },
)


def _format_named(name: str) -> DocumentFormat:
    return document_formats[name]


def document_format(
    name: str,
    *suffixes: str,
    description: str,
    recognize: Callable[[bytes], object] = lambda head: False,
    kinds: tuple[str, ...] = (),
) -> Callable[[Reader], Reader]:
    """Decorator that registers a reader: a function from an `Input` to documents.

    `recognize` tells by its first bytes whether an input has this format; the `match` method of a compiled
    pattern will do. A reader of binary files names their `kinds`, as in ("pdf",), and receives their bytes
    undecoded; other readers receive UTF-8, and files of any kind known to `file_kinds` are refused.
    """

    def register(reader: Reader) -> Reader:
        lowered = tuple(suffix.lower() for suffix in suffixes)
        document_formats.register(name)(DocumentFormat(name, lowered, description, reader, recognize, kinds))
        return reader

    return register


def _formats() -> Iterator[DocumentFormat]:
    """All formats in the order of precedence."""
    return (document_formats[name] for name in reversed(list(document_formats)))


def formats_by_suffix() -> dict[str, list[DocumentFormat]]:
    """The formats of each known suffix, the preferred one first."""
    by_suffix: dict[str, list[DocumentFormat]] = {}
    for known in _formats():
        for suffix in known.suffixes:
            by_suffix.setdefault(suffix, []).append(known)
    return by_suffix


def recognize_format(head: bytes, candidates: Sequence[DocumentFormat] = ()) -> DocumentFormat:
    """The format of an input that begins with these bytes: one of the candidates, by default of all."""
    kind = kind_of(head)
    binary = kind.name if kind is not None and not kind.is_text else None
    among = candidates or [known for known in _formats() if binary is None or binary in known.kinds]
    return next((known for known in among if known.recognize(head) or binary in known.kinds), among[0])


def readable_kinds(candidates: Sequence[DocumentFormat] = ()) -> set[str]:
    """The kinds of file, apart from plain text, that one of the candidates reads, by default any format."""
    return {kind for known in candidates or _formats() for kind in known.kinds}


def known_suffixes() -> str:
    """The suffixes of the files that can be read, as a phrase for messages."""
    return f"{' '.join(formats_by_suffix())}, each also with {' '.join(COMPRESSIONS)}, and .zip archives"


def document_formats_help() -> str:
    """The known formats with their suffixes, as a phrase for help texts."""
    formats = ", ".join(f"{known.description} ({' '.join(known.suffixes)})" for known in _formats())
    return f"{formats}; each also compressed ({' '.join(COMPRESSIONS)}) or in folders and .zip archives"
