"""JSON records: columns, invalid lines, encodings."""

import codecs
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from querykin.errors import InputError
from querykin.io import limits
from querykin.io.documents import read_documents
from querykin.io.documents.ids import with_id
from querykin.io.documents.records import InvalidRecord, document
from querykin.types import Document

GOOD = '{"id": "good", "text": "island"}\n'


def test_column_names_are_case_insensitive_and_other_columns_become_fields(read, file):
    record = {
        "DocNo": 12,
        "Name": " Java ",
        "URL": "http://x",
        "Contents": "isle",
        "n": 1,
        "tags": ["a", {"b": 1}],
    }
    (found,) = read(file("a.jsonl", json.dumps(record))).documents
    assert (found.id, found.title, found.text, found.url) == ("12", "Java", "isle", "http://x")
    assert found.fields == {"n": 1, "tags": ["a", {"b": 1}]}


@pytest.mark.parametrize("column", ["text", "contents", "content", "body", "description", "abstract"])
def test_each_text_column_is_known(column):
    assert document({column: "island"}).text == "island"


@pytest.mark.parametrize("column", ["id", "_id", "docno", "docid"])
def test_each_id_column_is_known(column):
    assert document({column: 3, "title": "t"}).id == "3"


def test_the_first_nonempty_text_column_is_the_text_and_the_others_become_fields():
    found = document({"abstract": "short", "text": " ", "body": "long", "title": ""})
    assert (found.title, found.text) == ("", "long")
    assert found.fields["abstract"] == "short"


@pytest.mark.parametrize("missing", [{}, {"id": ""}, {"id": None}])
def test_a_record_without_id_is_named_by_its_url_or_its_content(read, file, missing):
    record = {"text": "island", **missing}
    one, two = (
        read(file(name, "\n" * gap + json.dumps(record))) for name, gap in (("a.jsonl", 0), ("b.json", 3))
    )
    assert one.documents == two.documents == [with_id(Document("", text="island"))]
    (found,) = read(file("a.jsonl", json.dumps({**record, "url": "http://x/java"}))).documents
    assert found.id == "http://x/java"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{nonsense}", "not JSON"),
        (b'{"text": "cut', "not JSON"),
        (b'{"text": "raw \x00 nul"}', "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"text": ' + b"9" * 5000 + b"}", "not JSON"),
        (b'["text"]', "a JSON object is needed, got list"),
        (b'"text"', "a JSON object is needed, got str"),
        (b'{"text": "caf\xe9"}', "not UTF-8: the file is, apart from this line"),
        (b'{"text": " ", "title": null}', "nothing in 'title' or 'text'"),
        (b'{"words": "x"}', "no title or text: found: words; a title is one of title, name"),
        (b"{}", "no title or text: found: none"),
        (b'{"text": ["x"]}', "'text' must be a text or a number, got list"),
        (b'{"id": true, "text": "x"}', "'id' must be a text or a number, got bool"),
    ],
)
def test_an_invalid_line_is_reported_with_its_number(read, file, line, message):
    utf8 = '{"id": "Größe", "text": "ÄÖÜ äöü ß é"}\n'.encode()
    path = file("a.jsonl", utf8 + line + b"\n" + GOOD.encode())
    documents, (problem,) = read(path)
    assert len(documents) == 2
    assert (problem.file, problem.line) == (str(path), 2)
    assert problem.message.startswith(message)


def test_an_overlong_line_is_reported_and_counted_in_line_numbers(read, file, monkeypatch):
    monkeypatch.setattr(limits, "MAX_LINE_BYTES", 100)
    long = json.dumps({"text": "x" * 1000}) + "\n"
    documents, problems = read(file("a.jsonl", GOOD + long + "bad\n" + GOOD + long.strip()))
    assert len(documents) == 2
    assert [problem.line for problem in problems] == [2, 3, 5]
    assert problems[0].message == "a line of more than 100 bytes"


def test_a_line_of_exactly_the_maximal_length_is_read(read, file, monkeypatch):
    monkeypatch.setattr(limits, "MAX_LINE_BYTES", len(GOOD))
    assert len(read(file("a.jsonl", GOOD * 3)).documents) == 3


