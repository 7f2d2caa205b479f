"""Tables of a search log: sessions, clicks and reformulations by their columns."""

import gzip
import zipfile

import pytest

from querykin import InputError
from querykin.io.log_files import LogRecord, read_log


def read(tmp_path, text, columns="", name="log.csv"):
    (path := tmp_path / name).write_text(text)
    skipped = []
    return list(read_log(str(path), skipped.append, columns)), [str(each.message) for each in skipped]


def test_sessions_with_times_and_clicked_pages(tmp_path):
    found, skipped = read(
        tmp_path, "session,time,query,url\n1,2024-01-01T00:00:10Z,Apple  pie,/p\n1,1704067220,nasa,\n"
    )
    assert found == [LogRecord("Apple pie", "1", 1704067210.0, "/p"), LogRecord("nasa", "1", 1704067220.0)]
    assert not skipped


def test_clicks_with_counts(tmp_path):
    found, _ = read(tmp_path, "Query\tURL\tClicks\nnasa\thttps://nasa.gov\t1,234\npie\t/p\t\n", name="c.tsv")
    assert found == [LogRecord("nasa", url="https://nasa.gov", count=1234), LogRecord("pie", url="/p")]


def test_reformulations_in_json_lines(tmp_path):
    found, _ = read(tmp_path, '{"query": "a", "reformulation": "b", "count": 3}\n', name="r.jsonl")
    assert found == [LogRecord("a", reformulation="b", count=3)]


def test_columns_are_named_by_the_user(tmp_path):
    found, _ = read(tmp_path, "who;q;clicked\n7;nasa;/n\n", "session=who,query=q,url=clicked")
    assert found == [LogRecord("nasa", "7", url="/n")]


def test_milliseconds_are_recognized(tmp_path):
    found, _ = read(tmp_path, "session,time,query\n1,1704067200000,a\n")
    assert found[0].time == 1704067200.0


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (",2024-01-01,a,/p", "no session"),
        ("1,2024-01-01,,/p", "no query"),
        ("1,yesterday,a,/p", "the time 'yesterday' is neither ISO 8601 nor a number of seconds"),
        ("1,1e300,a,/p", "the time '1e300' is not a time"),
        ("1,nan,a,/p", "the time 'nan' is not a time"),
        (f"1,,a,{'x' * 3000}", "a URL of 3,000 characters; at most 2,048 are read"),
        (f"1,,{'x' * 1001},", "1,001 characters; a query has at most 1,000"),
    ],
)
def test_rows_that_cannot_be_used_are_skipped_with_a_reason(tmp_path, row, reason):
    found, skipped = read(tmp_path, f"session,time,query,url\n1,,fine,\n{row}\n")
    assert (found, skipped) == ([LogRecord("fine", "1")], [reason])


@pytest.mark.parametrize(
    ("count", "reason"), [("-1", "not from 1 to"), ("many", "is not a number"), ("0", "not from")]
)
def test_impossible_counts_are_skipped(tmp_path, count, reason):
    found, skipped = read(tmp_path, f"query,url,count\na,/p,{count}\n")
    assert not found
    assert reason in skipped[0]


def test_how_a_table_was_read_is_noted(tmp_path):
    (tmp_path / "r.csv").write_text("query,next query,note\na,b,c\n")
    noted = []
    list(read_log(str(tmp_path / "r.csv"), print, noted=lambda read: noted.append(str(read))))
    assert noted[0].endswith(
        "r.csv (reformulations): query = query, reformulation = next query; not read: note"
    )


def test_single_events_without_a_session_are_refused(tmp_path):
    table = tmp_path / "aol.txt"
    table.write_text("AnonID\tQuery\tQueryTime\tClickURL\n142\tlawn mower\t2006-03-01 10:00:00\t/mowers\n")
    with pytest.raises(InputError, match=r"has single events.*next: name the column of sessions"):
        list(read_log(str(table), print))
    (record,) = read_log(str(table), print, "session=AnonID")
    assert record.session == "142"
    daily = tmp_path / "daily.csv"
    daily.write_text("date,query,page,clicks\n2024-05-01,lawn mower,/mowers,12\n")
    assert list(read_log(str(daily), print)) == [LogRecord("lawn mower", url="/mowers", count=12)]


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("sessionId,ts,searchTerm,clickedUrl", "s1,1700000000123,red shoes,/s"),
        ("session_id,event_time,search_term,landing_page", "s1,2023-11-14T22:13:20Z,red shoes,/s"),
    ],
)
def test_headers_as_programs_write_them(header, row, tmp_path):
    (tmp_path / "log.csv").write_text(f"{header}\n{row}\n")
    (record,) = read_log(str(tmp_path / "log.csv"), print)
    assert (record.session, int(record.time), record.query, record.url) == (
        "s1",
        1700000000,
        "red shoes",
        "/s",
    )


def test_a_table_that_is_no_log_is_refused_with_what_is_allowed(tmp_path):
    with pytest.raises(InputError, match=r"is not a log; found: query, count; a log has the columns session"):
        read(tmp_path, "query,count\na,1\n")
    with pytest.raises(InputError, match=r"has no column 'vist' \(did you mean 'visit'"):
        read(tmp_path, "visit,query\na,1\n", "session=vist")


def zipped(tmp_path, **files):
    with zipfile.ZipFile(tmp_path / "log.zip", "w") as archive:
        for name, content in files.items():
            archive.writestr(name.replace("_", "."), content)
    return str(tmp_path / "log.zip")


def test_all_tables_of_a_zip_archive_are_read_and_other_files_named(tmp_path):
    source = zipped(
        tmp_path,
        clicks_csv="query,url,count\nnasa,/space,7\n,/x,1\n",
        notes_txt="what this is",
        pairs_jsonl_gz=gzip.compress(b'{"query": "a", "reformulation": "b"}\n'),
    )
    skipped, noted = [], []
    found = list(read_log(source, skipped.append, noted=noted.append))
    assert found == [LogRecord("nasa", url="/space", count=7), LogRecord("a", reformulation="b")]
    assert [each.file for each in noted] == [f"{source}/clicks.csv", f"{source}/pairs.jsonl.gz"]
    assert [str(each) for each in skipped] == [
        f"{source}/clicks.csv, line 3: no query",
        f"{source}/notes.txt is not a log; found: what this is",
    ]


def test_a_zip_archive_without_a_log_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"no log in .*log\.zip: .*/notes\.txt is not a log"):
        list(read_log(zipped(tmp_path, notes_txt="hello"), [].append))
    with pytest.raises(InputError, match="nothing to read was found in it"):
        list(read_log(zipped(tmp_path), [].append))


def test_a_damaged_table_of_a_zip_archive_refuses_all_of_it(tmp_path):
    rows = "query,url\n" + "nasa,/space\n" * 9
    source = zipped(tmp_path, a_csv=rows, b_csv=f"{rows}a,b,c,d\n")
    with pytest.raises(InputError, match=r"b\.csv, row 11: "):
        list(read_log(source, [].append))
