"""The log: counts of sessions, clicks and reformulations, without the sessions."""

import stat
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifests import edit_manifest
from querykin import InputError, UnknownName
from querykin.errors import DamagedFile
from querykin.io.log_files import LogRecord
from querykin.logs import log_counter, session_counts
from querykin.logs.log import Log
from querykin.logs.log_counter import LogCounter
from querykin.logs.sorted_runs import CountTable, merged_counts
from querykin.logs.text_tables import TextTable
from querykin.querylog.counted_queries import query_key


@pytest.fixture
def log(tmp_path):
    return Log(tmp_path / "log")


def asked(session, *queries, minutes=1):
    return [LogRecord(query, session, 60.0 * minutes * n) for n, query in enumerate(queries)]


def counts(log, name, queries):
    """The counts of a table by queries."""
    names = {query_key(query): query for query in queries}
    return {
        tuple(names[key] for key in row[:-1]): row[-1]
        for piece in merged_counts(log.counts(name))
        for row in zip(*(column.tolist() for column in piece), strict=True)
    }


def test_a_query_counts_once_in_a_session(log):
    log.add([*asked("1", "a", "b", "a"), *asked("2", "a", "A ")])
    assert counts(log, "sessions", "ab") == {("a",): 2, ("b",): 1}
    assert {frozenset(key): n for key, n in counts(log, "co-sessions", "ab").items()} == {frozenset("ab"): 1}


def test_a_reformulation_is_the_next_other_query_within_half_an_hour(log):
    log.add(
        [*asked("1", "a", "a", "b"), *asked("2", "a", "b", "c", minutes=31), *asked("3", "a", "b", "a", "b")]
    )
    assert counts(log, "reformulations", "abc") == {("a", "b"): 2, ("b", "a"): 1}


def test_rows_without_times_are_in_order_also_across_files(log):
    log.add([LogRecord("a", "1"), LogRecord("x", "2"), LogRecord("b", "1"), LogRecord("c", "1")])
    assert counts(log, "reformulations", "abc") == {("a", "b"): 1, ("b", "c"): 1}


def test_clicks_of_a_session_count_once_and_those_of_a_table_add_up(log):
    log.add([LogRecord("a", "1", n, "/p") for n in range(5)])
    log.add([LogRecord("a", url="/p", count=4), LogRecord("a", url="/q")], "table")
    totals = [count for piece in merged_counts(log.counts("clicks")) for count in piece[2].tolist()]
    assert sorted(totals) == [1, 5]


def test_sessions_of_a_program_are_left_out(log, monkeypatch):
    monkeypatch.setattr(session_counts, "MAX_QUERIES", 3)
    totals = log.add([*asked("robot", *"abcd"), *asked("person", *"abc")]).totals
    assert (totals.sessions, totals.left_out) == (1, 1)
    assert counts(log, "sessions", "abcd") == {("a",): 1, ("b",): 1, ("c",): 1}


def test_sessions_of_too_many_events_are_left_out_also_where_they_are_in_several_runs(tmp_path):
    (tmp_path / "part").mkdir()
    counter = LogCounter(tmp_path / "runs", max_rows=4000)
    robot = (LogRecord("ab"[n % 2], "robot", float(n)) for n in range(session_counts.MAX_EVENTS + 1))
    person = (LogRecord("a", "person", float(n)) for n in range(session_counts.MAX_EVENTS))
    counter.add([*robot, *person])
    totals = counter.write(tmp_path / "part")
    assert (totals.sessions, totals.left_out, totals.reformulations) == (1, 1, 0)


def test_a_session_without_end_takes_no_memory_when_runs_are_merged(tmp_path, monkeypatch):
    (tmp_path / "part").mkdir()
    monkeypatch.setattr("querykin.logs.log_counter.MAX_EVENTS", 10)
    counter = LogCounter(tmp_path / "runs", max_rows=1000)
    for _ in range(5):
        counter.add(LogRecord("a", "robot", float(n)) for n in range(1000))
    counter.write(tmp_path / "part")
    runs = [np.load(file, mmap_mode="r") for file in (tmp_path / "runs" / "rows").glob("run-*/c0.npy")]
    assert len(runs) >= 5
    assert max(map(len, runs)) == 11


def test_pairs_of_few_sessions_are_in_memory_at_once(log, monkeypatch):
    sizes = []

    def counted(sessions, *columns):
        sizes.append(len(sessions))
        return session_counts.count_sessions(sessions, *columns)

    monkeypatch.setattr(log_counter, "_TOGETHER", 20)
    monkeypatch.setattr(log_counter, "count_sessions", counted)
    totals = log.add([each for n in range(50) for each in asked(str(n), *"abcde")]).totals
    assert (totals.sessions, totals.co_sessions, sum(sizes)) == (50, 10, 250)
    assert max(sizes) <= 25


def test_queries_of_few_sessions_are_not_seen(log):
    log.add([*asked("1", "often", "rare"), *asked("2", "often"), *asked("3", "often", "rare")])
    assert list(log.seen_queries()) == [("often", 3)]
    assert dict(log.seen_queries(2)) == {"often": 3, "rare": 2}


def test_the_same_person_does_not_make_a_query_seen_by_repeating_it(log):
    log.add([LogRecord("rare", "1", 2000.0 * n, f"/p{n % 2}") for n in range(10)])
    assert list(log.seen_queries()) == []


def test_counts_of_several_kinds_are_not_added_up_for_privacy(log):
    log.add(asked("1", "a"), "sessions")
    log.add([LogRecord("a", url=f"/{n}", count=2) for n in range(5)], "clicks")
    log.add([LogRecord("a", reformulation="b", count=2)], "pairs")
    assert dict(log.seen_queries(1)) == {"a": 2, "b": 2}


