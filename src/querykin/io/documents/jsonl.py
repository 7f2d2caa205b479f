"""JSON records: one object per line, or a small file with one array or one object."""

import re
from collections.abc import Iterator
from functools import partial
from itertools import chain

from querykin.io import limits
from querykin.io.characters import SUSPECT, sanitize_json
from querykin.io.documents.formats import document_format
from querykin.io.documents.records import Record, documents, documents_with_own_keys
from querykin.io.inputs import Input
from querykin.io.record_files import large_array
from querykin.io.streams import PIECE, as_file
from querykin.types import Document
from querykin.untrusted_json import InvalidJson, parse_json


@document_format(
    "jsonl", ".jsonl", ".ndjson", description="JSON lines", recognize=re.compile(rb"\s*\{").match
)
def read_jsonl(source: Input) -> Iterator[Document]:
    """The documents of a file with one JSON object per line; empty lines are ignored."""
    yield from documents_with_own_keys(source, _parsed_lines(source), "JSON lines")


def read_further_lines(source: Input) -> Iterator[Document]:
    """The documents of the lines of a file that are not its first ones."""
    yield from documents(source, _parsed_lines(source))


@document_format("json", ".json", description="JSON arrays", recognize=re.compile(rb"\s*\[\s*\{").match)
def read_json(source: Input) -> Iterator[Document]:
    """The documents of a .json file: one array of objects, one object, or one object per line.

    An array is held in memory, so it may not exceed MAX_LINE_BYTES.
    """
    data = source.file.read(limits.MAX_LINE_BYTES + 1)
    small = len(data) <= limits.MAX_LINE_BYTES
    if not small and data.lstrip().startswith(b"["):
        raise large_array(source.name)
    records = _records(data) if small else None
    if records is None:
        source.file = as_file(chain([data], iter(partial(source.file.read, PIECE), b"")))
        yield from read_jsonl(source)
        return
    yield from documents_with_own_keys(source, _parsed_array(source, records), "JSON")


def _parsed_lines(source: Input) -> Iterator[tuple[int, Record]]:
    for number, line in source.lines():
        if line.isspace():
            continue
        try:
            record = parse_json(line.decode())
        except UnicodeDecodeError:
            source.skip(number, "not UTF-8: the file is, apart from this line")
        except InvalidJson as error:
            source.skip(number, f"not JSON: {error}")
        else:
            if SUSPECT.search(line):
                record = sanitize_json(record, is_stored=True)
            if isinstance(record, dict):
                yield number, record
            else:
                source.skip(number, _not_an_object(record))


def _parsed_array(source: Input, records: list[object]) -> Iterator[tuple[None, Record]]:
    for position, value in enumerate(records, 1):
        record = sanitize_json(value, is_stored=True)
        if isinstance(record, dict):
            yield None, record
        else:
            source.skip(None, f"record {position}: {_not_an_object(record)}")


def _not_an_object(value: object) -> str:
    return f"a JSON object is needed, got {type(value).__name__}"


def _records(data: bytes) -> list[object] | None:
    """The records of one JSON value; None if the data is not one value."""
    try:
        value = parse_json(data.decode())
    except (InvalidJson, UnicodeDecodeError):
        return None
    return value if isinstance(value, list) else [value]
