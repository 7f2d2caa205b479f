"""The forms that can be read, by the ending of the file's name. A new form is a reader and a line here."""

from pathlib import PurePath

from querykin.corpus.readers.compression import COMPRESSIONS
from querykin.corpus.readers.html import read_html
from querykin.corpus.readers.inputs import Reader
from querykin.corpus.readers.jsonl import read_json, read_jsonl
from querykin.corpus.readers.mediawiki import read_mediawiki
from querykin.corpus.readers.plain import read_plain
from querykin.corpus.readers.table import read_csv, read_tsv

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


def endings(path: PurePath) -> tuple[str, str]:
    """The ending that tells the form, and the one that tells the compression or "".

    >>> endings(PurePath("notes/Java.TXT.gz"))
    ('.txt', '.gz')
    """
    last = path.suffix.lower()
    if last in COMPRESSIONS:
        return PurePath(path.stem).suffix.lower(), last
    return last, ""


def known_endings() -> str:
    """The endings of the files that can be read, as a sentence for messages."""
    return f"{' '.join(READERS)}, each also with {' '.join(COMPRESSIONS)}"