def test_lone_surrogates_and_nul_from_escapes_are_replaced_everywhere(read, file):
    line = (
        r'{"id": "a\ud800", "text": "b\uDFFF \u0000c \ud83d\ude00", "x\ud800": ["\ud800", {"k": "\u0000"}]}'
    )
    (found,) = read(file("a.jsonl", line)).documents
    assert (found.id, found.text) == ("a\ufffd", "b\ufffd  c \U0001f600")
    assert found.fields == {"x\ufffd": ["\ufffd", {"k": " "}]}


@given(st.text())
def test_any_text_that_json_can_escape_comes_out_as_utf8(text):
    line = json.dumps({"title": "t", "text": text}).encode()
    (found,) = read_documents(["-"], lambda problem: None, stdin=io.BytesIO(line))
    assert found.text == text.replace("\0", " ").strip()
    found.text.encode()


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.tsv", "a.txt", "a.html", "a.xml"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_removed(read, file, name, encoding):
    content = {
        "a.jsonl": '{"title": "Café"}',
        "a.csv": "title,x\nCafé,1",
        "a.tsv": "title\tx\nCafé\t1",
        "a.txt": "Café",
        "a.html": "<title>Café</title>",
        "a.xml": "<mediawiki><page><title>Café</title></page></mediawiki>",
    }[name]
    assert read(file(name, content.encode(encoding))).documents[0].title == "Café"


def test_broken_utf16_is_an_input_error(read, file):
    with pytest.raises(InputError, match="begins like UTF-16 but is not"):
        read(file("a.txt", codecs.BOM_UTF16_LE + "abc".encode("utf-16-le") + b"\x00\xd8"))


def test_records_in_another_encoding_are_decoded(read, file):
    documents, problems = read(file("a.jsonl", '{"text": "é"}\n{"text": "ü"}\n'.encode("latin-1")))
    assert [found.text for found in documents] == ["é", "ü"]
    assert problems == []


def test_html_in_titles_and_texts_is_stripped_and_fields_are_kept(read, file):
    record = {"id": "1", "title": "Fish &amp; chips", "text": "<p>a < b<br>AT&T</p>", "note": "<b>x</b>"}
    (found,) = read(file("a.jsonl", json.dumps(record))).documents
    assert (found.title, found.text) == ("Fish & chips", "a < b\nAT&T")
    assert found.fields == {"note": "<b>x</b>"}


@pytest.mark.parametrize(
    ("content", "ids"),
    [
        ('[\n{"id": 4, "text": "a"},\n{"id": 5, "text": "b"}\n]', ["4", "5"]),
        ('{\n "id": 4, "text": "a"\n}\n', ["4"]),
        ('{"id": 4, "text": "a"}\n{"id": 5, "text": "b"}\n', ["4", "5"]),
    ],
)
def test_a_json_file_is_an_array_an_object_or_lines(read, file, content, ids):
    assert [found.id for found in read(file("a.json", content)).documents] == ids


def test_an_invalid_record_of_an_array_is_reported_with_its_position(read, file):
    documents, (problem,) = read(file("a.json", '[{"text": "a"}, 7]'))
    assert len(documents) == 1
    assert (problem.line, problem.message) == (None, "record 2: a JSON object is needed, got int")


def test_a_large_json_array_is_an_input_error_that_names_the_alternative(read, file, monkeypatch):
    monkeypatch.setattr(limits, "MAX_LINE_BYTES", 20)
    with pytest.raises(InputError, match=r"jq -c '\.\[\]'"):
        read(file("a.json", '[{"text": "a"}, {"text": "b"}]'))


def test_a_large_json_file_of_lines_is_read_as_lines(read, file, monkeypatch):
    monkeypatch.setattr(limits, "MAX_LINE_BYTES", 20)
    assert len(read(file("a.json", '{"text": "a"}\n' * 10)).documents) == 10


def test_a_record_needs_a_title_or_a_text():
    with pytest.raises(InvalidRecord):
        document({"id": "1", "text": "\n"})
