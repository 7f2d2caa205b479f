"""Workbooks, Parquet and Arrow files, and JSON arrays: for documents, queries and judged pairs."""

import io
import json
import sys

import pytest

from example_files.containers import arrow, parquet, workbook
from querykin.errors import InputError, MissingExtra
from querykin.io import limits
from querykin.io.judgement_files import read_judged_pairs
from querykin.io.query_files import read_queries
from querykin.io.tables import read_table

PAIRS = [["query", "candidate", "grade"], ["java", "island", 1], ["java", "coffee", 0.5]]


def columns_of(rows):
    header, *values = rows
    return dict(zip(header, map(list, zip(*values, strict=True)), strict=True))


def test_judged_pairs_are_read_from_a_workbook_a_parquet_file_and_an_array(file):
    records = [dict(zip(PAIRS[0], row, strict=True)) for row in PAIRS[1:]]
    texts = columns_of([PAIRS[0], *([*map(str, row)] for row in PAIRS[1:])])
    paths = [
        file("a.xlsx", workbook({"Pairs": PAIRS})),
        file("a.parquet", parquet(texts)),
        file("a.feather", arrow(texts)),
        file("a.json", json.dumps(records, indent=2)),
    ]
    for path in paths:
        pairs = read_judged_pairs(str(path))
        assert pairs.candidates.at(range(2)) == ["island", "coffee"]
        assert pairs.grades.tolist() == [1, 0.5]


def test_the_sheet_with_the_needed_columns_is_read(file):
    path = file("a.xlsx", workbook({"Read me": [["A note"]], "Data": [["title"], [], *PAIRS]}))
    table = read_table(str(path), ("query", "candidate"))
    assert (table.form, table.first_row) == ("csv", 4)
    assert next(table.rows) == {"query": "java", "candidate": "island", "grade": 1}


def test_an_array_is_written_again_as_json_lines(file):
    assert read_table(str(file("a.json", '[{"query": "a"}]')), ()).form == "jsonl"


def test_an_array_that_is_not_one_of_objects_is_refused(file):
    with pytest.raises(InputError, match="record 2: a JSON object is needed, got int"):
        list(read_table(str(file("a.json", '[{"query": "a"}, 3]')), ()).rows)
    with pytest.raises(InputError, match="begins like a JSON array, but is not JSON"):
        read_table(str(file("b.json", '[{"query": "a"')), ())


def test_a_large_array_is_refused_with_the_command_that_converts_it(file, monkeypatch):
    monkeypatch.setattr(limits, "MAX_LINE_BYTES", 20)
    with pytest.raises(InputError, match=r"more than 20 bytes.*jq -c"):
        list(read_queries(str(file("a.json", json.dumps([{"query": "a" * 30}]))), pytest.fail))


def test_a_list_of_queries_may_begin_with_a_bracket(file):
    path = file("a.txt", "[quiet mower]\n[rake]\n")
    assert [query for query, _, _ in read_queries(str(path), pytest.fail)] == ["[quiet mower]", "[rake]"]


def test_a_workbook_comes_from_standard_input_too(read):
    data = workbook({"A": [["title"], ["Java"]]})
    assert [found.title for found in read("-", stdin=io.BytesIO(data)).documents] == ["Java"]


def test_a_workbook_without_a_usable_header_names_the_columns_found(read, file):
    with pytest.raises(InputError, match="no column for a title or a text; found: year, price"):
        read(file("a.xlsx", workbook({"A": [["year", "price"], [2000, 3]]})))


def test_an_empty_workbook_is_an_input_error(read, file):
    with pytest.raises(InputError, match="has no sheet with cells"):
        read(file("a.xlsx", workbook({"A": []})))


@pytest.mark.parametrize("size", [-1, -100, 900])
def test_a_cut_workbook_is_an_input_error(read, file, size):
    with pytest.raises(InputError, match="cut or damaged"):
        read(file("a.xlsx", workbook({"A": [["title"], ["Java"]]})[:size]))


def test_a_workbook_that_unpacks_to_too_much_is_refused(read, file, monkeypatch):
    monkeypatch.setattr(limits, "MAX_WORKBOOK_BYTES", 100)
    with pytest.raises(InputError, match="at most 100 are read"):
        read(file("a.xlsx", workbook({"A": [["title"], ["Java"]]})))


def test_rows_of_a_workbook_without_a_text_are_reported_with_their_number(read, file):
    outcome = read(file("a.xlsx", workbook({"A": [["title", "price"], ["Java", 1], ["", 2]]})))
    assert [(problem.line, problem.message) for problem in outcome.problems] == [(3, "nothing in 'title'")]


@pytest.mark.parametrize("make", [parquet, arrow])
def test_a_cut_columnar_file_is_an_input_error(read, file, make):
    suffix = "parquet" if make is parquet else "arrow"
    data = make({"title": ["Java"] * 100})
    for damaged in (data[:-1], data[:20], data[:4] + b"\xff" * (len(data) - 12) + data[-8:]):
        with pytest.raises(InputError, match=r"is a cut or damaged|holds text or is damaged"):
            read(file(f"a.{suffix}", damaged))


def test_the_copy_of_a_parquet_file_is_bounded(read, file, monkeypatch):
    monkeypatch.setattr(limits, "MAX_ARROW_BYTES", 100)
    with pytest.raises(InputError, match=r"a\.parquet, a Parquet file, has more than 100 bytes: write it as"):
        read(file("a.parquet", parquet({"title": ["Java"]})))


def test_a_parquet_file_without_the_extra_names_the_command(read, file, monkeypatch):
    monkeypatch.setitem(sys.modules, "arro3.io", None)
    with pytest.raises(MissingExtra, match=r"pip install .*\[arrow\]'"):
        read(file("a.parquet", parquet({"title": ["Java"]})))
