"""The table reader: one parser of rows, strict for tables of pairs and lenient for documents."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from querykin.errors import InputError
from querykin.io.tables import parse_rows, read_table

cells = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)
plain_cells = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Zl", "Zp")), max_size=6)


def lines(text: str) -> list[tuple[int, str]]:
    return list(enumerate(io.StringIO(text, newline="\n"), start=1))


@given(st.lists(st.lists(cells, min_size=2, max_size=4), max_size=5))
def test_csv_rows_round_trip(rows):
    file = io.StringIO(newline="")
    csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    assert [row.cells for row in parse_rows(lines(file.getvalue()), "csv")] == rows


@given(st.lists(st.lists(plain_cells, min_size=2, max_size=4), max_size=5))
def test_tsv_rows_round_trip_without_quoting(rows):
    text = "".join("\t".join(row) + "\n" for row in rows)
    assert [row.cells for row in parse_rows(lines(text), "tsv")] == rows


def test_rows_have_the_line_on_which_they_start_and_a_malformed_one_does_not_end_the_table():
    rows = list(parse_rows(lines('a\n"b\nc"\n"d"e\nf\n"g\n'), "csv"))
    assert [(row.line, row.cells) for row in rows if not row.error] == [(1, ["a"]), (2, ["b\nc"]), (5, ["f"])]
    assert [row.line for row in rows if row.error] == [4, 6]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('query,candidate\na,b\n\n"c"d,e\n', r"row 4: '[^']+' expected after '\"'"),
        ('query,candidate\na,"b\nc\n', "row 2: unexpected end of data"),
        ("query,candidate\na,b,c\n", "row 2: 3 values under 2 columns"),
        ("query,query\n", "two columns 'query'; column names must be unique"),
        ('"query"x,candidate\n', "line 1: .*a header is needed"),
        ("query,\0\n", "line 1: a NUL character"),
    ],
)
def test_a_strict_table_names_the_row_that_cannot_be_used(tmp_path, content, message):
    (tmp_path / "pairs.csv").write_text(content)
    with pytest.raises(InputError, match=message):
        list(read_table(str(tmp_path / "pairs.csv"), ()).rows)


def test_short_rows_are_padded_and_empty_lines_ignored(tmp_path):
    (tmp_path / "pairs.tsv").write_text('query\tcandidate\n"a\n\nb\tc\n')
    rows = list(read_table(str(tmp_path / "pairs.tsv"), ("query",)).rows)
    assert rows == [{"query": '"a', "candidate": ""}, {"query": "b", "candidate": "c"}]
