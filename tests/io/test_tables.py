"""The table reader: dialects are found in the file, and every row is read or named."""

import csv
import io
import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.errors import InputError
from querykin.io import limits
from querykin.io.csv_rows import Dialect, parse_rows
from querykin.io.tables import TableWriter, read_table

CSV, TSV = Dialect(), Dialect("\t", is_quoted=False)
cells = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)
plain_cells = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Zl", "Zp")), max_size=6)

# What people write: words of the encoding with separators, quotes and line ends among them.
ALPHABETS = {
    "utf-8": "añß検😀",
    "utf-8-sig": "añß検😀",
    "utf-16": "añß検😀",
    "utf-16-le": "añß",
    "utf-16-be": "añß",
    "utf-32": "añß検😀",
    "utf-32-le": "añß",
    "ascii": "abc",
}


def lines(text: str) -> list[tuple[int, str]]:
    return list(enumerate(io.StringIO(text, newline="\n"), start=1))


@given(st.lists(st.lists(cells, min_size=2, max_size=4), max_size=5))
def test_csv_rows_round_trip(rows):
    file = io.StringIO(newline="")
    csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    assert [row.cells for row in parse_rows(lines(file.getvalue()), CSV)] == rows


@given(st.lists(st.lists(plain_cells, min_size=2, max_size=4), max_size=5))
def test_tsv_rows_round_trip_without_quoting(rows):
    text = "".join("\t".join(row) + "\n" for row in rows)
    assert [row.cells for row in parse_rows(lines(text), TSV)] == rows


@given(
    delimiter=st.sampled_from(",;\t|"),
    encoding=st.sampled_from(sorted(ALPHABETS)),
    line_end=st.sampled_from(["\n", "\r\n", "\r"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    preamble=st.sampled_from(["", "Report\n\n", "sep"]),
    data=st.data(),
)
@settings(max_examples=300, deadline=None)
def test_a_table_in_any_dialect_is_read_back_equal(
    tmp_path_factory, delimiter, encoding, line_end, quoting, preamble, data
):
    cell = st.text(st.sampled_from(ALPHABETS[encoding] + ' ,;|"\n'), max_size=8)
    rows = data.draw(st.lists(st.tuples(cell, cell, cell), min_size=1, max_size=6))
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n", quoting=quoting)
    writer.writerows([("query", "candidate", "note"), *rows])
    content = (f"sep={delimiter}\n" if preamble == "sep" else preamble) + text.getvalue()
    path = tmp_path_factory.mktemp("dialect") / "pairs.csv"
    path.write_bytes(content.replace("\n", line_end).encode(encoding))
    table = read_table(str(path), ("query", "candidate"))
    inner = "\n" if line_end == "\r" else line_end  # a lone CR is read as a line feed
    expected = [tuple(value.replace("\n", inner) for value in row) for row in rows]
    assert [tuple(row.values()) for row in table.rows] == expected
    assert table.form == ("tsv" if delimiter == "\t" else "csv")


def test_quoted_line_ends_are_found_below_a_title(tmp_path):
    """Taken literally, the six lines of these three rows are as regular as the rows."""
    (tmp_path / "pairs.csv").write_text("Report\n\nquery\tcandidate\tnote\n" + '\t"\n"\t\n' * 3)
    table = read_table(str(tmp_path / "pairs.csv"), ("query", "candidate"))
    assert [tuple(row.values()) for row in table.rows] == [("", "\n", "")] * 3


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        ('a\n"b\nc"\n"d"e\nf\n"g\n', [(1, ["a"]), (2, ["b\nc"]), (4, ['"d"e']), (5, ["f"]), (6, ['"g'])]),
        ('"a,1\nb,2\nc" d,3\n', [(1, ['"a', "1"]), (2, ["b", "2"]), (3, ['c" d', "3"])]),
        ('x,"open\n1,2\n3,"closed"\n', [(1, ["x", '"open']), (2, ["1", "2"]), (3, ["3", "closed"])]),
        ('say "hi,1\n"quoted, cell",2\n', [(1, ['say "hi', "1"]), (2, ["quoted, cell", "2"])]),
    ],
)
def test_a_stray_quote_changes_its_own_row_only(content, rows):
    assert [(row.line, row.cells) for row in parse_rows(lines(content), CSV)] == rows


def test_an_unclosed_quote_is_looked_after_for_a_bounded_number_of_lines(monkeypatch):
    monkeypatch.setattr(limits, "MAX_ROW_LINES", 100)
    taken = 0

    def endless():
        nonlocal taken
        for taken in itertools.count(1):
            yield taken, '"open\n' if taken == 1 else "line\n"

    assert [row.cells for row in itertools.islice(parse_rows(endless(), CSV), 2)] == [['"open'], ["line"]]
    assert taken == 100


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("query,candidate\na,b,c\nd,e\n", "row 2: 3 values under 2 columns"),
        ("query,query\n", "two columns 'query'; column names must be unique"),
        ("query,\0\n", "line 1: a NUL character"),
    ],
)
def test_a_strict_table_names_the_row_that_cannot_be_used(tmp_path, content, message):
    (tmp_path / "pairs.csv").write_text(content)
    with pytest.raises(InputError, match=message):
        list(read_table(str(tmp_path / "pairs.csv"), ()).rows)


def test_a_missing_column_is_an_error_that_names_the_nearest_and_lists_those_found(tmp_path):
    (tmp_path / "pairs.csv").write_text("Query;candidates;x\na;b;c\n")
    with pytest.raises(InputError) as caught:
        read_table(str(tmp_path / "pairs.csv"), ("Query", "candidate"))
    assert str(caught.value).startswith(
        f"{tmp_path / 'pairs.csv'} has no column 'candidate' (did you mean 'candidates'?); "
        "needed: Query, candidate; found: Query, candidates, x; "
    )


def test_a_line_that_does_not_end_is_not_held_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MAX_LINE_BYTES", 20)
    (tmp_path / "pairs.csv").write_text(f"query,candidate\n{'a' * 100},b\n")
    with pytest.raises(InputError, match=r"pairs\.csv, line 2: a line of more than 20 bytes"):
        list(read_table(str(tmp_path / "pairs.csv"), ["query"]).rows)


def test_short_rows_are_padded_and_empty_lines_ignored(tmp_path):
    (tmp_path / "pairs.tsv").write_text('query\tcandidate\n"a\n\nb\tc\n')
    rows = list(read_table(str(tmp_path / "pairs.tsv"), ("query",)).rows)
    assert rows == [{"query": '"a', "candidate": ""}, {"query": "b", "candidate": "c"}]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("pairs.csv", 'query,candidate,note\na,"b, c",x\n'),
        ("pairs.csv", 'query;candidate;note\na;"b; c";1,5\n'),
        ("pairs.csv", "query|candidate|note\na|b, c|x\n"),
        ("pairs.tsv", 'query\tcandidate\tnote\n"a"\tb "c"\t"\n'),
        ("pairs.tsv", 'query\tcandidate\tnote\n"a\tb"\tc\tx\n'),
        ("pairs.tsv", 'query\tcandidate\tnote\n"a ""b"""\tc\tx\n'),
    ],
)
def test_a_table_is_written_in_the_dialect_it_was_read_in(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    table = read_table(str(tmp_path / name), ("query", "candidate"))
    file = io.StringIO()
    TableWriter(file, table.form, table.columns, dialect=table.dialect).write(list(table.rows), {})
    assert file.getvalue() == content
