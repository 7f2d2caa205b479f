"""The forms that can be read, by the ending of the file's name. A new form is a reader and a line here."""

from pathlib import PurePath

from querykin.io.compression import COMPRESSIONS
from querykin.io.documents.html import read_html
from querykin.io.documents.jsonl import read_json, read_jsonl
from querykin.io.documents.mediawiki import read_mediawiki
from querykin.io.documents.plain import read_plain
from querykin.io.documents.table import read_csv, read_tsv
from querykin.io.inputs import Reader

READERS: dict[str, Reader] = {
    ".jsonl": read_jsonl,
    ".ndjson": read_jsonl,
    ".json": read_json,
    ".csv": read_csv,
    ".tsv": read_tsv,
    ".txt": read_plain,
    ".text": read_plain,
    ".md": read_plain,
    ".html": read_html,
    ".htm": read_html,
    ".xhtml": read_html,
    ".xml": read_mediawiki,
}


def suffixes(path: PurePath) -> tuple[str, str]:
    """The ending that tells the form, and the one that tells the compression or "".

    >>> suffixes(PurePath("notes/Java.TXT.gz"))
    ('.txt', '.gz')
    """
    last = path.suffix.lower()
    if last in COMPRESSIONS:
        return PurePath(path.stem).suffix.lower(), last
    return last, ""


def known_suffixes() -> str:
    """The endings of the files that can be read, as a sentence for messages."""
    return f"{' '.join(READERS)}, each also with {' '.join(COMPRESSIONS)}"
