"""Workbooks, archives and folders on the command line: messages, and what is refused."""

import pytest

from example_files.containers import archive, workbook


def test_the_sheet_that_was_read_and_those_left_are_told(own):
    sheets = {"Notes": [["a note"]], "A": [["title"], ["Moon"]], "B": [["title"], ["Sun"]]}
    own.write("a.xlsx", workbook(sheets))
    done = own("corpus", "add", "a.xlsx")
    assert done.code == 0
    assert "a.xlsx (Excel, sheet 'A'; not read: sheet 'B'): title = title" in done.err
    assert "added 1 document" in done.err


def test_a_folder_goes_on_past_what_it_cannot_read_and_lists_it_at_the_end(own):
    own.write("mixed/a.txt", "The Moon circles the Earth.")
    for number in range(7):
        own.write(f"mixed/{number}.pdf", b"%PDF-1.4")
    own.write("mixed/cut.zip", b"PK\x03\x04")
    lines = own("corpus", "add", "mixed").err.splitlines()
    start = lines.index("files that were not read, or not to their end: 8")
    assert lines[start + 1] == "  mixed/0.pdf is a PDF document"
    assert lines[start + 6 :] == ["  and 3 more", lines[-1]]
    assert "added 1 document" in lines[-1]


def test_a_file_that_was_named_and_cannot_be_read_changes_nothing(own):
    before = own.facts()
    own.write("pages/a.txt", "The Moon circles the Earth.")
    own.write("report.csv", b"%PDF-1.4")
    assert "report.csv is a PDF document" in own.refuses("corpus", "add", "pages", "report.csv")
    own.write("images/a.png", b"\x89PNG\r\n\x1a\n")
    error = own.refuses("corpus", "add", "pages", "images")
    assert "no files to read in the folder images (images/a.png is a PNG image)" in error
    assert own.facts() == before


@pytest.mark.parametrize("name", ["q.xlsx", "q.zip"])
def test_queries_come_from_workbooks_and_archives(own, name):
    table = [["Keyword", "Volume"], ["moon rocket", 30]]
    contents = {
        "q.xlsx": workbook({"A": table}),
        "q.zip": archive({"q.csv": b"Keyword,Volume\nmoon rocket,30\n"}),
    }
    own.write(name, contents[name])
    assert "query = Keyword, count = Volume" in own("repository", "add", name).err
