"""Which form an input without a name has, told by its first bytes."""

import csv
import re

from querykin.io.documents.columns import has_text
from querykin.io.documents.html import read_html
from querykin.io.documents.jsonl import read_json, read_jsonl
from querykin.io.documents.mediawiki import read_mediawiki
from querykin.io.documents.plain import read_plain
from querykin.io.documents.table import read_csv, read_tsv
from querykin.io.inputs import Reader

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
