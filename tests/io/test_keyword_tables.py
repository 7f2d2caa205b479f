"""Keyword tables: each keyword once, all rows kept, counts and amounts summed, rates left alone."""

import io
import json
import zipfile

import numpy as np
import pytest

from querykin import InputError
from querykin.io.keyword_tables import MAX_COLUMNS, KeywordTable, read_keyword_table

SEARCH_CONSOLE = (
    "Top queries,Clicks,Impressions,CTR,Position\n"
    "garden hose,12,\"1,200\",1%,4.2\n"
    "rake,3,40,7.5%,2\n"
    "Garden  Hose,5,100,5%,3.1\n"
)  # fmt: skip


@pytest.fixture
def table(tmp_path):
    def write_and_read(name: str, content: str | bytes, **options) -> KeywordTable:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_keyword_table(str(path), pytest.fail, **options)

    return write_and_read


def test_a_search_console_export_is_merged_by_keyword_and_keeps_its_rows(table):
    found = table("Queries.csv", SEARCH_CONSOLE)
    assert found.queries == ["garden hose", "rake"]
    assert found.counts == [1300, 40]
    assert found.columns == ["Top queries", "Clicks", "Impressions", "CTR", "Position"]
    assert {name: sums.tolist() for name, sums in found.summed.items()} == {
        "Clicks": [17, 3],
        "Impressions": [1300, 40],
    }
    assert found.row_keywords.tolist() == [0, 1, 0]
    assert found.row_queries[2] == "Garden Hose"
    assert found.row_counts.tolist() == [1200, 40, 100]
    assert list(found.rows()) == [
        ["garden hose", "12", "1,200", "1%", "4.2"],
        ["rake", "3", "40", "7.5%", "2"],
        ["Garden  Hose", "5", "100", "5%", "3.1"],
    ]
    assert found.roles == {"query": "Top queries", "count": "Impressions"}


def test_a_list_has_the_columns_query_and_count(table):
    found = table("list.txt", "garden hose\t3\nrake\n")
    assert (found.columns, list(found.rows())) == (["query", "count"], [["garden hose", "3"], ["rake", ""]])
    assert found.counts == [3, 1]


def test_keywords_without_searches_are_kept(table):
    found = table("ahrefs.csv", "Keyword,Difficulty,Volume,Parent Keyword\nrake,3,0,\nhose,5,20,\n")
    assert (found.queries, found.counts) == (["rake", "hose"], [1, 20])
    assert found.summed["Volume"].tolist() == [0, 20]


def test_amounts_have_decimals_and_currencies_and_rates_are_not_summed(table):
    rows = "Suchbegriff;Kosten;CPC;Klicks\nRechen;€ 1.234,50;0,40;1.200\nrechen;0,25;0,30;--\n"
    found = table("ads.csv", rows, columns="query=Suchbegriff,count=Klicks")
    assert {name: sums.tolist() for name, sums in found.summed.items()} == {
        "Kosten": [1234.75],
        "Klicks": [1200],
    }
    assert found.delimiter == ";"


def test_a_column_with_other_texts_is_not_summed(table):
    assert table("words.csv", "keyword,traffic\nrake,high\nhose,3\n").summed == {}


def test_json_objects_may_have_different_keys(table):
    rows = [{"query": "rake", "clicks": 1.5, "tags": ["a"]}, {"query": "hose", "sessions": 4}]
    found = table("rows.jsonl", "\n".join(map(json.dumps, rows)))
    assert found.columns == ["query", "clicks", "tags", "sessions"]
    assert list(found.rows()) == [["rake", "1.5", '["a"]', ""], ["hose", "", "", "4"]]
    assert found.summed["clicks"].tolist() == [1.5, 0]


def test_the_tables_of_an_archive_are_one_table(tmp_path):
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.writestr("Queries.csv", SEARCH_CONSOLE)
        archive.writestr("More.csv", "query,count\nrake,2\n")
    found = read_keyword_table(str(tmp_path / "export.zip"), pytest.fail)
    assert (found.queries, found.counts) == (["rake", "garden hose"], [42, 1300])  # in the order of the names
    assert found.row_count == 4


def test_a_file_without_keywords_is_an_error(table, tmp_path):
    (tmp_path / "blank.txt").write_text("\n\n")
    with pytest.raises(InputError, match=r"no keywords in .*blank\.txt; give one keyword per line"):
        read_keyword_table(str(tmp_path / "blank.txt"), lambda skipped: None)


def test_objects_with_ever_new_keys_are_refused(table):
    rows = (json.dumps({"query": "rake", f"k{number}": 1}) for number in range(MAX_COLUMNS + 1))
    with pytest.raises(InputError, match="at most 1,000 columns"):
        table("keys.jsonl", "\n".join(rows))


def test_standard_input_is_read():
    found = read_keyword_table("-", pytest.fail, io.BytesIO(b"rake\nrake\n"))
    assert (found.queries, found.counts, found.row_count) == (["rake"], [2], 2)


def test_keywords_that_come_from_no_file_are_a_table():
    found = KeywordTable.of(["a", "b"], [2, 1])
    assert (found.counts, found.row_count, found.row(1)) == ([2, 1], 2, ["b", "1"])
    assert np.array_equal(found.summed["count"], [2, 1])
    assert len(KeywordTable.of([], [])) == 0
