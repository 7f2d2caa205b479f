"""Files of queries in every format; invalid lines are reported."""

import gc
import gzip
import io
import json
import warnings

import pytest

from querykin import InputError
from querykin.io.query_files import read_queries
from querykin.io.query_records import MAX_COUNT
from querykin.text.normalization import MAX_QUERY_LENGTH
from querykin.types import SkippedRecord

PAIRS = [("space exploration", 12), ("café, noir", 1)]

FILES = {
    "lines.txt": "space exploration\t12\ncafé, noir\n",
    "no-ending": "space exploration\t12\ncafé, noir\n",
    "windows.txt": "\ufeffspace exploration\t12\r\ncafé, noir\r\n",
    "last.txt": "space exploration\t12\ncafé, noir",
    "header.tsv": "query\tcount\nspace exploration\t12\ncafé, noir\t1\n",
    "more.tsv": "Keyword\tVolume\tCPC\nspace exploration\t12\t0.3\ncafé, noir\t1\t0.2\n",
    "spaced.txt": "  space   exploration \t 12 \ncafe\u0301, noir\t1\n",
    "keywords.csv": 'Keyword,Volume\nspace exploration,12\n"café, noir",1\n',
    "order.csv": 'Impressions,CTR,Query\n12,0.3,space exploration\n1,0.2,"café, noir"\n',
    "uncounted.csv": 'query\nspace exploration\nspace exploration\n"café, noir"\n',
    "objects.jsonl": '{"query": "space exploration", "count": 12}\n\n{"query": "caf\\u00e9, noir"}\n',
    "objects.txt": '{"query": "space exploration", "count": 12}\n{"query": "café, noir"}\n',
    "latin.txt": "space exploration\t12\ncafé, noir\n".encode("latin-1"),
    "nulls.jsonl": '{"count": "12", "query": "space exploration"}\n{"query": "café, noir", "count": null}\n',
}


def read(source: str, stdin: bytes | None = None) -> tuple[list[tuple[str, int, str]], list[SkippedRecord]]:
    problems: list[SkippedRecord] = []
    found = list(read_queries(source, problems.append, io.BytesIO(stdin) if stdin is not None else None))
    return found, problems


@pytest.fixture
def listed(tmp_path):
    """Write a file of queries and read it."""

    def write_and_read(name: str, content: str | bytes):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read(str(path))

    return write_and_read


