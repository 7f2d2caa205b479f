"""The example of CONTRIBUTING, "add a document reader": a reader is one file, and works everywhere."""

import io
import re
from collections.abc import Iterator

import pytest

from querykin.io.documents import document_formats, document_formats_help, known_suffixes
from querykin.io.documents.ids import with_id
from querykin.types import Document

EXAMPLE = '''
"""vCards: a contact is a document."""

import re
from collections.abc import Iterator

from querykin.io.documents.formats import document_format
from querykin.io.inputs import Input
from querykin.types import Document


@document_format(
    "vcard", ".vcf", description="vCards", recognize=re.compile(rb"BEGIN:VCARD", re.IGNORECASE).match
)
def read_vcard(source: Input) -> Iterator[Document]:
    """The contacts of a file, with their name as the title and their note as the text."""
    contact: dict[str, str] = {}
    for number, line in source.lines():
        name, _, value = line.decode("utf-8", "replace").strip().partition(":")
        contact[name.upper()] = value
        if (name.upper(), value.upper()) != ("END", "VCARD"):
            continue
        if "FN" in contact:
            values = (contact.get(name, "") for name in ("UID", "FN", "NOTE", "URL"))
            yield Document(*values)
        else:
            source.skip(number, "a contact without FN, its full name")
        contact = {}
'''
CARDS = """BEGIN:VCARD
UID:7
FN:Ada Lovelace
NOTE:Wrote the first program.
URL:https://example.org/ada
END:VCARD
BEGIN:VCARD
NOTE:a contact without a name
END:VCARD
BEGIN:VCARD
FN:Charles Babbage
END:VCARD
"""


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    """The example, imported as a module."""
    exec(compile(EXAMPLE, "vcard.py", "exec"), {"__name__": "vcard"})
    yield
    del document_formats._parts["vcard"]


def test_a_registered_format_is_read_by_its_suffix_in_every_compression(read, file, compression):
    suffix, compress = compression
    documents, (problem,) = read(file(f"people.vcf{suffix}", compress(CARDS.encode())))
    assert [(each.id, each.title) for each in documents] == [
        ("7", "Ada Lovelace"),
        (with_id(Document("", "Charles Babbage")).id, "Charles Babbage"),
    ]
    assert documents[0].text == "Wrote the first program."
    assert (problem.line, problem.message) == (9, "a contact without FN, its full name")


def test_a_registered_format_is_found_in_folders_and_on_standard_input(read, file, tmp_path):
    file("people.vcf", CARDS)
    file("notes.txt", "a note")
    assert len(read(tmp_path).documents) == 3
    assert len(read("-", stdin=io.BytesIO(CARDS.encode())).documents) == 2


def test_a_registered_format_is_listed_in_messages_and_help():
    assert re.search(r"(^| )\.vcf ", known_suffixes())
    assert "vCards (.vcf)" in document_formats_help()


def test_a_format_registered_later_takes_precedence(read, file):
    suffix = EXAMPLE.replace('"vcard", ".vcf"', '"vcard", ".vcf", ".txt"')
    exec(compile(suffix, "vcard.py", "exec"), {"__name__": "vcard"})
    assert read(file("people.txt", CARDS)).documents[0].title == "Ada Lovelace"
