"""Files of the wrong kind are named for what they are, wherever they are read."""

import gzip
import io
import zipfile

import pytest

from querykin.errors import InputError
from querykin.io.file_kinds import kind_of
from querykin.io.query_files import read_queries
from querykin.io.tables import read_table

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 504


def office(folder: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("[Content_Types].xml", "<Types/>")
        packed.writestr(f"{folder}/document.xml", "<document/>")
    return file.getvalue()


KINDS = {
    "a PDF document": b"%PDF-1.4\n",
    "a PNG image": b"\x89PNG\r\n\x1a\n",
    "a JPEG image": b"\xff\xd8\xff\xe0\0\x10JFIF",
    "a program": b"\x7fELF\x02\x01\x01",
    "an SQLite database": b"SQLite format 3\0\x10\0",
    "a Word document": office("word"),
    "a PowerPoint presentation": office("ppt"),
    "an old Excel workbook (.xls)": OLE + "Workbook".encode("utf-16-le"),
    "an old Word document (.doc)": OLE + "WordDocument".encode("utf-16-le"),
    "an Office file protected by a password": OLE + "EncryptedPackage".encode("utf-16-le"),
    "an old Office file (.doc, .xls, .ppt)": OLE,
    "a tar archive": b"a.txt".ljust(257, b"\0") + b"ustar\x0000",
    "a 7z archive": b"7z\xbc\xaf\x27\x1c",
    "an RTF document": b"{\\rtf1\\ansi",
}


@pytest.mark.parametrize("description", KINDS)
@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".jsonl", ".txt", ".bin"])
def test_a_foreign_file_is_named_for_what_it_is_with_its_next_step(read, file, description, suffix):
    content = KINDS[description]
    path = file(f"data{suffix}", gzip.compress(content) if suffix == ".csv.gz" else content)
    with pytest.raises(InputError) as caught:
        read(path)
    assert f"{path} is {description}" in str(caught.value)
    assert "known are .jsonl" in str(caught.value)
    assert "Next: " in str(caught.value)


@pytest.mark.parametrize("description", KINDS)
def test_queries_and_judged_tables_refuse_foreign_files_too(file, description):
    path = str(file("data.csv", KINDS[description]))
    for reading in (lambda: list(read_queries(path, pytest.fail)), lambda: read_table(path, ())):
        with pytest.raises(InputError) as caught:
            reading()
        assert f"data.csv is {description}" in str(caught.value)


@pytest.mark.parametrize("page", [b"<!DOCTYPE html><p>Sign in", b"\xef\xbb\xbf<html>", b"<!-- x -->\n<HTML>"])
def test_a_web_page_saved_as_csv_is_recognized(read, file, page):
    with pytest.raises(InputError, match=r"a\.csv is a web page, whatever its name says.*rename.*\.html"):
        read(file("a.csv", page))


def test_a_workbook_saved_as_csv_is_recognized(read, file):
    with pytest.raises(InputError, match=r"a\.csv is an Excel workbook, whatever its name says.*\.xlsx"):
        read(file("a.csv", office("xl")))


@pytest.mark.parametrize("name", ["a.xlsx", "a.parquet", "a.arrow"])
def test_text_saved_as_a_workbook_is_an_input_error(read, file, name):
    with pytest.raises(InputError, match="is not what its ending says: it holds text"):
        read(file(name, "id,title\n1,x\n"))


@pytest.mark.parametrize(
    "text",
    ["PDF reader", "BMW x5", "MZ-80", "id;title", "PK 50", "{}", "ID3 tags", "<p>", "GIF", "\ufeffa,b"],
)
def test_texts_are_no_foreign_files(text):
    assert kind_of(text.encode()) is None


def test_a_pdf_on_standard_input_is_named(read):
    with pytest.raises(InputError, match="standard input is a PDF document"):
        read("-", stdin=io.BytesIO(KINDS["a PDF document"]))


def test_a_zip_archive_on_standard_input_must_be_named_as_a_file(read):
    with pytest.raises(InputError, match=r"standard input is a zip archive.*Next: .*\.zip"):
        read("-", stdin=io.BytesIO(b"PK\x05\x06" + b"\0" * 18))