@pytest.fixture
def leaks_allowed():
    """After an error, a file is closed only when its generator is collected."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        yield
        gc.collect()


@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_the_same_queries(name, listed):
    found, problems = listed(name, FILES[name])
    expected = [PAIRS[0], PAIRS[0], PAIRS[1]] if name == "uncounted.csv" else PAIRS
    counts = [1, 1, 1] if name == "uncounted.csv" else [12, 1]
    assert [(query, count) for query, count, _ in found] == [
        (query, count) for (query, _), count in zip(expected, counts, strict=True)
    ]
    assert problems == []


@pytest.mark.parametrize("name", ["lines.txt", "keywords.csv", "objects.jsonl"])
def test_compressed_files_are_read(name, listed):
    found, problems = listed(f"{name}.gz", gzip.compress(FILES[name].encode()))
    assert [(query, count) for query, count, _ in found] == PAIRS
    assert problems == []


def test_standard_input_is_read_line_by_line():
    found, problems = read("-", FILES["lines.txt"].encode())
    assert found == [("space exploration", 12, "1"), ("café, noir", 1, "2")]
    assert problems == []


def test_ids_come_from_a_column_or_are_line_numbers(listed):
    assert [name for *_, name in listed("a.csv", "id,query\nq7,nasa\n,esa\n")[0]] == ["q7", "3"]
    assert [name for *_, name in listed("a.jsonl", '{"id": 7, "query": "nasa"}\n')[0]] == ["7"]
    assert [name for *_, name in listed("a.tsv", "query\tcount\nnasa\t1\nesa\t1\n")[0]] == ["2", "3"]


INVALID = {
    "": "no query",
    " \t3": "no query",
    "\0\0": "no query",
    "nasa\tmany": "the count 'many' is not a number",
    "nasa\tinf": "the count 'inf' is not a number",
    "nasa\tnan": "the count 'nan' is not a number",
    "nasa\t0": "the count 0 is below 1",
    "nasa\t-3": "the count -3 is below 1",
    "nasa\t99999999999999999999": "the count '99999999999999999999' is above",
    "x" * (MAX_QUERY_LENGTH + 1): f"{MAX_QUERY_LENGTH + 1:,} characters",
}


@pytest.mark.parametrize("line", INVALID, ids=lambda line: line[:20])
def test_an_invalid_line_is_skipped_and_reported_with_its_number(line, listed):
    found, (problem,) = listed("list.txt", f"nasa\n{line}\nesa\n")
    assert [query for query, *_ in found] == ["nasa", "esa"]
    assert str(problem).partition("list.txt")[2].startswith(f", line 2: {INVALID[line]}")


def test_an_invalid_row_of_a_table_is_reported_with_its_line(listed):
    assert listed("a.csv", "query,count\nnasa,1\nesa,x\n")[1][0].line == 3
    assert listed("a.jsonl", '{"query": "nasa"}\n{"query": ""}\n')[1][0].line == 2
    assert listed("a.jsonl", '{"query": "nasa"}\n{"query": \n')[1][0].message.startswith("not JSON")
    assert listed("a.csv", "query,count\nnasa,1,2\n")[1][0].message == "3 columns where the header has 2"


@pytest.mark.parametrize(
    ("count", "amount"), [("1,200", 1200), ("2.0", 2), ("1e3", 1000), (str(MAX_COUNT), MAX_COUNT), (" ", 1)]
)
def test_counts_may_be_formatted_as_in_spreadsheets(count, amount, listed):
    assert [(q, n) for q, n, _ in listed("list.txt", f"nasa\t{count}\n")[0]] == [("nasa", amount)]


def test_unusual_queries_are_read_unchanged(listed):
    lines = ["😀👍🏽", "שלום עולם", "x" * MAX_QUERY_LENGTH, "a\0b", "{braces", 'quo"ted', "c++ & c#"]
    found, problems = listed("list.txt", "nasa\n" + "\n".join(lines))
    assert [query for query, *_ in found][1:] == [line.replace("\0", " ") for line in lines]
    assert problems == []


def test_a_large_file_is_read_on_demand(listed, tmp_path):
    path = tmp_path / "many.txt"
    path.write_text("".join(f"query {i}\t{i + 1}\n" for i in range(50_000)))
    queries = read_queries(str(path), pytest.fail)
    assert next(queries) == ("query 0", 1, "1")
    assert sum(1 for _ in queries) == 49_999


def test_an_empty_file_has_no_queries(listed):
    assert listed("empty.txt", "")[0] == []


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "a.csv",
            b"year,price\n2000,3\n",
            "no column of queries; found: year, price; a query is one of query, keyword",
        ),
        ("a.jsonl", b"[1, 2]\n", "no column of queries"),
        ("a.txt.gz", b"nasa\n", "ends in .gz but holds other data"),
        ("a.csv", b"", "is empty: no column and no query was found"),
        ("a.json", b"[1, 2]", "record 1: a JSON object is needed, got int"),
    ],
)
@pytest.mark.usefixtures("leaks_allowed")
def test_a_file_that_is_not_a_list_of_queries_is_refused(name, content, message, listed):
    with pytest.raises(InputError) as refused:
        listed(name, content)
    assert message in str(refused.value)
    assert name in str(refused.value)


def test_a_missing_file_is_refused_at_once(tmp_path):
    with pytest.raises(InputError, match="cannot read"):
        read_queries(str(tmp_path / "missing.txt"), pytest.fail)


def test_a_query_that_is_a_number_is_read_as_text(listed):
    content = "".join(json.dumps({"query": query}) + "\n" for query in ["nasa", 2004, None])
    found, (problem,) = listed("a.jsonl", content)
    assert [query for query, *_ in found] == ["nasa", "2004"]
    assert problem.message == "no query"
