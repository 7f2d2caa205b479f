"""Which form an input without a name has, told by its first bytes."""

import csv
import re

from querykin.corpus.readers.columns import has_text
from querykin.corpus.readers.html import read_html
from querykin.corpus.readers.inputs import Reader
from querykin.corpus.readers.jsonl import read_json, read_jsonl
from querykin.corpus.readers.mediawiki import read_mediawiki
from querykin.corpus.readers.plain import read_plain
from querykin.corpus.readers.table import read_csv, read_tsv

_STARTS: tuple[tuple[re.Pattern[bytes], Reader], ...] = (
    (re.compile(rb"\s*\{"), read_jsonl),
    (re.compile(rb"\s*\[\s*\{"), read_json),
    (re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?<mediawiki\b"), read_mediawiki),
    (re.compile(rb"\s*<"), read_html),
)


def sniff(head: bytes) -> Reader:
    """The reader for an input that begins with these bytes; plain text if nothing else fits."""
    for start, reader in _STARTS:
        if start.match(head):
            return reader
    line = head.split(b"\n", 1)[0].decode("utf-8", "replace").rstrip("\r")
    if "\t" in line and has_text(line.split("\t")):
        return read_tsv
    if "," in line and has_text(next(csv.reader([line]))):
        return read_csv
    return read_plain