def test_the_same_content_is_added_once_from_whatever_source(log):
    content = [*asked("1", "a", "b"), *asked("2", "b")]
    assert not log.add(content, "monday").is_known
    assert log.add([LogRecord(r.query, f"other {r.session}", r.time) for r in content], "monday").is_known
    assert log.add(content, "tuesday").is_known
    assert log.add(content, "tuesday", replace=True).is_known
    assert log.add(content, "monday", replace=True).is_known
    assert not log.add(content[:2], "tuesday").is_known
    assert (len(log), log.sessions, log.sources()) == (2, 3, {"monday": 1, "tuesday": 1})


def test_a_source_is_replaced_or_removed(log):
    log.add(asked("1", "a"), "day")
    log.add(asked("1", "b"), "day")
    assert log.add(asked("1", "c"), "day", replace=True).removed == 2
    assert dict(log.seen_queries(1)) == {"c": 1}
    with pytest.raises(UnknownName, match="did you mean 'day'"):
        log.remove_source("days")
    assert log.remove_source("day") == 1
    assert (len(log), dict(log.seen_queries(1))) == (0, {})


def test_a_dry_run_and_an_input_that_fails_change_nothing(log, tmp_path):
    assert log.add(asked("1", "a"), dry_run=True).totals.sessions == 1
    assert not (tmp_path / "log").exists()
    log.add(asked("1", "a"))

    def failing():
        yield from asked("1", "b")
        raise InputError("the file ends here")

    with pytest.raises(InputError, match="ends here"):
        log.add(failing())
    with pytest.raises(InputError, match="no queries"):
        log.add([])
    assert dict(log.seen_queries(1)) == {"a": 1}
    assert len(list((tmp_path / "log" / "parts").iterdir())) == 1


def test_a_part_that_is_not_listed_is_damage(log):
    log.add(asked("1", "a"))
    addition = {"part": "x", "source": "s", "fingerprint": "0", "sessions": 1}
    edit_manifest(log.store.path, lambda raw: raw | {"metadata": raw["metadata"] | {"additions": [addition]}})
    with pytest.raises(DamagedFile, match="it has no part 'x', which it names"):
        Log(log.store.path)


@pytest.mark.parametrize(
    "record",
    [
        "a",
        LogRecord("", "1"),
        *(LogRecord("a", url="/p", count=count) for count in (0, -1, 2**70, "2")),
        *(LogRecord("a", "1", time) for time in (float("nan"), float("inf"), 1e300)),
    ],
)
def test_records_that_no_file_has_are_refused(log, record):
    with pytest.raises(InputError, match=r"LogRecord.* got "):
        log.add([record])
    log.add(asked("1", "a"))
    assert dict(log.seen_queries(1)) == {"a": 1}


def test_no_session_is_stored_and_only_the_owner_may_enter(log, tmp_path):
    log.add(asked("session-of-ann", "a", "b"))
    assert stat.S_IMODE((tmp_path / "log").stat().st_mode) == 0o700
    files = [path for path in (tmp_path / "log").rglob("*") if path.is_file()]
    assert files
    assert not any(b"ann" in path.read_bytes() for path in files)
    assert not any("runs" in path.as_posix() or "rows" in path.as_posix() for path in files)


def test_only_the_owner_may_enter_a_folder_that_a_failed_removal_has_made(log, tmp_path):
    with pytest.raises(InputError):
        log.remove_source("day")
    log.add(asked("1", "a"))
    assert stat.S_IMODE((tmp_path / "log").stat().st_mode) == 0o700


QUERIES = st.sampled_from("abcde")
ROWS = st.lists(
    st.tuples(st.sampled_from("123"), st.integers(0, 5), QUERIES, st.sampled_from(["", "/p", "/q"])),
    max_size=30,
)


@given(ROWS, st.integers(1, 10))
def test_counting_in_small_runs_equals_counting_in_memory(tmp_path_factory, rows, max_rows):
    folder = tmp_path_factory.mktemp("counting")
    (folder / "part").mkdir()
    counter = LogCounter(folder / "runs", max_rows, max_texts=2)
    counter.add(LogRecord(query, session, 1000.0 * time, url) for session, time, query, url in rows)
    totals = counter.write(folder / "part")
    ordered = {
        s: [r for _, r in sorted(enumerate(rows), key=lambda x: (x[1][1], x[0])) if r[0] == s] for s in "123"
    }
    sessions = [set(r[2] for r in each) for each in ordered.values() if each]
    pairs = [frozenset(pair) for each in sessions for pair in combinations(each, 2)]
    follows = {
        (s, a[2], b[2])
        for s, each in ordered.items()
        for a, b in pairwise(each)
        if a[2] != b[2] and b[1] - a[1] <= 1
    }
    clicks = {(s, q, url) for s, _, q, url in rows if url}
    assert totals.sessions == len(sessions)
    assert totals.queries == len({r[2] for r in rows}) == len(TextTable(folder / "part" / "queries"))
    sums = {
        name: int(CountTable(folder / "part" / name, keys).counts.whole().sum())
        for name, keys in (("sessions", 1), ("co-sessions", 2), ("reformulations", 2), ("clicks", 2))
    }
    assert sums == {
        "sessions": sum(map(len, sessions)),
        "co-sessions": len(pairs),
        "reformulations": len(follows),
        "clicks": len(clicks),
    }
    assert (totals.co_sessions, totals.reformulations) == (len(set(pairs)), len({f[1:] for f in follows}))
    assert totals.clicks == len({click[1:] for click in clicks})
