"""CSV and TSV documents: quoting, headers, invalid rows."""

import pytest

from querykin.errors import InputError
from querykin.io import limits


def test_csv_cells_may_contain_commas_quotes_and_line_ends(read, file):
    (found,) = read(
        file("a.csv", 'ID,Title,Text,year\r\n7,"Java, the ""isle""","one\r\ntwo",1984\r\n')
    ).documents
    assert (found.id, found.title, found.text) == ("7", 'Java, the "isle"', "one\r\ntwo")
    assert found.fields == {"year": "1984"}


def test_a_row_is_reported_with_the_line_on_which_it_starts(read, file):
    documents, (problem,) = read(file("a.csv", 'text,x\n"one\ntwo",1\n\nthree,2\n"four\nfive",3,4\n'))
    assert [found.text for found in documents] == ["one\ntwo", "three"]
    assert (problem.line, problem.message) == (6, "3 columns where the header has 2")


def test_tsv_has_no_quoting_unless_it_is_needed(read, file):
    (found,) = read(file("a.tsv", 'id\ttext\r\n1\t"an "odd" one\r\n')).documents
    assert (found.id, found.text) == ("1", '"an "odd" one')


def test_a_tsv_row_with_too_many_columns_is_reported(read, file):
    documents, (problem,) = read(file("a.tsv", "text\tx\na\tb\tc\nd\te\n"))
    assert [found.text for found in documents] == ["d"]
    assert (problem.line, problem.message) == (2, "3 columns where the header has 2")


def test_a_short_row_is_padded_with_empty_cells(read, file):
    (found,) = read(file("a.csv", "title,text,x\nJava\n")).documents
    assert (found.title, found.text, found.fields) == ("Java", "", {"x": ""})


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (b"caf\xe9", "not UTF-8"),
        (b"nul\x00", "a NUL character"),
        (b" ", "nothing in 'title'"),
    ],
)
def test_an_invalid_row_is_reported_with_its_line(read, file, name, cell, message):
    separator = b"," if name == "a.csv" else b"\t"
    utf8 = "Größe äöü ßÄÖ é à è".encode()
    rows = [b"title" + separator + b"x", cell + separator + b"1", utf8 + separator + b"2"]
    documents, (problem,) = read(file(name, b"\n".join(rows)))
    assert [found.title for found in documents] == ["Größe äöü ßÄÖ é à è"]
    assert problem.line == 2
    assert problem.message.startswith(message)


@pytest.mark.parametrize("title", ['"a"b', '"open', '12" pipe', 'a "b"', '"a""', '"'])
def test_a_quote_that_encloses_no_cell_is_an_ordinary_character(read, file, title):
    documents, problems = read(file("a.csv", f"title,x\nJava,2\n{title},1\nnot lost,3\n"))
    assert [found.title for found in documents] == ["Java", title, "not lost"]
    assert problems == []


def test_a_cell_may_be_longer_than_the_csv_module_allows_by_default(read, file):
    assert len(read(file("a.csv", f'title,text\nJava,"{"x" * 300_000}"\n')).documents[0].text) == 300_000


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_an_overlong_line_is_reported_and_the_next_row_keeps_its_line_number(read, file, name, monkeypatch):
    monkeypatch.setattr(limits, "MAX_LINE_BYTES", 20)
    documents, (problem,) = read(file(name, f"title\n{'x' * 21}\nJava\n"))
    assert [found.title for found in documents] == ["Java"]
    assert (problem.line, problem.message) == (2, "a line of more than 20 bytes")


@pytest.mark.parametrize(("name", "header"), [("a.csv", "colour,price"), ("a.tsv", "colour\tprice")])
def test_a_table_without_a_known_column_names_those_found_and_allowed(read, file, name, header):
    with pytest.raises(InputError) as caught:
        read(file(name, f"{header}\na\n"))
    assert "found: colour, price" in str(caught.value)
    assert "--columns title=NAME" in str(caught.value)


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_an_empty_table_is_an_input_error(read, file, name):
    with pytest.raises(InputError, match="is empty: no column and no document"):
        read(file(name, ""))


def test_a_header_that_is_damaged_is_an_input_error(read, file):
    with pytest.raises(InputError, match="line 1: not UTF-8"):
        read(file("a.csv", b"title,caf\xe9\n" + "Größe,äöü ßÄÖ é à è\n".encode()))


def test_of_columns_with_one_name_the_first_counts_and_unnamed_ones_are_ignored(read, file):
    (found,) = read(file("a.csv", "title,title,,x\nfirst,second,unnamed,1\n")).documents
    assert found.title == "first"
    assert found.fields == {"x": "1"}


def test_variants_are_documents_of_their_own_if_the_id_column_has_another_role(read, file):
    table = file("products.csv", "Handle,Title,Body (HTML),Vendor\njava,Java,An island,x\nbali,Bali,Too,x\n")
    outcome = read(table, columns="url=Handle")
    assert [(document.url, document.title) for document in outcome.documents] == [
        ("java", "Java"),
        ("bali", "Bali"),
    ]
